/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of zlib's interface as MiniSat has, for files that are not packed. */
#ifndef LEAGUE_ZLIB_H
#define LEAGUE_ZLIB_H

#include <stdio.h>

typedef FILE *gzFile;

#define gzopen(name, mode)	fopen(name, mode)
#define gzdopen(fd, mode)	fdopen(fd, mode)
#define gzread(file, buf, size) ((int)fread(buf, 1, size, file))
#define gzclose(file)		fclose(file)

#endif
