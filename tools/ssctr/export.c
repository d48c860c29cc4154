// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr export`: counts files for continuous profilers. */
#include "base/plain.h"
#include "base/units.h"
#include "export/export.h"
#include "export/otlp.h"
#include "export/spool.h"
#include "recording.h"
#include "samples/options.h"
#include "ssctr.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPT_PPROF = OPT_NO_LETTER,
	OPT_OTLP,
	OPT_HEADERS,
	OPT_CA,
	OPT_SPOOL,
	OPT_SPOOL_LIMIT,
	OPT_TIMEOUT,
	OPT_RETRY,
	OPT_SERVICE,
	OPT_NAMES,
};

static const struct opt options[] = {
	{ OPT_PPROF, "pprof", "OUT",
	  "make profiles for pprof; OUT is a file, a folder, or a URL to send them to, in which {begin} and {end} become their time" },
	{ OPT_OTLP, "otlp", "OUT",
	  "make OTLP profiles; OUT is as above, for instance http://HOST:4318/v1development/profiles" },
	{ OPT_HEADERS, "headers", "FILE",
	  "send the HTTP headers in FILE, too, one in each line; this is the place for a secret" },
	{ OPT_CA, "ca", "FILE", "trust the certificates in FILE, and not those of this machine" },
	{ OPT_SPOOL, "spool", "DIR",
	  "keep in DIR what cannot be sent now, and send it before anything else the next time" },
	{ OPT_SPOOL_LIMIT, "spool-limit", "SIZE",
	  "drop the oldest profiles if DIR has more than this of one format (default: 64M)" },
	{ OPT_TIMEOUT, "timeout", "S", "give up a request after S seconds (default: 10)" },
	{ OPT_RETRY, "retry", "S",
	  "try again for S seconds if the receiver does not answer or asks to wait (default: 60); 0 means one try" },
	{ OPT_SERVICE, "service", "NAME",
	  "set the attribute service.name of OTLP profiles (default: ssctr)" },
	{ OPT_NAMES, "names", NULL,
	  "name functions and lines, by the files of this machine; the next options mean this, too" },
	{ SAMPLES_OPT_SYMFS, "symfs", "DIR",
	  "look up files below DIR, which has the files of the machine that recorded" },
	{ SAMPLES_OPT_CODE, "code", "PLACE",
	  "look for programs in PLACE, too: a file, a folder or a cache such as ~/.debug; repeatable" },
	{ SAMPLES_OPT_VMLINUX, "vmlinux", "FILE",
	  "take the names and lines of the kernel from FILE" },
	REC_NAMES_OPT,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "export",
	.usage = "[option]... [FILE]...",
	.about =
		"Give counts files to continuous profilers: as profiles of pprof, or as profiles\n"
		"of OTLP (alpha; the schema of opentelemetry-proto " EXPORT_OTLP_VERSION "). Each counts file\n"
		"becomes one profile. Functions have no names, because the receiver finds them by\n"
		"build id, unless you ask for them.",
	.example =
		"  ssctr export --pprof host.pb.gz host.counts && go tool pprof -top host.pb.gz\n"
		"  ssctr export --otlp http://collector:4318/v1development/profiles \\\n"
		"               --spool /var/spool/ssctr *.counts",
	.opts = options,
};

enum { MOST_SECONDS = 86400 };

struct asked {
	const char *out[2]; /* by enum export_format */
	const char *service;
	struct export_target target; /* but for its URL */
	uint64_t timeout, retry;
	bool in_vain[2]; /* the receiver was waited for, and has taken nothing since */
	struct samples_opts where;
	bool named, mangled;
	bool several; /* counts files */
	bool incomplete; /* a receiver left out something of what it took */
	struct error told; /* the last one */
};

/* --- options --- */

static int take_number(const struct cmd_opts *opts, const char *name, uint64_t least,
		       uint64_t most, uint64_t *value)
{
	if (!cmd_opts_u64(opts, value))
		return CMD_USAGE;
	if (*value < least || *value > most)
		return cmd_usage(&cmd, "--%s %s: use a number from %" PRIu64 " to %" PRIu64,
				 name, opts->arg, least, most);
	return CMD_OK;
}

static int take_limit(struct asked *asked, const struct cmd_opts *opts)
{
	struct error error;

	if (units_bytes(opts->arg, &asked->target.spool_limit, &error))
		return cmd_usage(&cmd, "--spool-limit: %s", error.text);
	return CMD_OK;
}

