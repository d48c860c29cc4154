/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tell the manager that started this service how it is, with the protocol of
 * sd_notify(3). Without a manager, these do nothing.
 */
#ifndef COLLECT_NOTIFY_H
#define COLLECT_NOTIFY_H

#include <stdint.h>

/*
 * Send lines such as "READY=1\nSTATUS=...". Returns 1, 0 if nobody wants to know, or a
 * negative errno.
 */
int notify_send(const char *text);

/* Returns after how many ns without "WATCHDOG=1" the manager acts. 0: never. */
uint64_t notify_watchdog(void);

#endif
