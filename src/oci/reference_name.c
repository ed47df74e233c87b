/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of registry references (distribution-spec, "Pulling
 * manifests"), with Docker's defaults for names without a host. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "reference_name.h"

#define NAME_MAX_LEN 255

static bool is_small(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_word(char c)
{
	return is_small(c) || (c >= 'A' && c <= 'Z') || c == '_';
}

bool eb_reference_is_tag(const char *s, size_t n)
{
	size_t i;

	if (n < 1 || n > 128 || !is_word(*s))
		return false;
	for (i = 1; i < n; i++) {
		if (!is_word(s[i]) && s[i] != '.' && s[i] != '-')
			return false;
	}
	return true;
}

/* "." or "_" or "__" or any number of "-": its length, 0 when none. */
static size_t separator(const char *s)
{
	if (*s == '.')
		return 1;
	if (*s == '_')
		return s[1] == '_' ? 2 : 1;
	return strspn(s, "-");
}

/* Words of small letters and digits with single separators between them,
 * components parted by slashes. */
static bool is_repository(const char *s)
{
	for (;;) {
		if (!is_small(*s))
			return false;
		while (is_small(*s))
			s++;
		if (!*s)
			return true;
		if (*s == '/')
			s++;
		else
			s += separator(s);
	}
}

/* Labels of letters, digits and inner hyphens, parted by dots. */
static bool is_host_name(const char *s, size_t n)
{
	size_t i, label = 0;

	for (i = 0; i <= n; i++) {
		if (i == n || s[i] == '.') {
			if (label == 0 || s[i - 1] == '-')
				return false;
			label = 0;
		} else if (isalnum((unsigned char)s[i]) ||
			   (s[i] == '-' && label)) {
			label++;
		} else {
			return false;
		}
	}
	return true;
}

static bool is_port(const char *s)
{
	uint64_t port;

	return strlen(s) <= 5 && eb_parse_u64(s, 65535, &port) == 0 && port;
}

static bool is_host(const char *s)
{
	const char *end = strchr(s, ':');

	if (*s == '[') {
		end = strchr(s, ']');
		if (!end || end - s < 3 ||
		    strspn(s + 1, "0123456789abcdefABCDEF:") !=
			    (size_t)(end - s - 1))
			return false;
		end++;
		return !*end || (*end == ':' && is_port(end + 1));
	}
	if (end && !is_port(end + 1))
		return false;
	return is_host_name(s, end ? (size_t)(end - s) : strlen(s));
}

/* Docker's rule for what stands before the first slash. */
static bool looks_like_host(const char *s)
{
	return strpbrk(s, ".:[") || strcmp(s, "localhost") == 0;
}

static int take_digest(const char *text, char *name, struct eb_reference *out,
		       struct eb_error *err)
{
	char *at = strchr(name, '@');

	if (!at)
		return 0;
	*at++ = '\0';
	if (!eb_starts(at, "sha256:") || eb_digest_parse(at, &out->digest) < 0)
		return eb_reference_bad(text,
					"a digest is \"sha256:\" and 64 "
					"lower-case hexadecimal digits",
					err);
	out->has_digest = true;
	return 0;
}

static int take_tag(const char *text, char *name, struct eb_reference *out,
		    struct eb_error *err)
{
	char *slash = strrchr(name, '/');
	char *colon = strrchr(slash ? slash : name, ':');

	if (!colon)
		return 0;
	*colon++ = '\0';
	if (!eb_reference_is_tag(colon, strlen(colon)))
		return eb_reference_bad(text,
					"a tag is 1 to 128 letters, digits, "
					"\"_\", \".\" and \"-\", and begins "
					"with none of the last two",
					err);
	out->tag = eb_strdup(colon);
	return 0;
}

static void take_host(const char *name, struct eb_reference *out)
{
	const char *slash = strchr(name, '/');
	eb_autofree char *first =
		slash ? eb_strndup(name, (size_t)(slash - name)) : NULL;

	if (!first || !looks_like_host(first)) {
		out->registry = eb_strdup("docker.io");
		out->repository = eb_strdup(name);
	} else {
		out->registry = eb_strdup(
			strcmp(first, "index.docker.io") ? first : "docker.io");
		out->repository = eb_strdup(slash + 1);
	}
	if (strcmp(out->registry, "docker.io") == 0 &&
	    !strchr(out->repository, '/')) {
		eb_autofree char *bare = out->repository;

		out->repository = eb_asprintf("library/%s", bare);
	}
}

static int check_name(const char *text, const struct eb_reference *r,
		      struct eb_error *err)
{
	struct eb_digest digest;
	const char *bare = r->repository;
	bool docker = strcmp(r->registry, "docker.io") == 0;

	if (!is_host(r->registry))
		return eb_reference_bad(text, "its host is not one", err);
	if (docker && eb_starts(bare, "library/"))
		bare += strlen("library/");
	if (!is_repository(bare))
		return eb_reference_bad(
			text,
			"a repository is small letters and digits, with "
			"\".\", \"_\", \"-\" and \"/\" between them",
			err);
	if (strlen(r->registry) + 1 + strlen(r->repository) > NAME_MAX_LEN)
		return eb_reference_bad(text, "its name is longer than 255",
					err);
	if (docker && eb_digest_parse(bare, &digest) == 0)
		return eb_reference_bad(
			text, "64 hexadecimal digits are no name", err);
	return 0;
}

int eb_reference_parse_name(const char *text, const char *name,
			    struct eb_reference *out, struct eb_error *err)
{
	eb_autofree char *rest = eb_strdup(name);

	out->kind = EB_REF_REGISTRY;
	if (take_digest(text, rest, out, err) < 0 ||
	    take_tag(text, rest, out, err) < 0)
		return -1;
	if (!*rest)
		return eb_reference_bad(text, "it has no name", err);
	take_host(rest, out);
	return check_name(text, out, err);
}
