/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a definition that is a package file: for the login in its URL. */
#include <string.h>

#include <envbuild/channel.h>

#include "url_specs.h"

const char *eb_url_spec_of(const struct eb_spec *spec,
			   const struct eb_record *r)
{
	for (size_t i = 0; spec && i < spec->n_conda; i++) {
		struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		struct eb_record place EB_CLEANUP(eb_record_release) = { 0 };
		const char *url = eb_matchspec_url(spec->conda[i]);
		eb_autofree char *channel = NULL;

		if (url && eb_starts(url, "http") &&
		    eb_record_of_place(url, &place, &channel, &no) == 0 &&
		    !strcmp(place.url, r->url))
			return url;
	}
	return NULL;
}
