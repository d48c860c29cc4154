/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tell the manager that started this service how it is, with the protocol of
 * sd_notify(3).
 */
#ifndef COLLECT_NOTIFY_H
#define COLLECT_NOTIFY_H

/*
 * Send lines such as "READY=1\nSTATUS=...". Returns 1, 0 if nobody wants to know, or a
 * negative errno.
 */
int notify_send(const char *text);

#endif
