/* SPDX-License-Identifier: Apache-2.0 */
/* certs.d: what a host wants of TLS. (containers-certs.d(5)) */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "credential_int.h"

#define MAX_CERT_FILES 256

static int add_ca(const char *path, struct eb_buf *ca, struct eb_error *err)
{
	if (eb_read_file(path, EB_MAX_CONFIG, ca, err) < 0)
		return -1;
	if (ca->len && ca->data[ca->len - 1] != '\n')
		eb_buf_addch(ca, '\n');
	if (!ca->overflow)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading: the folder's certificates are more "
			  "than %zu bytes together",
			  path, ca->max);
}

/* x.cert goes with x.key; the first pair is taken, half of one is an error. */
static int add_client(const char *dir, const struct eb_strv *names,
		      const char *name, struct eb_host_tls *out,
		      struct eb_error *err)
{
	bool cert = eb_ends(name, ".cert");
	int stem = (int)strlen(name) - (cert ? 5 : 4);
	eb_autofree char *other =
		eb_asprintf("%.*s%s", stem, name, cert ? ".key" : ".cert");

	if (!eb_strv_has(names, other))
		return eb_err_set(err, EB_INPUT,
				  "\"%s/%s\", reading: \"%s\" is not beside it",
				  dir, name, other);
	if (cert && !out->cert) {
		out->cert = eb_asprintf("%s/%s", dir, name);
		out->key = eb_asprintf("%s/%s", dir, other);
	}
	return 0;
}

static int read_dir(const char *dir, struct eb_host_tls *out,
		    struct eb_error *err)
{
	static const char *const endings[] = { ".crt", ".cert", ".key", NULL };
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(ca, (size_t)4 << 20);
	int there = eb_config_folder(dir, endings, MAX_CERT_FILES, &names, err);
	int status = 0;

	for (size_t i = 0; !status && i < names.n && there > 0; i++) {
		eb_autofree char *path = eb_path_join(dir, names.v[i]);

		if (eb_ends(path, ".crt"))
			status = add_ca(path, &ca, err);
		else
			status = add_client(dir, &names, names.v[i], out, err);
	}
	if (status < 0)
		return -1;
	if (ca.len)
		out->ca = eb_buf_steal(&ca, NULL);
	return there;
}

int eb_host_tls_find(const char *host, struct eb_host_tls *out,
		     struct eb_error *err)
{
	eb_autofree char *own = eb_user_config_path("containers/certs.d");
	const char *dirs[] = { own, "/etc/containers/certs.d",
			       "/etc/docker/certs.d" };
	int found = 0;

	*out = (struct eb_host_tls){ 0 };
	if (strchr(host, '/') || host[0] == '.' || !*host)
		return 0;
	for (unsigned i = 0; !found && i < 3; i++) {
		eb_autofree char *dir =
			dirs[i] ? eb_path_join(dirs[i], host) : NULL;

		found = dir ? read_dir(dir, out, err) : 0;
	}
	if (found < 0)
		eb_host_tls_release(out);
	return found;
}

void eb_host_tls_release(struct eb_host_tls *t)
{
	free(t->ca);
	free(t->cert);
	free(t->key);
	*t = (struct eb_host_tls){ 0 };
}
