/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities of a container: Docker's default set, where we have them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/file.h>

#include "sandbox_config.h"

#define MKNOD 27
/* SETGID, SETUID, SETPCAP, SETFCAP: to become another user */
#define OTHERS (1ULL << 6 | 1ULL << 7 | 1ULL << 8 | 1ULL << 31)

static const struct {
	unsigned number;
	const char *name;
} wanted[] = {
	{ 0, "CAP_CHOWN" },
	{ 1, "CAP_DAC_OVERRIDE" },
	{ 3, "CAP_FOWNER" },
	{ 4, "CAP_FSETID" },
	{ 5, "CAP_KILL" },
	{ 6, "CAP_SETGID" },
	{ 7, "CAP_SETUID" },
	{ 8, "CAP_SETPCAP" },
	{ 10, "CAP_NET_BIND_SERVICE" },
	{ 13, "CAP_NET_RAW" },
	{ 18, "CAP_SYS_CHROOT" },
	{ MKNOD, "CAP_MKNOD" },
	{ 29, "CAP_AUDIT_WRITE" },
	{ 31, "CAP_SETFCAP" },
};

/* The permitted set; everything when it cannot be read. */
static unsigned long long permitted(void)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *line;
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	if (eb_read_file("/proc/self/status", EB_MAX_CONFIG, &text, &err) < 0)
		return ~0ULL;
	line = strstr(text.data, "\nCapPrm:");
	return line ? strtoull(line + strlen("\nCapPrm:"), NULL, 16) : ~0ULL;
}

json_t *eb_sandbox_capabilities(const struct eb_form *f, bool none)
{
	static const char *const set[] = { "bounding", "effective",
					   "permitted" };
	bool fresh = f->flags & (EB_FORM_USER_NS | EB_FORM_OWN_USER_NS);
	bool devices = fresh || eb_form_guards_devices(f);
	unsigned long long have = fresh ? ~0ULL : permitted();
	json_t *all = json_object(), *names = json_array();
	size_t i;

	if (f->flags & EB_FORM_COUNTED) /* who would not be counted */
		have &= ~OTHERS;
	if (!devices)
		have &= ~(1ULL << MKNOD);
	for (i = 0; !none && i < sizeof wanted / sizeof *wanted; i++)
		if (have >> wanted[i].number & 1)
			json_array_append_new(names,
					      json_string(wanted[i].name));
	for (i = 0; i < sizeof set / sizeof *set; i++)
		json_object_set(all, set[i], names);
	json_decref(names);
	return all;
}
