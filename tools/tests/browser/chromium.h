/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page in Chromium, which takes real keys and answers questions about the page. It is
 * driven by the DevTools protocol over two pipes, so that nothing else is needed: JSON
 * objects that end in a NUL, on its descriptors 3 and 4.
 *
 *	open_page("page.html");
 *	press("Tab");
 *	CHECK_TELLS("document.activeElement.id", "find");
 *	close_page();
 */
#ifndef TESTS_BROWSER_CHROMIUM_H
#define TESTS_BROWSER_CHROMIUM_H

#include "base/text.h"
#include "../test.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHROMIUM_TIMEOUT = 60000 /* ms */ };

static struct {
	pid_t pid; /* 0: it does not run */
	FILE *to;
	int from;
	unsigned int id; /* of the last command */
	char session[64]; /* the page's, or "" */
	char *answer; /* to the last command */
	size_t cap;
	bool said; /* it wrote to its console, or a script of it failed */
} chromium;

static inline void close_page(void)
{
	if (!chromium.pid)
		return;
	/* It ends with its pipes. */
	fclose(chromium.to);
	close(chromium.from);
	waitpid(chromium.pid, NULL, 0);
	free(chromium.answer);
	memset(&chromium, 0, sizeof(chromium));
}

static inline void start_chromium(void)
{
	const char *browser = getenv("BROWSER") ?: "chromium";
	char user[256];
	int to[2], from[2];

	/* Of a test that failed. */
	close_page();
	CHECK(!pipe(to) && !pipe(from));
	snprintf(user, sizeof(user), "--user-data-dir=%s/user", test_tmpdir());
	chromium.pid = fork();
	CHECK(chromium.pid >= 0);
	if (!chromium.pid) {
		/* None of them may be one of the two. */
		int in = dup2(to[0], 63), out = dup2(from[1], 64);

		close(to[0]);
		close(to[1]);
		close(from[0]);
		close(from[1]);
		if (dup2(in, 3) < 0 || dup2(out, 4) < 0 || !freopen("/dev/null", "w", stderr))
			_exit(127);
		close(in);
		close(out);
		execlp(browser, browser, "--headless", "--remote-debugging-pipe", "--no-sandbox",
		       "--disable-gpu", "--no-first-run", "--disable-background-networking",
		       "--disable-component-update", "--disable-sync", "--disable-quic",
		       "--host-resolver-rules=MAP * ~NOTFOUND", user, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	chromium.to = fdopen(to[1], "w");
	chromium.from = from[0];
	signal(SIGPIPE, SIG_IGN);
}

/* One object of JSON, in chromium.answer. */
static inline void take_message(void)
{
	struct pollfd poll_of = { chromium.from, POLLIN, 0 };
	size_t nr = 0;

	do {
		if (nr + 1 >= chromium.cap) {
			chromium.cap = 2 * chromium.cap + (1 << 16);
			chromium.answer = realloc(chromium.answer, chromium.cap);
			CHECK(chromium.answer);
		}
		if (poll(&poll_of, 1, CHROMIUM_TIMEOUT) != 1 ||
		    read(chromium.from, &chromium.answer[nr], 1) != 1)
			test_fail(__FILE__, __LINE__,
				  "no answer of Chromium: is it installed? BROWSER names another");
	} while (chromium.answer[nr++]);
}

/* A command with its parameters, members of an object; the answer is in chromium.answer. */
static inline void command(const char *method, const char *params)
{
	char id[32];

	fprintf(chromium.to, "{\"id\":%u,", ++chromium.id);
	if (*chromium.session)
		fprintf(chromium.to, "\"sessionId\":\"%s\",", chromium.session);
	fprintf(chromium.to, "\"method\":\"%s\",\"params\":{%s}}", method, params);
	putc(0, chromium.to);
	CHECK(!fflush(chromium.to));
	snprintf(id, sizeof(id), "{\"id\":%u,", chromium.id);
	do {
		take_message();
		chromium.said |= strstr(chromium.answer, "\"Runtime.consoleAPICalled\"") ||
				 strstr(chromium.answer, "\"Runtime.exceptionThrown\"") ||
				 strstr(chromium.answer, "\"Log.entryAdded\"");
	} while (strncmp(chromium.answer, id, strlen(id)));
	if (strstr(chromium.answer, "\"error\":{"))
		test_fail(__FILE__, __LINE__, "%s: %s", method, chromium.answer);
}

/* A string of the answer, without its escapes but those of quotes. */
static inline const char *string_of(const char *name)
{
	static char text[1 << 16];
	const char *p = strstr(chromium.answer, name);
	size_t n = 0;

	if (!p)
		test_fail(__FILE__, __LINE__, "no %s in %.1000s", name, chromium.answer);
	for (p += strlen(name); *p && *p != '"' && n + 1 < sizeof(text); p++) {
		p += *p == '\\';
		text[n++] = *p;
	}
	text[n] = 0;
	return text;
}

/* What an expression is in the page, as text. */
static inline const char *tell(const char *expression)
{
	char *params = NULL;
	static struct text text;
	size_t size;
	char *all;

	text.file = open_memstream(&params, &size);
	CHECK(text.file && asprintf(&all, "String(%s)", expression) > 0);
	text_json_str(&text, "\"expression\":", all);
	text_flush(&text);
	CHECK(!fclose(text.file));
	command("Runtime.evaluate", params);
	free(params);
	free(all);
	if (strstr(chromium.answer, "\"exceptionDetails\""))
		test_fail(__FILE__, __LINE__, "%.1000s", chromium.answer);
	return string_of("\"value\":\"");
}

#define CHECK_TELLS(_expression, _want) CHECK_STR(tell(_expression), _want)

/* A file in the test's folder, in a window of 1000 x 800. */
static inline void open_page(const char *name)
{
	char params[512];

	start_chromium();
	snprintf(params, sizeof(params), "\"url\":\"about:blank\"");
	command("Target.createTarget", params);
	snprintf(params, sizeof(params), "\"flatten\":true,\"targetId\":\"%.99s\"",
		 string_of("\"targetId\":\""));
	command("Target.attachToTarget", params);
	snprintf(chromium.session, sizeof(chromium.session), "%.63s", string_of("\"sessionId\":\""));
	command("Runtime.enable", "");
	command("Log.enable", "");
	command("Emulation.setFocusEmulationEnabled", "\"enabled\":true");
	command("Emulation.setDeviceMetricsOverride",
		"\"width\":1000,\"height\":800,\"deviceScaleFactor\":1,\"mobile\":false");
	snprintf(params, sizeof(params), "\"url\":\"file://%s/%s\"", test_tmpdir(), name);
	command("Page.navigate", params);
	while (strcmp(tell("location.protocol + document.readyState"), "file:complete"))
		usleep(10000);
}

/* A key, as a person presses and releases it. */
static inline void press(const char *key)
{
	static const struct {
		const char *name;
		unsigned int code;
		const char *text;
	} keys[] = {
		{ "Tab", 9, "" }, { "Enter", 13, "\\r" }, { "ArrowLeft", 37, "" },
		{ "ArrowUp", 38, "" }, { "ArrowRight", 39, "" }, { "ArrowDown", 40, "" },
		{ "End", 35, "" }, { "Home", 36, "" }, { "Delete", 46, "" },
	};
	char params[256];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, key))
			break;
	CHECK(i < sizeof(keys) / sizeof(*keys));
	snprintf(params, sizeof(params),
		 "\"type\":\"keyDown\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%u,\"text\":\"%s\"",
		 key, key, keys[i].code, keys[i].text);
	command("Input.dispatchKeyEvent", params);
	snprintf(params, sizeof(params),
		 "\"type\":\"keyUp\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%u",
		 key, key, keys[i].code);
	command("Input.dispatchKeyEvent", params);
}

