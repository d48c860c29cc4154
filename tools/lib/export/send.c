// SPDX-License-Identifier: GPL-2.0-only
/* Sending: what is tried again, what waits, and what is given up. */
#include "export/body.h"
#include "export/http.h"
#include "export/otlp.h"
#include "export/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ms from one try to the next one, which doubles. */
enum { FIRST_WAIT = 1000, LONGEST_WAIT = 30000 };

/* What became of a profile. */
enum fate {
	SENT,
	REFUSED, /* it is itself the reason, so that it is useless to send it again */
	AGAIN, /* try again soon */
	AWAY, /* the same, and the receiver takes no other profile either */
	LATER, /* what the user says about the receiver is the reason */
	UNREADABLE, /* it cannot be sent */
};

struct sender {
	const struct export_opts *opts;
	const struct export_target *target;
	struct export_result *result;
	struct http http;
	char *shown; /* the URL without what may be secret */
	unsigned int patience; /* s for the next profile */
	char why[512]; /* the last profile was not sent */
	char held[512]; /* the first that is still to be sent was not sent */
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_ms(uint64_t ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Half of it is by chance, so that a fleet does not come back all at once. */
static uint64_t jitter(uint64_t ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ms / 2 + now.tv_nsec % (ms / 2 + 1);
}

/* --- the URL and the headers --- */

/* Users and passwords come before the host, and tokens often behind a question mark. */
static char *without_secrets(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	const char *at = memrchr(host, '@', strcspn(host, "/?#"));
	const char *shown = at ? at + 1 : host;
	char *text;

	return asprintf(&text, "%.*s%.*s", (int)(host - url), url,
			(int)strcspn(shown, "?#"), shown) < 0 ? NULL : text;
}

/* Schemes have no case. */
bool export_is_url(const char *url)
{
	return (!strncasecmp(url, "http://", 7) && url[7]) ||
	       (!strncasecmp(url, "https://", 8) && url[8]);
}

/* Put a number in place of a word, as often as it is there. */
static char *put_number(char *text, const char *word, uint64_t number)
{
	char *at, *new;

	while (text && (at = strstr(text, word))) {
		if (asprintf(&new, "%.*s%" PRIu64 "%s", (int)(at - text), text, number,
			     at + strlen(word)) < 0)
			new = NULL;
		free(text);
		text = new;
	}
	return text;
}

static bool needs_time(const struct export_target *target)
{
	return strstr(target->url, "{begin}") || strstr(target->url, "{end}");
}

static char *url_of(const struct export_target *target, const struct export_spool_item *item)
{
	char *url = put_number(strdup(target->url), "{begin}", item->begin);

	return put_number(url, "{end}", item->end);
}

/* A line without its end and the blanks there. Returns an error, or 0. */
static int add_header(struct http *http, const char *path, char *line, unsigned int nr,
		      struct error *error)
{
	size_t size = strlen(line);

	while (size && strchr(" \t\r\n", line[size - 1]))
		line[--size] = 0;
	if (!size)
		return 0;
	if (line[0] == ':' || !strchr(line, ':'))
		return error_set(error, ERROR_INPUT,
				 "%s: line %u is not a header; write NAME: VALUE", path, nr);
	return http_header(http, line) ? 0 : error_nomem(error);
}

static int read_headers(struct http *http, const char *path, struct error *error)
{
	FILE *file = fopen(path, "re");
	unsigned int nr = 0;
	char *line = NULL;
	size_t cap = 0;
	int ret = 0;

	if (!file)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	while (!ret && getline(&line, &cap, file) >= 0)
		ret = add_header(http, path, line, ++nr, error);
	if (!ret && ferror(file))
		ret = error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	/* It may be a secret. */
	if (line)
		explicit_bzero(line, cap);
	free(line);
	fclose(file);
	return ret;
}

/* What both formats are packed by is a part of pprof's, and a coding of OTLP. */
static bool add_types(struct http *http, enum export_format format)
{
	if (format == EXPORT_PPROF)
		return http_header(http, "Content-Type: application/octet-stream");
	return http_header(http, "Content-Type: application/x-protobuf") &&
	       http_header(http, "Content-Encoding: gzip");
}

static int open_sender(struct sender *s, struct error *error)
{
	const struct export_target *t = s->target;
	int ret;

	s->shown = without_secrets(t->url);
	ret = http_open(&s->http, t->ca, t->timeout, error);
	if (!ret && (!s->shown || !add_types(&s->http, s->opts->format)))
		ret = error_nomem(error);
	if (!ret && t->headers)
		ret = read_headers(&s->http, t->headers, error);
	return ret;
}

/* --- one profile --- */

/* By the specification of OTLP/HTTP, and for the rest by what the user can change. */
static enum fate judge(const struct http_answer *answer)
{
	const long status = answer->status;

	if (status >= 200 && status < 300)
		return SENT;
	switch (status) {
	case 0:
		return answer->reached ? AGAIN : AWAY;
	case 408: /* it took too long */
	case 502:
	case 503:
	case 504:
		return answer->retry_after ? AWAY : AGAIN;
	case 429: /* too many */
		return AWAY;
	case 401: /* who are you? */
	case 403: /* not you */
	case 404: /* not here */
	case 405: /* no POST here */
	case 407: /* the proxy's 401 */
		return LATER;
	}
	return status >= 300 && status < 400 ? LATER : REFUSED;
}

static const char *advice(const struct http_answer *answer)
{
	const long status = answer->status;

	/* Who cannot even be connected to needs more than time. */
	if (answer->late && answer->reached && !status)
		return "; give the receiver more time with --timeout";
	if (status == 401 || status == 403 || status == 407)
		return "; give the receiver's credentials in a file with --headers";
	if (status == 404 || status == 405)
		return "; the URL needs the path at which the receiver takes profiles";
	return status >= 300 && status < 400 ? "; use the URL to which the receiver has moved" :
					       "";
}

static void note_answer(struct sender *s, const struct http_answer *answer)
{
	struct export_otlp_answer said;

	if (s->opts->format != EXPORT_OTLP)
		return;
	export_otlp_answer(&said, answer->body, answer->size);
	s->result->rejected += said.rejected;
	if (*said.text)
		memcpy(said.rejected ? s->result->said : s->result->warning, said.text,
		       sizeof(said.text));
}

static enum fate post(struct sender *s, const char *url, const uint8_t *bytes,
		      size_t size)
{
	struct http_answer answer;
	enum fate fate;

	http_post(&s->http, url, bytes, size, &answer);
	fate = judge(&answer);
	s->result->retry_after = fate == AWAY ? answer.retry_after : 0;
	if (fate == SENT)
		note_answer(s, &answer);
	else if (answer.status)
		snprintf(s->why, sizeof(s->why), "%s: HTTP %ld%s%s%s%s", s->shown,
			 answer.status, *answer.text ? " (" : "", answer.text,
			 *answer.text ? ")" : "", advice(&answer));
	else
		snprintf(s->why, sizeof(s->why), "%s: %s%s", s->shown, answer.text,
			 advice(&answer));
	return fate;
}

static void note_wait(struct sender *s)
{
	const size_t size = strlen(s->why);

	if (s->result->retry_after)
		snprintf(s->why + size, sizeof(s->why) - size,
			 "; the receiver asks to wait for %" PRIu64 " s",
			 s->result->retry_after);
}

/* Try until it is decided, or the patience is over. */
static enum fate deliver(struct sender *s, const char *url, const uint8_t *bytes,
			 size_t size)
{
	const uint64_t end = now_ms() + 1000 * (uint64_t)s->patience;
	uint64_t wait = FIRST_WAIT, ms, now;
	enum fate fate;

	for (;; wait = 2 * wait < LONGEST_WAIT ? 2 * wait : LONGEST_WAIT) {
		fate = post(s, url, bytes, size);
		if (fate != AGAIN && fate != AWAY)
			return fate;
		ms = jitter(wait);
		if (s->result->retry_after > ms / 1000)
			ms = 1000 * s->result->retry_after;
		now = now_ms();
		if (now >= end || ms > end - now) {
			s->result->in_vain = true;
			note_wait(s);
			return fate;
		}
		sleep_ms(ms);
	}
}

/* What comes after it may have other reasons. */
static void note_fate(struct sender *s, enum fate fate)
{
	struct export_result *r = s->result;

	if (fate == SENT)
		r->sent++;
	else if (fate != REFUSED && !*s->held)
		memcpy(s->held, s->why, sizeof(s->held));
	else if (fate == REFUSED && !r->refused++)
		memcpy(r->refusal, s->why, sizeof(r->refusal));
}

static enum fate deliver_item(struct sender *s, const struct export_spool_item *item,
			      const uint8_t *bytes)
{
	char *url = url_of(s->target, item);
	enum fate fate = LATER;

	if (url)
		fate = deliver(s, url, bytes, item->size);
	else
		snprintf(s->why, sizeof(s->why), "out of memory");
	free(url);
	note_fate(s, fate);
	return fate;
}

/* --- all of them --- */

/* It must not hold up those behind it. */
static int set_aside(struct sender *s, struct export_spool *spool, size_t at,
		     struct error *error)
{
	struct export_result *r = s->result;

	if (!r->unreadable++)
		snprintf(r->why, sizeof(r->why), "%.500s", error->text);
	return export_spool_set_aside(spool, at, error);
}

static int send_item(struct sender *s, struct export_spool *spool, size_t at, enum fate *fate,
		     struct error *error)
{
	uint8_t *bytes;
	int ret = export_spool_read(spool, at, &bytes, error);

	*fate = UNREADABLE;
	if (!ret)
		*fate = deliver_item(s, &spool->items[at], bytes);
	free(bytes);
	if (ret == ERROR_INPUT)
		return set_aside(s, spool, at, error);
	if (*fate == SENT || *fate == REFUSED)
		ret = export_spool_remove(spool, at, error);
	return ret;
}

/*
 * A receiver may fail at one profile whenever it comes, for example because it needs too much
 * time for this one. The profile stays, and the next ones are tried once each, as those that are
 * alike often are neighbours. If one is decided, the receiver is there, and those behind it have
 * their turn.
 */
static int send_spool(struct sender *s, struct export_spool *spool, struct error *error)
{
	unsigned int failed = 0; /* one after the other */
	enum fate fate;
	size_t at = 0;
	int ret = 0;

	while (!ret && at < spool->nr) {
		s->patience = failed ? 0 : s->target->patience;
		ret = send_item(s, spool, at, &fate, error);
		if (ret || fate == UNREADABLE)
			continue;
		if (fate == LATER || fate == AWAY || (fate == AGAIN && failed == s->target->others))
			break;
		failed = fate == AGAIN ? failed + 1 : 0;
		at += fate == AGAIN;
	}
	s->result->waiting = spool->nr;
	return ret;
}

static int open_spool(struct export_spool *spool, const struct export_opts *opts,
		      const struct export_target *target, struct error *error)
{
	static const char *const suffixes[] = { ".pprof.gz", ".otlp.gz" };

	return export_spool_open(spool, target->spool, suffixes[opts->format], error);
}

static int add_body(struct export_spool *spool, const struct body *body,
		    const struct export_target *target, struct export_result *result,
		    struct error *error)
{
	const struct export_spool_item item = { 0, body->begin, body->end, body->size };

	return export_spool_add(spool, &item, body->v, target->spool_limit,
				&result->dropped, error);
}

static int send_by_spool(struct sender *s, const struct body *body, struct error *error)
{
	struct export_spool spool;
	int ret = open_spool(&spool, s->opts, s->target, error);

	if (!ret && body->v)
		ret = add_body(&spool, body, s->target, s->result, error);
	if (!ret)
		ret = send_spool(s, &spool, error);
	export_spool_close(&spool);
	return ret;
}

static void send_at_once(struct sender *s, const struct body *body)
{
	const struct export_spool_item item = { 0, body->begin, body->end, body->size };

	if (body->v)
		deliver_item(s, &item, body->v);
}

/* What is not sent yet is an error, whatever the reason. */
static int tell(const struct sender *s, struct error *error)
{
	const struct export_result *r = s->result;

	if (r->waiting)
		return error_set(error, ERROR_OUTPUT, "%s; %" PRIu64 " profiles wait in %s",
				 s->held, r->waiting, s->target->spool);
	return *s->held ? error_set(error, ERROR_OUTPUT, "%s", s->held) : 0;
}

/* A receiver would show a profile without a time in 1970. */
static int make_body(struct body *body, const char *counts, const struct export_opts *opts,
		     const struct export_target *target, struct notes *notes,
		     struct error *error)
{
	const int ret = body_make(body, counts, opts, true, notes, error);

	if (ret || body->end || !needs_time(target))
		return ret;
	free(body->v);
	body->v = NULL;
	return error_set(error, ERROR_INPUT,
			 "%s: the URL has {begin} or {end}, and the time of the profile is not known; leave them out, or record with `ssctr record` or with `perf record -k mono`",
			 counts);
}

int export_send(const char *counts, const struct export_opts *opts,
		const struct export_target *target, struct export_result *result,
		struct notes *notes, struct error *error)
{
	struct sender s = { .opts = opts, .target = target, .result = result,
			    .patience = target->patience };
	struct body body = { 0 };
	int ret;

	*result = (struct export_result){ 0 };
	ret = open_sender(&s, error);
	if (!ret && counts)
		ret = make_body(&body, counts, opts, target, notes, error);
	if (!ret && target->spool)
		ret = send_by_spool(&s, &body, error);
	else if (!ret)
		send_at_once(&s, &body);
	ret = ret ?: tell(&s, error);
	free(body.v);
	free(s.shown);
	http_close(&s.http);
	return ret;
}

int export_keep(const char *counts, const struct export_opts *opts,
		const struct export_target *target, struct export_result *result,
		struct notes *notes, struct error *error)
{
	struct export_spool spool;
	struct body body;
	int ret = make_body(&body, counts, opts, target, notes, error);

	*result = (struct export_result){ 0 };
	if (ret)
		return ret;
	ret = open_spool(&spool, opts, target, error);
	if (!ret)
		ret = add_body(&spool, &body, target, result, error);
	result->waiting = spool.nr;
	export_spool_close(&spool);
	free(body.v);
	return ret;
}
