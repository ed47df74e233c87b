/* SPDX-License-Identifier: Apache-2.0 */
/* What a confined process sees of the machine. */
#include <stddef.h>

#include "confine_state.h"

const char *const eb_system_paths[] = {
	"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", NULL
};

const char *const eb_program_paths[] = { "/usr",   "/bin",   "/sbin",	"/lib",
					 "/lib32", "/lib64", "/libx32", NULL };

/* Certificates, never the keys that lie beside them. */
const char *const eb_network_paths[] = {
	"/etc/alternatives",	    "/etc/ca-certificates",
	"/etc/crypto-policies",	    "/etc/gai.conf",
	"/etc/host.conf",	    "/etc/hosts",
	"/etc/ld.so.cache",	    "/etc/localtime",
	"/etc/nsswitch.conf",	    "/etc/pki/ca-trust",
	"/etc/pki/tls/cert.pem",    "/etc/pki/tls/certs",
	"/etc/pki/tls/openssl.cnf", "/etc/protocols",
	"/etc/resolv.conf",	    "/etc/services",
	"/etc/ssl/ca-bundle.pem",   "/etc/ssl/cert.pem",
	"/etc/ssl/certs",	    "/etc/ssl/openssl.cnf",
	"/var/lib/ca-certificates", NULL,
};
