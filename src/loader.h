/* SPDX-License-Identifier: GPL-2.0-only */
/* Object spec -> kernel objects: BTF, maps, relocated programs. All that depends on the running kernel is here. */
#ifndef LOADER_H
#define LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "object.h"

struct err;

/* How a map of the object is made to fit: fields that are 0 (fd: -1) leave the object's own. */
struct loader_fit {
	const char *map;       /* NULL: no such */
	int fd;                /* use this map instead of making one; stays the caller's, and must be of the same shape */
	uint32_t max_entries;
	const void *data;      /* the first value of a data map, data_size bytes from its beginning */
	uint32_t data_size;
};

/* How a program is hung on. type BPF_PROG_TYPE_RAW_TRACEPOINT: the rest is 0 and -1. */
struct loader_hang {
	uint32_t type, attach_type;
	int target_fd;         /* fexit: the program, and its FUNC's id in its BTF */
	uint32_t target_func_id;
};

struct loader {
	const struct object *object; /* must outlive the loader */
	int btf_fd;                  /* owned; -1: the kernel refused the BTF, programs go without */
	int map_fds[OBJECT_MAPS_MAX]; /* owned unless borrowed */
	bool borrowed[OBJECT_MAPS_MAX];
};

/* Loads the BTF and makes the maps. A BTF that the kernel refuses, also in its plain form, is noted (-v) and done without:
 * only fexit needs it. Returns 0 or -errno with a text; then everything is closed. */
int loader_open(struct loader *loader, const struct object *object, const struct loader_fit *fits, int fits_count,
		struct err *err);

/* Relocates and loads one program. Quietly first; on refusal again with the verifier's log, whose last line goes into the
 * text (and the whole log to stderr with -v). Returns its fd, the caller's, or -errno. */
int loader_prog(const struct loader *loader, const char *name, const struct loader_hang *hang, struct err *err);

/* Loads a program and attaches it to that raw tracepoint. Returns the link's fd, the caller's, which holds the program, or -errno with
 * a text. prog_fd: where the program's own goes, the caller's, too; NULL: nowhere. */
int loader_link(const struct loader *loader, const char *name, const char *tracepoint, int *prog_fd, struct err *err);

/* The fd of a map by name, still the loader's; -1 if there is none. */
int loader_map(const struct loader *loader, const char *name);

/* May be called twice, and on a loader whose opening failed. */
void loader_close(struct loader *loader);

#endif
