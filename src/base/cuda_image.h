/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about images share. */
#ifndef EB_CUDA_IMAGE_H
#define EB_CUDA_IMAGE_H

#include "cuda_int.h"

/* What is wanted of a row. */
struct eb_row_want {
	const char *family;
	const char *cuda;	/* minor; NULL: an image without CUDA */
	const char *patch;	/* "11.2.0", or NULL */
	const char *cudnn;	/* of which the major counts, or NULL */
	const char *glibc;	/* at least, or NULL */
	const char *glibc_most; /* or NULL */
	const char *glibc_by;
	enum eb_flavour flavour;
};
/* The best row, with the reasons against others in `d` (may be NULL). `best`
 * is to be released; false: there is none. */
bool eb_row_choose(const struct eb_row_want *w, struct eb_decision *d,
		   struct eb_base_row *best);

enum eb_flavour eb_flavour_read(const char *cell);
/* "nvidia/cuda:TAG"; caller frees. */
char *eb_cuda_image_name(const char *const *cell);
void eb_base_row_read(const char *const *cell, struct eb_base_row *out);
/* The environment variables with which a plain image gets a GPU. */
void eb_plain_variables(struct eb_case *c);
/* A row that was chosen. */
void eb_take_row(struct eb_case *c, const struct eb_base_row *row);
void eb_find_build_image(struct eb_case *c);

#endif
