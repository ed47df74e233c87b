/* SPDX-License-Identifier: Apache-2.0 */
/* A lock as one list of what it installs, for those who compare locks. */
#include <string.h>

#include <envbuild/lock.h>

static struct eb_locked_item of_package(const struct eb_locked_package *p)
{
	return (struct eb_locked_item){
		.name = p->record.name,
		.version = p->record.version,
		.build = p->record.build,
		.id = p->record.sha256,
		.size = p->record.size,
		.requested = p->requested,
	};
}

/* A commit stands for its bytes. */
static struct eb_locked_item of_pin(const struct eb_pin *p)
{
	struct eb_locked_item item = {
		.name = p->name,
		.version = p->version,
		.build = "",
		.id = p->sha256,
		.size = p->size,
		.requested = p->requested,
		.python_side = true,
	};

	if (p->commit)
		eb_sha256(p->commit, strlen(p->commit), &item.id);
	return item;
}

static int by_name(const void *a, const void *b)
{
	const struct eb_locked_item *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : (int)x->python_side - (int)y->python_side;
}

struct eb_locked_item *eb_lock_items(const struct eb_lock *lock, size_t *n)
{
	struct eb_locked_item *item =
		eb_calloc(lock->n + lock->n_pins + 1, sizeof *item);

	*n = 0;
	for (size_t i = 0; i < lock->n; i++)
		item[(*n)++] = of_package(&lock->package[i]);
	for (size_t i = 0; i < lock->n_pins; i++)
		item[(*n)++] = of_pin(&lock->pin[i]);
	qsort(item, *n, sizeof *item, by_name);
	return item;
}
