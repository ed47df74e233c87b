/* SPDX-License-Identifier: Apache-2.0 */
/* A version cut into the parts that are compared. Numbers stay text: they have
 * no upper bound. */
#ifndef EB_PEP440_KEY_H
#define EB_PEP440_KEY_H

#include <envbuild/mem.h>
#include <envbuild/pep440.h>

/* Bytes of the normal text; n is 0 where the version has no such part. */
struct eb_pep440_slice {
	const char *p;
	size_t n;
};

struct eb_pep440_key {
	char *text; /* normal; what the slices point into */
	struct eb_pep440_slice epoch, release, pre, post, dev, local;
	char pre_kind; /* 'a', 'b', 'r', or 0 */
};

/* -1 when the `n` bytes are no version; white space around is left out. */
int eb_pep440_key_read(const char *s, size_t n, struct eb_pep440_key *out);
void eb_pep440_key_release(struct eb_pep440_key *k);
/* -1, 0, 1 */
int eb_pep440_key_compare(const struct eb_pep440_key *a,
			  const struct eb_pep440_key *b);
/* The same to their ends, but for what is said. */
enum eb_pep440_same {
	EB_SAME_PUBLIC, /* but for the local part */
	EB_SAME_PRE,	/* epoch, release and pre-release */
};
bool eb_pep440_key_same(const struct eb_pep440_key *a,
			const struct eb_pep440_key *b,
			enum eb_pep440_same what);
/* Do epoch and the first `n` numbers agree? Missing ones are 0. */
bool eb_pep440_key_prefix(const struct eb_pep440_key *a,
			  const struct eb_pep440_key *b, size_t n);
size_t eb_pep440_key_numbers(const struct eb_pep440_key *k);
static inline bool eb_pep440_key_is_pre(const struct eb_pep440_key *k)
{
	return k->pre_kind || k->dev.n;
}

#endif
