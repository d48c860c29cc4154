// SPDX-License-Identifier: GPL-2.0-only
#include "export/http.h"
#include "base/library.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* As curl/curl.h has them; they are a part of the binary interface of libcurl.so.4. */
enum {
	CURLOPT_WRITEDATA = 10001,
	CURLOPT_URL = 10002,
	CURLOPT_ERRORBUFFER = 10010,
	CURLOPT_POSTFIELDS = 10015,
	CURLOPT_USERAGENT = 10018,
	CURLOPT_HTTPHEADER = 10023,
	CURLOPT_POST = 47,
	CURLOPT_CAINFO = 10065,
	CURLOPT_NOSIGNAL = 99,
	CURLOPT_TIMEOUT_MS = 155,
	CURLOPT_CONNECTTIMEOUT_MS = 156,
	CURLOPT_PROTOCOLS = 181,
	CURLOPT_WRITEFUNCTION = 20011,
	CURLOPT_POSTFIELDSIZE_LARGE = 30120,
	CURLINFO_RESPONSE_CODE = 0x200002,
	CURLINFO_REQUEST_SIZE = 0x20000c,
	CURLINFO_RETRY_AFTER = 0x600039,
	CURLPROTO_HTTP_HTTPS = 3,
	CURLE_OPERATION_TIMEDOUT = 28,
	CURL_ERROR_SIZE = 256,
};

enum { MOST_WAIT = 1 << 30 /* s */ };

/* Debian builds it with OpenSSL and with GnuTLS, and systems often have one of them. */
static void *open_library(void)
{
	return library_open("libcurl.so.4") ?: library_open("libcurl-gnutls.so.4");
}

static bool load(struct http_curl *curl)
{
	void *library = open_library();

	return library && library_find(library, "curl_easy_init", &curl->init) &&
	       library_find(library, "curl_easy_setopt", &curl->setopt) &&
	       library_find(library, "curl_easy_perform", &curl->perform) &&
	       library_find(library, "curl_easy_getinfo", &curl->getinfo) &&
	       library_find(library, "curl_easy_cleanup", &curl->cleanup) &&
	       library_find(library, "curl_easy_strerror", &curl->strerror) &&
	       library_find(library, "curl_slist_append", &curl->append) &&
	       library_find(library, "curl_slist_free_all", &curl->free_all);
}

/* More than that of an answer is not looked at. */
static size_t keep(const char *bytes, size_t one, size_t nr, void *arg)
{
	struct http_answer *answer = arg;
	const size_t room = sizeof(answer->body) - answer->size;
	const size_t n = one * nr < room ? one * nr : room;

	memcpy(answer->body + answer->size, bytes, n);
	answer->size += n;
	return one * nr;
}

int http_open(struct http *http, const char *ca, unsigned int timeout,
	      struct error *error)
{
	const long ms = 1000 * (long)timeout;
	struct http_curl *curl = &http->curl;

	*http = (struct http){ .handle = NULL };
	if (!load(curl))
		return error_set(error, ERROR_INPUT,
				 "libcurl is missing, which sends profiles; install Debian's package libcurl4t64 or libcurl4");
	http->handle = curl->init();
	if (!http->handle)
		return error_nomem(error);
	curl->setopt(http->handle, CURLOPT_NOSIGNAL, 1L);
	curl->setopt(http->handle, CURLOPT_TIMEOUT_MS, ms);
	curl->setopt(http->handle, CURLOPT_CONNECTTIMEOUT_MS, ms);
	curl->setopt(http->handle, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP_HTTPS);
	curl->setopt(http->handle, CURLOPT_USERAGENT, "ssctr/" SSCTR_VERSION);
	curl->setopt(http->handle, CURLOPT_WRITEFUNCTION, keep);
	if (ca)
		curl->setopt(http->handle, CURLOPT_CAINFO, ca);
	/* Without it, libcurl waits for a receiver that does not know it. */
	return http_header(http, "Expect:") ? 0 : error_nomem(error);
}

bool http_header(struct http *http, const char *header)
{
	struct curl_slist *list = http->curl.append(http->headers, header);

	http->headers = list ?: http->headers;
	return list;
}

/* The first line of what the receiver says, as far as it can be printed. */
static void take_text(struct http_answer *answer)
{
	size_t i, n = 0;

	for (i = 0; i < answer->size && n + 1 < sizeof(answer->text); i++) {
		const uint8_t c = answer->body[i];

		if (c >= ' ' && c < 0x7f)
			answer->text[n++] = c;
		else if (c == '\n' && n)
			break;
	}
	answer->text[n] = 0;
}

/*
 * A receiver that goes away must not end the process, and libraries of TLS do not prevent
 * that. Another thread notices nothing of it.
 */
static int perform(struct http *http)
{
	const struct timespec at_once = { 0 };
	sigset_t pipe, before, pending;
	int ret;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	ret = http->curl.perform(http->handle);
	if (!sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

void http_post(struct http *http, const char *url, const void *body, size_t size,
	       struct http_answer *answer)
{
	const struct http_curl *curl = &http->curl;
	char why[CURL_ERROR_SIZE] = "";
	int64_t wait = 0;
	long size_sent = 0;
	int ret;

	*answer = (struct http_answer){ 0 };
	curl->setopt(http->handle, CURLOPT_URL, url);
	curl->setopt(http->handle, CURLOPT_POST, 1L);
	curl->setopt(http->handle, CURLOPT_POSTFIELDS, body);
	curl->setopt(http->handle, CURLOPT_POSTFIELDSIZE_LARGE, (int64_t)size);
	curl->setopt(http->handle, CURLOPT_HTTPHEADER, http->headers);
	curl->setopt(http->handle, CURLOPT_WRITEDATA, answer);
	curl->setopt(http->handle, CURLOPT_ERRORBUFFER, why);
	ret = perform(http);
	curl->getinfo(http->handle, CURLINFO_RESPONSE_CODE, &answer->status);
	curl->getinfo(http->handle, CURLINFO_REQUEST_SIZE, &size_sent);
	answer->reached = size_sent > 0;
	answer->late = ret == CURLE_OPERATION_TIMEDOUT;
	/* The status decides, also if what follows is cut. 1xx only announces another one. */
	if (ret && answer->status < 200) {
		answer->status = 0;
		snprintf(answer->text, sizeof(answer->text), "%s",
			 *why ? why : curl->strerror(ret));
	} else {
		curl->getinfo(http->handle, CURLINFO_RETRY_AFTER, &wait);
		answer->retry_after = wait < 0 ? 0 : wait < MOST_WAIT ? wait : MOST_WAIT;
		take_text(answer);
	}
	curl->setopt(http->handle, CURLOPT_ERRORBUFFER, NULL);
}

void http_close(struct http *http)
{
	if (http->handle) {
		http->curl.cleanup(http->handle);
		http->curl.free_all(http->headers);
	}
	*http = (struct http){ .handle = NULL };
}
