/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP POST by libcurl, which is used if it is installed.
 *
 *	http_open(&http, "ca.pem", 10, &error);
 *	http_header(&http, "Content-Type: application/x-protobuf");
 *	http_post(&http, "https://host/path", body, size, &answer);
 *	http_close(&http);
 */
#ifndef EXPORT_HTTP_H
#define EXPORT_HTTP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct curl_slist;

/* The functions of libcurl that are used. */
struct http_curl {
	void *(*init)(void);
	int (*setopt)(void *handle, int option, ...);
	int (*perform)(void *handle);
	int (*getinfo)(void *handle, int info, ...);
	void (*cleanup)(void *handle);
	struct curl_slist *(*append)(struct curl_slist *list, const char *text);
	void (*free_all)(struct curl_slist *list);
	const char *(*strerror)(int code);
};

struct http {
	struct http_curl curl;
	void *handle;
	struct curl_slist *headers;
};

struct http_answer {
	long status; /* 0: there was no answer, and text says why. The body may be cut */
	bool reached; /* the receiver got something of the request */
	bool late; /* there was no answer in time */
	uint64_t retry_after; /* s; 0: the receiver did not ask to wait */
	char text[256]; /* printable; the begin of the answer's body */
	uint8_t body[4096]; /* its first bytes */
	size_t size;
};

/*
 * Load the library. ca is a file of certificates to trust, or NULL for those of this
 * machine. Each request ends after timeout seconds. Returns 0, or ERROR_* with a text that
 * says which package is missing.
 */
int http_open(struct http *http, const char *ca, unsigned int timeout,
	      struct error *error);

/* Add a header to all requests. Returns false if out of memory. */
bool http_header(struct http *http, const char *header);

/* Send size bytes and wait for the answer. Redirections are not followed. */
void http_post(struct http *http, const char *url, const void *body, size_t size,
	       struct http_answer *answer);

/* *http may be all 0. */
void http_close(struct http *http);

#endif
