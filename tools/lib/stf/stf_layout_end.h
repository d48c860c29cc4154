/* SPDX-License-Identifier: BSD-2-Clause */
/* No guard: included after each use of STF_LAYOUT(), for the next one. */
#undef NONE
#undef TEXT
#undef MAGIC
#undef VLEN
#undef INITIATOR
#undef REG
#undef PTES
#undef EVENT
#undef TRANSACTION
#undef U8
#undef U16
#undef U32
#undef U64
#undef L16
#undef L32
