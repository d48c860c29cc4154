/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's state for people: ssctr/state in debugfs. */
#ifndef CTR_STATE_H
#define CTR_STATE_H

/* Process context. */
#ifdef CONFIG_SSCTR_DEBUGFS
void ctr_state_init(void);
void ctr_state_exit(void);
#else
static inline void ctr_state_init(void) {}
static inline void ctr_state_exit(void) {}
#endif

#endif