/* What the keyboard writes where the focus is. */
static inline void type(const char *text)
{
	char params[256];

	snprintf(params, sizeof(params), "\"text\":\"%s\"", text);
	command("Input.insertText", params);
}

/* A click of the mouse into the middle of the element that an expression is. */
static inline void click(const char *element)
{
	static const char *const types[] = { "mousePressed", "mouseReleased" };
	char expression[512], params[256];
	double x, y;
	unsigned int i;

	snprintf(expression, sizeof(expression),
		 "(function (e) { e.scrollIntoView({ block: 'center' }); var r = e.getBoundingClientRect();"
		 " return (r.left + r.width / 2) + ' ' + (r.top + r.height / 2); })(%s)", element);
	CHECK_EQ(sscanf(tell(expression), "%lf %lf", &x, &y), 2);
	for (i = 0; i < 2; i++) {
		snprintf(params, sizeof(params),
			 "\"type\":\"%s\",\"x\":%.1f,\"y\":%.1f,\"button\":\"left\",\"clickCount\":1",
			 types[i], x, y);
		command("Input.dispatchMouseEvent", params);
	}
}

/* An element <select>, by its id: the focus comes to it, and its option is chosen. */
static inline void choose(const char *select, const char *option)
{
	char expression[512];

	snprintf(expression, sizeof(expression),
		 "(function (s) { s.focus(); s.value = Array.from(s.options).find(function (o) {"
		 " return o.textContent === '%s'; }).value; s.dispatchEvent(new Event('change'));"
		 " return s.value; })(document.getElementById('%s'))", option, select);
	tell(expression);
}

#endif
