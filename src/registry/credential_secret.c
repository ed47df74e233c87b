/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are secret: read, decoded, kept out of messages, zeroed. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/mem.h>

#include "credential_int.h"

void eb_secret_free(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}

void eb_secret_buf_init(struct eb_buf *b, size_t max)
{
	eb_buf_init(b, max);
	eb_buf_reserve(b, max);
}

void eb_credential_release(struct eb_credential *c)
{
	eb_secret_free(c->user);
	eb_secret_free(c->password);
	eb_secret_free(c->identity_token);
	eb_secret_free(c->registry_token);
	free(c->from);
	*c = (struct eb_credential){ 0 };
}

void eb_credential_copy(struct eb_credential *to,
			const struct eb_credential *from)
{
	*to = (struct eb_credential){
		.user = eb_strdup(from->user),
		.password = eb_strdup(from->password),
		.identity_token = eb_strdup(from->identity_token),
		.registry_token = eb_strdup(from->registry_token),
		.from = eb_strdup(from->from),
	};
}

static int read_whole(int fd, const char *path, size_t max, struct eb_buf *out,
		      struct eb_error *err)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, out->data + n, max + 1 - n);
		if (got > 0)
			n += (size_t)got;
	} while (n <= max && (got > 0 || (got < 0 && errno == EINTR)));
	if (got < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	if (n > max)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading: more than %zu bytes", path,
				  max);
	out->len = n;
	out->data[n] = '\0';
	return 1;
}

int eb_secret_read(const char *path, size_t max, struct eb_buf *out,
		   struct eb_error *err)
{
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int why = errno;
	struct stat st;

	eb_buf_init(out, 0);
	if (fd < 0 && eb_is_out_of_reach(path))
		return 0;
	if (fd < 0)
		return eb_err_errno(err, EB_OK, why, "\"%s\", reading", path);
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < max)
		max = (size_t)st.st_size + 4096;
	eb_secret_buf_init(out, max + 1);
	return read_whole(fd, path, max, out, err);
}

json_t *eb_secret_json(const char *text, size_t len, const char *name,
		       struct eb_error *err)
{
	json_error_t e;
	json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);

	if (j && json_is_object(j))
		return j;
	eb_err_set(err, EB_INPUT, "\"%s\", reading: not %s", name,
		   j ? "a JSON object" : "JSON");
	if (!j && e.line > 0)
		eb_err_at(err, name, (unsigned)e.line,
			  e.column > 0 ? (unsigned)e.column : 0);
	else
		eb_err_at(err, name, 0, 0);
	eb_secret_json_free(j);
	return NULL;
}

/* jansson's reader keeps pieces of what it reads. From before main() on, what
 * it frees is zeroed; who gives it other functions later replaces these. */
static void free_zeroed(void *p)
{
	if (p)
		explicit_bzero(p, malloc_usable_size(p));
	free(p);
}

__attribute__((constructor)) static void zero_what_jansson_frees(void)
{
	json_set_alloc_funcs(malloc, free_zeroed);
}

/* jansson stops at a depth of 2048, so this recursion has an end. */
static void wipe(json_t *j)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_string(j))
		explicit_bzero((char *)(uintptr_t)json_string_value(j),
			       json_string_length(j));
	json_array_foreach (j, i, value)
		wipe(value);
	json_object_foreach (j, key, value)
		wipe(value);
}

void eb_secret_json_free(json_t *j)
{
	if (!j)
		return;
	wipe(j);
	json_decref(j);
}

