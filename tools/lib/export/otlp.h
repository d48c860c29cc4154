/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as OTLP, the protocol of OpenTelemetry. Profiles are alpha there, and each
 * version of the schema may change fields. This is the schema of EXPORT_OTLP_VERSION.
 */
#ifndef EXPORT_OTLP_H
#define EXPORT_OTLP_H

#include "export/profile.h"

#define EXPORT_OTLP_VERSION "1.11.0"

/*
 * Append an ExportProfilesServiceRequest to *out, which has the fields of ProfilesData,
 * too. It has one profile for each kind of value. service is the attribute service.name.
 * Returns false if out of memory.
 */
bool export_otlp(struct export_profile *profile, const char *service, struct pb *out);

/* What a receiver says about a request that it took, in its answer of size bytes. */
struct export_otlp_answer {
	uint64_t rejected; /* profiles that it did not take */
	char text[160]; /* why, or a warning; "": nothing */
};

void export_otlp_answer(struct export_otlp_answer *answer, const uint8_t *bytes,
			size_t size);

#endif
