/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts: who answers for a name, and with which certificates. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registry_int.h"

static void host_free(struct eb_host *h)
{
	eb_host_tls_release(&h->files);
	free(h->name);
	free(h->api);
	free(h);
}
EB_AUTOPTR(struct eb_host, host_free)

void eb_hosts_free(struct eb_host *host)
{
	while (host) {
		struct eb_host *next = host->next;

		host_free(host);
		host = next;
	}
}

static const char *api_of(const char *name)
{
	if (strcasecmp(name, "docker.io") == 0 ||
	    strcasecmp(name, "index.docker.io") == 0)
		return "registry-1.docker.io";
	return name;
}

static int host_new(const char *name, bool insecure, struct eb_host **out,
		    struct eb_error *err)
{
	EB_CLEANUP(host_free_ptr)
	struct eb_host *h = eb_calloc(1, sizeof *h);
	int rc;

	h->name = eb_strdup(name);
	h->api = eb_strdup(api_of(name));
	h->insecure = insecure;
	h->loopback = eb_host_is_loopback(name);
	rc = eb_host_tls_find(name, &h->files, err);
	if (rc < 0)
		return -1;
	h->named = rc > 0;
	h->tls.ca = h->files.ca;
	h->tls.cert = h->files.cert;
	h->tls.key = h->files.key;
	h->tls.insecure = insecure;
	*out = eb_steal(h);
	return 0;
}

int eb_host_find(struct eb_registry *r, const char *name, bool insecure,
		 struct eb_host **out, struct eb_error *err)
{
	struct eb_host *h;

	for (h = r->host; h; h = h->next) {
		if (strcasecmp(h->name, name) == 0 && h->insecure == insecure)
			break;
	}
	if (!h) {
		if (host_new(name, insecure, &h, err) < 0)
			return -1;
		h->next = r->host;
		r->host = h;
	}
	*out = h;
	return 0;
}