char *eb_base64(const void *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				    "opqrstuvwxyz0123456789+/";
	char *out = eb_malloc((n + 2) / 3 * 4 + 1), *to = out;
	const unsigned char *s = p;
	size_t i;

	for (i = 0; i < n; i += 3) {
		unsigned v = (unsigned)s[i] << 16;

		v |= i + 1 < n ? (unsigned)s[i + 1] << 8 : 0;
		v |= i + 2 < n ? s[i + 2] : 0;
		*to++ = digit[v >> 18];
		*to++ = digit[v >> 12 & 63];
		*to++ = i + 1 < n ? digit[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digit[v & 63] : '=';
	}
	*to = '\0';
	return out;
}

char *eb_secret_join(const char *a, const char *b, const char *c)
{
	size_t x = strlen(a), y = strlen(b), z = strlen(c);
	char *out = eb_malloc(x + y + z + 1);

	memcpy(out, a, x);
	memcpy(out + x, b, y);
	memcpy(out + x + y, c, z + 1);
	return out;
}

char *eb_basic_value(const char *user, const char *password)
{
	eb_autosecret char *plain = eb_secret_join(user, ":", password);
	eb_autosecret char *code = eb_base64(plain, strlen(plain));

	return eb_secret_join("Basic ", code, "");
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

char *eb_base64_decode(const char *text, size_t len, size_t *n)
{
	eb_autosecret char *out = NULL;
	unsigned bits = 0, have = 0;
	size_t i, size = 0;

	while (len && text[len - 1] == '=')
		len--;
	if (len % 4 == 1)
		return NULL;
	out = eb_malloc(len / 4 * 3 + 4);
	for (i = 0; i < len; i++) {
		int v = base64_value(text[i]);

		out[size] = '\0'; /* what is freed is a text */
		if (v < 0)
			return NULL;
		bits = bits << 6 | (unsigned)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[size++] = (char)(bits >> have & 0xff);
		}
	}
	out[size] = '\0';
	*n = size;
	return eb_steal(out);
}

/* The length of a run that could be a token or a password made by a machine:
 * 20 letters and digits or more, of both kinds. 0: it is none. */
static size_t suspicious(const char *p, size_t *run)
{
	bool letter = false, digit = false;
	size_t n = 0;

	for (; isalnum((unsigned char)p[n]) || (p[n] && strchr("+=_-", p[n]));
	     n++) {
		letter |= isalpha((unsigned char)p[n]) != 0;
		digit |= isdigit((unsigned char)p[n]) != 0;
	}
	*run = n;
	return n >= 20 && letter && digit ? n : 0;
}

static size_t known(const char *p, const char *const *secrets)
{
	for (; secrets && *secrets; secrets++)
		if (strlen(*secrets) >= 4 && eb_starts(p, *secrets))
			return strlen(*secrets);
	return 0;
}

/* Known ones first: they may stand in the midst of a word. */
static char *without_known(const char *text, const char *const *secrets)
{
	EB_AUTOBUF(out, (size_t)64 << 10);

	while (*text && !out.overflow) {
		size_t n = known(text, secrets);

		if (n) {
			eb_buf_adds(&out, "[...]");
			text += n;
		} else {
			eb_buf_addch(&out, *text++);
		}
	}
	return eb_buf_steal(&out, NULL);
}

static void cut(char *line, size_t max)
{
	size_t n = strcspn(line, "\r\n");

	if (n > max)
		for (n = max; n && ((unsigned char)line[n] & 0xc0) == 0x80;)
			n--;
	if (line[n])
		line[n] = '\0';
}

char *eb_secret_redact(const char *text, const char *const *secrets)
{
	eb_autosecret char *clean = without_known(text, secrets);
	eb_autosecret char *bare = eb_url_redact(clean);
	EB_AUTOBUF(out, (size_t)128 << 10);
	const char *p = bare + strspn(bare, " \t\r\n");
	eb_autofree char *shown = NULL;
	size_t run;

	while (*p) {
		size_t n = suspicious(p, &run);

		if (n)
			eb_buf_adds(&out, "[...]");
		else
			eb_buf_add(&out, p, run ? run : 1);
		p += run ? run : 1;
	}
	cut(out.data, 200);
	shown = eb_printable(out.data);
	return eb_steal(shown);
}