static int take_place(struct asked *asked, const struct cmd_opts *opts, int id)
{
	struct error error;

	asked->named = true;
	if (samples_option(&asked->where, id, opts->arg, &error))
		return cmd_usage(&cmd, "%s", error.text);
	return CMD_OK;
}

static int take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_PPROF:
	case OPT_OTLP:
		asked->out[id == OPT_OTLP] = opts->arg;
		break;
	case OPT_HEADERS:
		asked->target.headers = opts->arg;
		break;
	case OPT_CA:
		asked->target.ca = opts->arg;
		break;
	case OPT_SPOOL:
		asked->target.spool = opts->arg;
		break;
	case OPT_SPOOL_LIMIT:
		return take_limit(asked, opts);
	case OPT_TIMEOUT:
		return take_number(opts, "timeout", 1, MOST_SECONDS, &asked->timeout);
	case OPT_RETRY:
		return take_number(opts, "retry", 0, MOST_SECONDS, &asked->retry);
	case OPT_SERVICE:
		asked->service = opts->arg;
		break;
	case OPT_NAMES:
		asked->named = true;
		break;
	case REC_OPT_NO_DEMANGLE:
		asked->mangled = true;
		break;
	default:
		return take_place(asked, opts, id);
	}
	return CMD_OK;
}

static bool is_folder(const char *path)
{
	const size_t size = strlen(path);
	struct stat st;

	return (size && path[size - 1] == '/') || (!stat(path, &st) && S_ISDIR(st.st_mode));
}

/* Each name on the command line is that of one output. */
static int check_output(const char *out, int nr)
{
	if (export_is_url(out))
		return CMD_OK;
	if (!nr)
		return cmd_usage(&cmd, "no counts file is given");
	if (nr > 1 && !is_folder(out))
		return cmd_usage(&cmd, "%s: several profiles need a folder; `ssctr merge` makes one counts file of several",
				 out);
	return cmd_takes_binary(&cmd, out) ? CMD_OK : CMD_FAIL;
}

/* What its profile in a folder is named by: its name without .counts. */
static const char *name_of(const char *counts, size_t *size)
{
	const char *name = strcmp(counts, "-") ? basename(counts) : "profile";

	*size = strlen(name);
	if (*size > 7 && !strcmp(name + *size - 7, ".counts"))
		*size -= 7;
	return name;
}

/* DIR/NAME without .counts, or the file itself. NULL: out of memory. */
static char *path_of(const char *out, const char *counts, enum export_format format)
{
	static const char *const suffixes[] = { "pb.gz", "otlp.gz" };
	size_t size;
	const char *name = name_of(counts, &size);
	char *path;

	if (!is_folder(out))
		return strdup(out);
	return asprintf(&path, "%s/%.*s.%s", out, (int)size, name, suffixes[format]) < 0 ?
		       NULL : path;
}

/* --- no profile replaces an input or another profile --- */

/* A counts file that is read, or the profile of one. */
struct file {
	const char *counts;
	char *profile; /* NULL: it is the counts file */
	/* what it is on the disk, or its folder with its name if it is not there yet */
	dev_t dev;
	ino_t ino;
	const char *name; /* "": it is there */
};

/* The folder that will have the file. */
static bool stat_folder(const char *path, const char *name, struct stat *st)
{
	char folder[PATH_MAX];
	const int size = name - path;

	snprintf(folder, sizeof(folder), "%.*s", size ?: 1, size ? path : ".");
	return !stat(folder, st);
}

