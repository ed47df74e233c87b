/* SPDX-License-Identifier: Apache-2.0 */
/* One project that the Python side installs, exactly: what a lock says. */
#ifndef EB_PIN_H
#define EB_PIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

enum eb_pin_source {
	EB_PIN_WHEEL, /* a wheel of an index, a folder or a URL */
	EB_PIN_SDIST, /* built from an archive */
	EB_PIN_VCS,   /* built from a commit; url, vcs, commit, subdirectory */
	EB_PIN_DIR,   /* built from a folder of this machine */
};

/* How one that is no wheel becomes one. */
struct eb_pin_build {
	bool isolated;		 /* false: in the environment itself */
	struct eb_pin *requires; /* of the isolated environment, wheels,
				  * sorted by name */
	size_t n_requires;
	struct eb_strv setting;	 /* KEY=VALUE of --config-settings */
	struct eb_strv variable; /* NAME=VALUE that count (HOROVOD_...) */
};

struct eb_pin {
	char *name;    /* normal */
	char *version; /* normal */
	enum eb_pin_source source;
	char *file;  /* name of the wheel or sdist; of others "NAME-VERSION" */
	char *url;   /* without credentials; file:// for local ones */
	char *index; /* of the page that named it, without credentials; NULL */
	struct eb_digest sha256; /* of the file; of a folder by its content
				  * (eb_local_source); of a commit: zero */
	/* "sha512:<hex>", "sha384:...": while a lock is made, what its bytes
	 * have to have, one of these; then its sha256 is known, and no lock
	 * has it. */
	struct eb_strv hash;
	uint64_t size;	       /* bytes of the file; 0 for VCS and DIR */
	char *requires_python; /* or NULL */
	char *upload_time;     /* RFC 3339 as the index has it, or NULL */
	char *yanked;	       /* reason, "" without one; NULL: it is not */
	char *vcs, *commit, *revision, *subdirectory; /* or NULL */
	char *metadata; /* of an sdist that is believed without having been
			 * asked, what told its requirements: "egg-info",
			 * "PKG-INFO"; or NULL */
	bool requested; /* a line of the definition names it */
	bool direct;	/* by URL or path: it gets a direct_url.json */
	bool editable;	/* was asked for so; noted in direct_url.json */
	struct eb_pin_build *build; /* NULL for wheels */
};

void eb_pin_release(struct eb_pin *p);
void eb_pin_copy(struct eb_pin *to, const struct eb_pin *from);
/* Stable forms for locks; `what` is the lock's name in messages. EB_INPUT:
 * a field is missing or not what it should be. New reference. */
json_t *eb_pin_to_json(const struct eb_pin *p);
int eb_pin_from_json(const json_t *j, const char *what, struct eb_pin *out,
		     struct eb_error *err);
/* Text of direct_url.json (PEP 610) for one that has one; caller frees. */
char *eb_pin_direct_url(const struct eb_pin *p);

#endif
