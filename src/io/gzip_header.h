/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a gzip member. */
#ifndef EB_IO_GZIP_HEADER_H
#define EB_IO_GZIP_HEADER_H

#include "filter.h"

/* Take one whole header off the filter's input. ISA-L's own reader is not
 * used, because within isal_inflate() it forgets the flags when a header is
 * split between two pieces of input. */
int eb_gzip_read_header(struct eb_filter *f, struct eb_error *err);

#endif
