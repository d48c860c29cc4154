/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This header has no guard, because each use of STF_LAYOUT() includes it, to prepare the
 * next use.
 */
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
