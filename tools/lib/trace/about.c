// SPDX-License-Identifier: GPL-2.0-only
#include "trace/about.h"
#include "base/array.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool about_add(struct about *about, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	/* The NULL behind it, too. */
	if (!array_room(&about->v, about->nr + 1, &about->cap, sizeof(*about->v)))
		return false;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return false;
	about->v[about->nr++] = text;
	about->v[about->nr] = NULL;
	return true;
}

void about_free(struct about *about)
{
	while (about->nr)
		free((char *)about->v[--about->nr]);
	free(about->v);
}

/* What is not known, or does not fit into a line, has no line. */
static bool add_text(struct about *about, enum origin_key key, const char *text)
{
	return !*text || strlen(text) >= ORIGIN_NAME_MAX ||
	       about_add(about, "ssctr %s %s", origin_key_name(key), text);
}

static bool add_events(struct about *about, struct pd *pd)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(pd); i++) {
		const struct pd_attr *attr = pd_attr(pd, i);

		if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
			continue;
		if (!about_add(about, "ssctr %s %u %s %" PRIu64 " %s",
			       origin_key_name(ORIGIN_EVENT), attr->index,
			       attr->freq ? "frequency" : "period",
			       attr->sample_period, attr->name ? attr->name : ""))
			return false;
	}
	return true;
}

bool about_recording(struct about *about, const struct samples *samples)
{
	struct pd *pd = samples->pd;

	return about_add(about, "ssctr %s %u", origin_key_name(ORIGIN_FORM),
			 ORIGIN_VERSION) &&
	       add_text(about, ORIGIN_COMMAND, pd_text(pd, PD_CMDLINE)) &&
	       add_text(about, ORIGIN_HOST, pd_text(pd, PD_HOSTNAME)) &&
	       add_text(about, ORIGIN_KERNEL, pd_text(pd, PD_OSRELEASE)) &&
	       add_text(about, ORIGIN_ARCH, pd_text(pd, PD_ARCH)) &&
	       add_events(about, pd);
}

static bool is_mapping(const struct origin_mapping *a, const struct origin_mapping *b)
{
	return a->offset - a->start == b->offset - b->start &&
	       a->name_size == b->name_size &&
	       !memcmp(a->name, b->name, a->name_size) &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* Is its code from a file that no build id compares with the one that was recorded? */
static bool is_unproved(struct img *img, const struct pd_dso *dso)
{
	const struct img_file *file = img_file(img, dso->name, dso->build_id,
					       dso->build_id_size);
	unsigned int size;

	return file && img_elf(file) && !img_file_build_id(file, &size);
}

static struct origin_mapping mapping_of(struct img *img, const struct pd_map *map,
					uint32_t pid)
{
	const struct pd_dso *dso = map->dso;
	struct origin_mapping m = {
		.pid = map->kernel ? ORIGIN_ALL : pid,
		.start = map->start, .end = map->end, .offset = map->pgoff,
		.name = dso->name, .name_size = strlen(dso->name),
	};

	_Static_assert(sizeof(dso->build_id) == sizeof(m.build_id), "all of it");
	if (dso->build_id_size && (map->kernel || !is_unproved(img, dso))) {
		m.build_id_size = dso->build_id_size;
		memcpy(m.build_id, dso->build_id, dso->build_id_size);
	}
	return m;
}

/*
 * Tell a mapping at pc, and store up to where it is told. One that was told before may
 * have grown, because its neighbour continues it. It is told again only where it has.
 */
static bool tell(struct origin_tell *tell, struct img *img, const struct pd_map *map,
		 uint64_t pc, struct about_map *last)
{
	const struct origin_mapping m = mapping_of(img, map, last->pid);
	struct origin_map *old = origin_maps_find(&tell->maps, m.pid, pc);
	struct origin_mapping known;

	last->start = m.start;
	last->end = m.end;
	if (m.name_size >= ORIGIN_NAME_MAX)
		return true;
	if (old) {
		known = origin_maps_mapping(&tell->maps, old);
		if (is_mapping(&known, &m)) {
			last->start = known.start > m.start ? known.start : m.start;
			last->end = known.end < m.end ? known.end : m.end;
			return true;
		}
	}
	return origin_tell_add(tell, &m);
}

bool about_runs(struct about_map *last, struct origin_tell *t,
		const struct samples *samples, uint32_t pid,
		const struct path_run *runs, unsigned int nr)
{
	const uint64_t changes = pd_space_changes(samples->space);
	const struct pd_map *map;
	unsigned int i;

	if (changes != last->changes || pid != last->pid)
		last->start = last->end = 0;
	last->changes = changes;
	last->pid = pid;
	for (i = 0; i < nr; i++) {
		const uint64_t pc = runs[i].pc;

		if (!runs[i].nr_insns || pc - last->start < last->end - last->start)
			continue;
		map = pd_space_find(samples->space, pid, pc);
		if (map && !tell(t, samples->img, map, pc, last))
			return false;
	}
	return true;
}
