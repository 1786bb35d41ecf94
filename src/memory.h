/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory from a small pool, and straight from mmap(2): musl's malloc would be a tenth of the binary. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* count * size bytes, zeroed, aligned to 16; NULL if there is none, or the product overflows. */
void *memory_take(size_t count, size_t size);

/* NULL is allowed. errno stays. */
void memory_free(void *memory);

#endif