/* Returns false if nothing of it can be lost: it is a pipe, or it cannot be read or written. */
static bool find_file(struct file *file)
{
	const char *path = file->profile ?: file->counts;
	struct stat st;

	file->name = "";
	if (!file->profile && !strcmp(path, "-")) {
		if (fstat(STDIN_FILENO, &st))
			return false;
	} else if (stat(path, &st)) {
		file->name = basename(path);
		if (!file->profile || !stat_folder(path, file->name, &st))
			return false;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	return *file->name || S_ISREG(st.st_mode);
}

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Two names of one file. */
static int refuse_files(const struct file *a, const struct file *b)
{
	const char *profile = a->profile ?: b->profile;

	if (!a->profile || !b->profile)
		return cmd_error(&cmd, "%s: this profile would replace an input, which would be lost; name another file or folder",
				 profile);
	if (a->counts == b->counts)
		return cmd_usage(&cmd, "%s: both profiles of %s would be this file; name two files",
				 profile, a->counts);
	return cmd_usage(&cmd, "%s and %s would be one profile, %s; rename one, or use two folders",
			 a->counts, b->counts, profile);
}

/* Returns whether there is such a profile, in a file. */
static bool add_profile(const struct asked *asked, enum export_format format,
			const char *counts, struct file *file)
{
	const char *out = asked->out[format];

	if (!out || export_is_url(out) || !strcmp(out, "-"))
		return false;
	*file = (struct file){ .counts = counts, .profile = path_of(out, counts, format) };
	if (file->profile && find_file(file))
		return true;
	free(file->profile);
	file->profile = NULL;
	return false;
}

/* Files with the same place on the disk are neighbours then. */
static int compare_all(struct file *files, size_t nr)
{
	int ret = CMD_OK;
	size_t i;

	qsort(files, nr, sizeof(*files), compare_files);
	for (i = 1; !ret && i < nr; i++)
		if ((files[i].profile || files[i - 1].profile) &&
		    !compare_files(&files[i - 1], &files[i]))
			ret = refuse_files(&files[i - 1], &files[i]);
	return ret;
}

/* Each input and each profile, before anything is written. */
static int check_files(const struct asked *asked, char **names, int nr)
{
	struct file *files = calloc((size_t)nr * (1 + EXPORT_NR_FORMATS) + 1, sizeof(*files));
	int i, format, ret = files ? CMD_OK : cmd_error(&cmd, "out of memory");
	size_t found = 0;

	for (i = 0; !ret && i < nr; i++) {
		files[found].counts = names[i];
		found += find_file(&files[found]);
		for (format = EXPORT_PPROF; format < EXPORT_NR_FORMATS; format++)
			found += add_profile(asked, format, names[i], &files[found]);
	}
	if (!ret)
		ret = compare_all(files, found);
	while (found)
		free(files[--found].profile);
	free(files);
	return ret;
}

/* What is wrong with the options. Returns CMD_*, and reports it. */
static int check(const struct asked *asked, char **names, int nr)
{
	bool sends = false;
	int i, ret = CMD_OK;

	for (i = 0; i < 2; i++)
		sends |= asked->out[i] && export_is_url(asked->out[i]);
	if (!asked->out[EXPORT_PPROF] && !asked->out[EXPORT_OTLP])
		return cmd_usage(&cmd, "nothing says where profiles go; use --pprof or --otlp");
	if (!sends && (asked->target.headers || asked->target.ca || asked->target.spool))
		return cmd_usage(&cmd, "--headers, --ca and --spool need a URL after --pprof or --otlp");
	if (!nr && !asked->target.spool)
		return cmd_usage(&cmd, "no counts file is given");
	if (asked->out[0] && asked->out[1] && !strcmp(asked->out[0], "-") && !strcmp(asked->out[1], "-"))
		return cmd_usage(&cmd, "--pprof and --otlp both name standard output; name a file for one of them");
	for (i = 0; i < 2 && !ret; i++)
		if (asked->out[i])
			ret = check_output(asked->out[i], nr);
	return ret ?: check_files(asked, names, nr);
}

/* --- the work --- */

/* A counts file that cannot be read is told once, and not for each format. */
static int failed(struct asked *asked, const struct error *error)
{
	if (strcmp(asked->told.text, error->text))
		cmd_error(&cmd, "%s", error->text);
	asked->told = *error;
	return CMD_FAIL;
}

static int write_one(struct asked *asked, const struct export_opts *opts,
		     const char *counts, struct notes *about)
{
	const char *out = asked->out[opts->format];
	char *path = path_of(out, counts, opts->format);
	struct error error;
	int ret;

	if (!path)
		return cmd_error(&cmd, "out of memory");
	ret = (is_folder(out) ? export_write_inside : export_write)(counts, path, opts, about,
								    &error);
	ret = ret ? failed(asked, &error) : CMD_OK;
	free(path);
	return ret;
}

static void note_result(const struct export_result *result, const char *spool,
			struct notes *notes)
{
	notes_count(notes, result->sent, result->sent == 1 ? "profile sent" : "profiles sent");
	notes_count(notes, result->dropped,
		    "profiles dropped, the oldest first, because %s has no room for more", spool);
	notes_count(notes, result->rejected, "profiles that the receiver left out%s%s",
		    *result->said ? ": " : "", result->said);
	if (*result->warning)
		notes_say(notes, "the receiver says", "%s", result->warning);
}

static int tell_lost(const struct export_result *result)
{
	int ret = CMD_OK;

	if (result->unreadable)
		ret = cmd_error(&cmd,
				"%s; %" PRIu64 " profiles cannot be read, and are not sent: their names end in " EXPORT_SPOOL_ASIDE " now",
				result->why, result->unreadable);
	if (!result->refused)
		return ret;
	return cmd_error(&cmd,
			 "%s; the receiver refused %" PRIu64 " profiles, which are not sent again",
			 result->refusal, result->refused);
}

/*
 * Where a receiver is away, the other profiles are tried once and go into the spool without
 * a long wait, until it takes one.
 */
static int send_one(struct asked *asked, const struct export_opts *opts,
		    const char *counts, struct notes *about, struct notes *notes)
{
	struct export_target target = asked->target;
	bool *in_vain = &asked->in_vain[opts->format];
	struct export_result result;
	struct error error;
	int ret, lost;

	target.url = asked->out[opts->format];
	target.timeout = asked->timeout;
	target.patience = *in_vain ? 0 : asked->retry;
	ret = export_send(counts, opts, &target, &result, about, &error);
	note_result(&result, target.spool, notes);
	asked->incomplete |= result.rejected != 0;
	*in_vain = result.in_vain || (*in_vain && !result.sent);
	lost = tell_lost(&result);
	return ret ? failed(asked, &error) : lost;
}

/* With several files, the notes of each begin with its name. */
static void write_notes(const struct asked *asked, const char *counts, const struct notes *about,
			const struct notes *notes)
{
	if (asked->several && counts && (about->nr || notes->nr)) {
		plain_put(stderr, counts);
		fputs(":\n", stderr);
	}
	notes_write(about, stderr);
	notes_write(notes, stderr);
}

/*
 * Returns CMD_*. counts is NULL: only what waits is sent. What a profile says, and what is
 * not in it, is the same in both formats. It is told once, and only if there is a profile.
 */
static int export_one(struct asked *asked, struct export_opts *opts, const char *counts)
{
	struct notes about = { 0 }, notes = { 0 }, told = { 0 };
	int ret = CMD_OK, format;

	for (format = EXPORT_PPROF; format < EXPORT_NR_FORMATS; format++) {
		const char *out = asked->out[format];

		if (!out)
			continue;
		opts->format = format;
		if (export_is_url(out) ? send_one(asked, opts, counts, &about, &notes) :
					 write_one(asked, opts, counts, &about)) {
			ret = CMD_FAIL;
		} else if (!told.nr) {
			told = about;
			about = (struct notes){ 0 };
		}
		notes_free(&about);
	}
	write_notes(asked, counts, &told, &notes);
	notes_free(&told);
	notes_free(&notes);
	return ret;
}

/* NULL after an error, which was reported. */
static struct img *open_files(const struct samples_opts *where)
{
	struct error error;
	struct img *img;

	if (samples_check_places(where, &error)) {
		cmd_error(&cmd, "%s", error.text);
		return NULL;
	}
	img = img_new(where->symfs);
	if (!img || !samples_add_places(img, where) ||
	    (where->vmlinux && !img_set_vmlinux(img, where->vmlinux))) {
		cmd_error(&cmd, "out of memory");
		img_free(img);
		return NULL;
	}
	return img;
}

static int export_all(struct asked *asked, char **files, int nr)
{
	struct export_opts opts = { .service = asked->service };
	int i, ret = CMD_OK;

	opts.naming = (struct export_naming){ open_files(&asked->where), asked->named,
					      asked->mangled };
	if (!opts.naming.img)
		return CMD_FAIL;
	asked->several = nr > 1;
	for (i = 0; i < nr; i++)
		if (export_one(asked, &opts, files[i]))
			ret = CMD_FAIL;
	if (!nr)
		ret = export_one(asked, &opts, NULL);
	img_free(opts.naming.img);
	/* Nothing is sent again, so that only the status tells a script. */
	return asked->incomplete ? CMD_FAIL : ret;
}

int cmd_export(int argc, char **argv)
{
	struct asked asked = {
		.service = "ssctr",
		.target = { .spool_limit = EXPORT_SPOOL_LIMIT, .others = EXPORT_OTHERS },
		.timeout = EXPORT_TIMEOUT, .retry = EXPORT_PATIENCE, .where = SAMPLES_OPTS_INIT,
	};
	struct cmd_opts opts;
	int id, ret = CMD_OK;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0)
		ret = take_option(&asked, &opts, id);
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret)
		ret = check(&asked, opts.argv, opts.argc) ?: export_all(&asked, opts.argv, opts.argc);
	samples_opts_free(&asked.where);
	return ret;
}
