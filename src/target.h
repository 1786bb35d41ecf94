/* SPDX-License-Identifier: GPL-2.0-only */
/* Other people's BPF programs: as -b names them, and what the kernel and their BTF say of one. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "span.h"

struct err;

enum { TARGET_NAME_SIZE = 128 }; /* the kernel's limit for a function's name */

struct target_item {
	enum { TARGET_ALL, TARGET_ID, TARGET_NAME, TARGET_PIN } kind;
	const char *text;  /* the name or the path, length long, in the list */
	int length;
	uint32_t id;       /* TARGET_ID: not 0 */
};

struct target_program {
	int fd;            /* owned */
	uint32_t id;
	uint32_t func_id;  /* its first function in its BTF; 0: it has no BTF */
	bool is_jited;
	char name[TARGET_NAME_SIZE]; /* of that function, else the kernel's, cut to 15 characters. Foreign: print it by out_clean */
	char short_name[16];
};

/* Takes the first item of "12,name:foo,pin:/sys/fs/bpf/x,all" and moves *list behind it, to NULL behind the last. Returns 1; 0: *list
 * was NULL; -EINVAL with a text that has the item. */
int target_list_next(const char **list, struct target_item *item, struct err *err);

/* Returns 0, or -errno with a text (-ENOENT: there is none with that id). The fd is then the caller's. */
int target_open(struct target_program *program, uint32_t id, struct err *err);

/* The id of the program that is pinned there. Returns 0, or -errno with a text. */
int target_pinned(uint32_t *id, const char *path, struct err *err);

/* Writes the name of the function func_id, if a BTF's bytes have it as such and it fits; else leaves what is there. */
void target_set_name(char name[TARGET_NAME_SIZE], struct span btf, uint32_t func_id);

#endif
