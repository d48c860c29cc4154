// SPDX-License-Identifier: GPL-2.0-only
#include "screen.h"
#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A screen of its own, no cursor, no new line at a line's end; and back. */
#define BEGIN "\033[?1049h\033[?25l\033[?7l"
#define END "\033[?7h\033[?25h\033[?1049l"
#define TOP "\033[H"
#define REST_OF_LINE "\033[K"
#define INVERSE "\033[7m"
#define NORMAL "\033[m"

static bool put(const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			text += n;
			size -= n;
		}
	}
	return true;
}

void screen_measure(struct screen *s)
{
	struct winsize size;

	s->rows = 24;
	s->columns = 80;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col) {
		s->rows = size.ws_row;
		s->columns = size.ws_col;
	}
}

bool screen_has(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && strcmp(kind, "dumb");
}

int screen_open(struct screen *s, struct error *error)
{
	*s = (struct screen){ .keys = -1 };
	if (!isatty(STDOUT_FILENO))
		return error_set(error, ERROR_USAGE, "standard output is not a terminal");
	if (!screen_has(STDOUT_FILENO))
		return error_set(error, ERROR_USAGE, "this terminal cannot be drawn on (TERM=%s)",
				 getenv("TERM") ?: "");
	/* Standard input may be a recording. */
	s->keys = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (s->keys < 0 || tcgetattr(s->keys, &s->before))
		return error_set(error, ERROR_USAGE, "there is no terminal to read keys from");
	return 0;
}

void screen_enter(struct screen *s)
{
	struct termios now = s->before;

	now.c_lflag &= ~(ICANON | ECHO);
	/* A stopped process would leave the terminal as it is. */
	now.c_cc[VSUSP] = _POSIX_VDISABLE;
	now.c_cc[VMIN] = 0;
	now.c_cc[VTIME] = 0;
	/* What was typed before is read, too. */
	tcsetattr(s->keys, TCSADRAIN, &now);
	screen_measure(s);
	fflush(stdout);
	put(BEGIN, strlen(BEGIN));
	s->entered = true;
}

void screen_close(struct screen *s)
{
	if (s->entered) {
		put(END, strlen(END));
		tcsetattr(s->keys, TCSAFLUSH, &s->before);
	}
	s->entered = false;
	if (s->keys >= 0)
		close(s->keys);
	s->keys = -1;
}

/* Escape sequences: ESC [ numbers letter, which a Linux console has with [[, and ESC O letter. */
static bool is_key(struct screen *s, unsigned char byte)
{
	const enum screen_sequence in = s->in;

	s->in = SCREEN_NO_SEQUENCE;
	if (byte == '\033')
		s->in = SCREEN_ESCAPE;
	else if (in == SCREEN_ESCAPE && byte == 'O')
		s->in = SCREEN_SINGLE;
	else if ((in == SCREEN_ESCAPE && byte == '[') ||
		 (in == SCREEN_CONTROL && (byte < '@' || byte == '[')))
		s->in = SCREEN_CONTROL;
	return in == SCREEN_NO_SEQUENCE && byte != '\033';
}

size_t screen_keys(struct screen *s, char keys[SCREEN_KEYS])
{
	const ssize_t n = read(s->keys, keys, SCREEN_KEYS);
	ssize_t i, nr = 0;

	for (i = 0; i < n; i++)
		if (is_key(s, keys[i]))
			keys[nr++] = keys[i];
	/* Nothing follows: it is the key Esc. */
	if (n < SCREEN_KEYS && s->in == SCREEN_ESCAPE)
		s->in = SCREEN_NO_SEQUENCE;
	return nr;
}

bool screen_begin(struct screen *s)
{
	s->out = open_memstream(&s->text, &s->size);
	if (!s->out)
		return false;
	fputs(TOP, s->out);
	return true;
}

void screen_row(struct screen *s, const char *text, size_t from, size_t to)
{
	const char *p = text;
	unsigned int column;

	for (column = 0; *p && *p != '\n' && column < s->columns; column++) {
		if (to > from && (size_t)(p - text) == from)
			fputs(INVERSE, s->out);
		p += plain_char(s->out, p);
		if (to > from && (size_t)(p - text) == to)
			fputs(NORMAL, s->out);
	}
	fputs(NORMAL REST_OF_LINE, s->out);
}

void screen_lines(struct screen *s, const char *text, unsigned int rows)
{
	while (rows--) {
		screen_row(s, text, 0, 0);
		putc('\n', s->out);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

bool screen_show(struct screen *s)
{
	const bool failed = fclose(s->out);
	bool ok = !failed && put(s->text, s->size);

	free(s->text);
	s->text = NULL;
	return ok;
}
