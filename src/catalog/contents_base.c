/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the name of a base image says:
 *
 *	openmpi4.1.0-cuda11.0.3-cudnn8-ubuntu18.04
 *	stable-ubuntu2204-cu126-py310-torch280
 *	nvidia/cuda:12.8.1-cudnn-devel-ubuntu22.04
 *	debian:12-slim
 */
#include <ctype.h>
#include <string.h>

#include "contents_base.h"

static void set(char **to, char *value)
{
	free(*to);
	*to = value;
}

/* "2204" and "22.04" are one. */
static char *dotted(const char *digits, size_t n, size_t major)
{
	if (memchr(digits, '.', n) || n <= major)
		return eb_strndup(digits, n);
	return eb_asprintf("%.*s.%.*s", (int)major, digits, (int)(n - major),
			   digits + major);
}

/* "280" is 2.8.0, "1131" 1.13.1, "22x" 2.2 */
static char *torch_version(const char *digits, size_t n)
{
	size_t minor = n > 2 ? n - 2 : 1;

	if (digits[n] == 'x')
		return eb_asprintf("%c.%.*s", *digits, (int)n - 1, digits + 1);
	if (n < 3)
		return NULL;
	return eb_asprintf("%c.%.*s.%c", *digits, (int)minor, digits + 1,
			   digits[n - 1]);
}

static void add_torch(struct eb_contents *out, const char *digits, size_t n)
{
	char *version = torch_version(digits, n);

	/* what is installed on top of it counts */
	if (version && !eb_contents_find(out, "torch")) {
		EB_GROW(out->item, out->n, out->alloc);
		out->item[out->n++] = (struct eb_content){
			.name = eb_strdup("torch"),
			.extras = eb_strdup(""),
			.op = eb_strdup("=="),
			.version = eb_steal(version),
			.local = eb_strdup(""),
			.line = eb_strdup("torch"),
			.of_base = true,
		};
	}
	free(version);
}

static void take_word(struct eb_contents *out, const char *word, size_t len)
{
	size_t letters = 0, n;
	const char *digits;

	while (letters < len && isalpha((unsigned char)word[letters]))
		letters++;
	digits = word + letters;
	n = strspn(digits, "0123456789.");
	if (!n)
		return;
	if (letters == 6 && !memcmp(word, "ubuntu", 6)) {
		eb_autofree char *version = dotted(digits, n, 2);

		set(&out->os, eb_asprintf("ubuntu%s", version));
	} else if (letters == 4 && !memcmp(word, "cuda", 4)) {
		set(&out->cuda, eb_version_head(digits, 2));
		out->cuda[strspn(out->cuda, "0123456789.")] = 0;
	} else if (letters == 2 && !memcmp(word, "cu", 2)) {
		set(&out->cuda, dotted(digits, n, n - 1));
	} else if (letters == 2 && !memcmp(word, "py", 2)) {
		set(&out->python, dotted(digits, n, 1));
	} else if (letters == 5 && !memcmp(word, "torch", 5)) {
		add_torch(out, digits, n);
	} else if (letters > 3 && !memcmp(word + letters - 3, "mpi", 3)) {
		set(&out->mpi, eb_asprintf("%.*s %.*s", (int)letters, word,
					   (int)n, digits));
	}
}

/* Images whose tag begins with their version. */
static void take_tag(struct eb_contents *out)
{
	const char *colon = strrchr(out->base, ':');
	size_t n;

	if (!colon || strchr(colon, '/'))
		return;
	n = strspn(colon + 1, "0123456789.");
	if (!n)
		return;
	if (strstr(out->base, "/cuda:")) {
		eb_autofree char *all = eb_strndup(colon + 1, n);

		set(&out->cuda, eb_version_head(all, 2));
	} else if (strstr(out->base, "/python:")) {
		set(&out->python, eb_strndup(colon + 1, n));
	} else if (strstr(out->base, "debian:") ||
		   strstr(out->base, "ubuntu:")) {
		set(&out->os,
		    eb_asprintf("%.6s%.*s", colon - 6, (int)n, colon + 1));
	}
}

/* inference-base-2204 and the like: Ubuntu's version alone. */
static void take_inference(struct eb_contents *out)
{
	const char *p = strstr(out->base, "inference-base-");
	const char *digits = p ? strpbrk(p, "0123456789") : NULL;

	if (digits && !out->os && strspn(digits, "0123456789") == 4)
		set(&out->os,
		    eb_asprintf("ubuntu%.2s.%.2s", digits, digits + 2));
}

void eb_contents_base(struct eb_contents *out)
{
	const char *p = out->base;

	while (*p) {
		size_t n = strcspn(p, "/:-");

		take_word(out, p, n);
		p += n;
		p += strspn(p, "/:-");
	}
	take_tag(out);
	take_inference(out);
}
