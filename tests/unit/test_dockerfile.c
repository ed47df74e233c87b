/* SPDX-License-Identifier: Apache-2.0 */
/* What a Dockerfile is made of: the images that it names, and where. */
#include "store_fixture.h"

#include <envbuild/dockerfile.h>
#include <envbuild/str.h>

#define PLATFORM "linux/amd64"

static int parse(const char *text, const char *arg, struct eb_dockerfile *out,
		 struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv args = { 0 };

	if (arg)
		eb_strv_split(&args, arg, ";");
	return eb_dockerfile_parse(text, strlen(text), "Dockerfile", &args,
				   PLATFORM, out, err);
}

/* The references in their order, joined by blanks; "?": not to be told. */
static void images_with(const char *text, const char *arg, const char *joined,
			bool copies)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_dockerfile d;
	EB_AUTOBUF(found, 1000);

	if (parse(text, arg, &d, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	for (size_t i = 0; i < d.n; i++) {
		const struct eb_dockerfile_from *f = &d.from[i];

		eb_buf_addf(&found, "%s%s", i ? " " : "",
			    f->reference ? f->reference : "?");
		/* with a line's end in it, it is longer there */
		assert_int_equal(
			strncmp(d.text + f->at, f->word,
				f->len == strlen(f->word) ? f->len : 1),
			0);
	}
	eb_buf_adds(&found, "");
	assert_string_equal(found.data, joined);
	if (d.copies != copies)
		fail_msg("copies: %s", text);
	eb_dockerfile_release(&d);
}

static void images(const char *text, const char *joined)
{
	images_with(text, NULL, joined, false);
}

static void froms(void **state)
{
	(void)state;
	images("FROM debian:12\n", "debian:12");
	images("from debian:12 as x\nFROM x\n", "debian:12");
	images("FROM a AS One\nFROM b\nFROM one\n", "a b");
	images("FROM scratch\nFROM a@sha256:0\n", "a@sha256:0");
	images("# c\n\n  FROM --platform=linux/amd64   a\r\nRUN x\r\n", "a");
	images("FROM --platform=$BUILDPLATFORM a\n", "a");
	images("FROM \\\n # c\n\n a:1 \\\n AS b\nFROM b", "a:1");
	images("FROM deb\\\nian:12\n", "debian:12");
	images("# escape=`\nFROM a`\n:1\nRUN \\\n", "a:1");
	images("FROM \"a:1\"\n", "a:1");
	images("FROM a\nRUN <<EOF\nFROM b\nEOF\nFROM c\n", "a c");
	images("FROM a\nRUN <<-'E' cat && <<E2\nFROM b\nE\nFROM x\nE2\n", "a");
	images("FROM a\nRUN echo 1<<2 \nFROM c\n", "a c");
	images("FROM a\nRUN echo \\\n# FROM b\n  FROM x\n", "a");
}

static void arguments(void **state)
{
	(void)state;
	images("ARG T=12\nFROM debian:$T\n", "debian:12");
	images("ARG T=12 S=-slim\nFROM debian:${T}${S}\n", "debian:12-slim");
	images("ARG A=x\nARG B=$A/y\nFROM $B\n", "x/y");
	images("FROM ${X:-debian:12}\n", "debian:12");
	images("ARG X=1\nFROM a${X:+:one}\n", "a:one");
	images("FROM a:$TARGETARCH\n", "a:amd64");
	images("ARG A=1\nFROM a\nARG A=2\nFROM b:$A\n", "a b:1");
	images("FROM ${A#x}\n", "?");
	images("ARG A=${B%x}\nFROM a:$A\n", "?");
	images("ARG A=${B%x}\nARG A=2\nFROM '$A'\n", "$A");
	images_with("ARG T=12\nFROM debian:$T\n", "T=13", "debian:13", false);
	images_with("ARG T\nFROM debian:$T\n", "T=13", "debian:13", false);
}

static void sources(void **state)
{
	(void)state;
	images("FROM a AS x\nFROM b\nCOPY --from=x /p /q\n", "a b");
	images("FROM a\nFROM b\nCOPY --from=0 /p /q\n", "a b");
	images("FROM a\nCOPY --from=tool:1 /p /q\n", "a tool:1");
	images("FROM a\nCOPY --chown=1 --from=$T /p /q\n", "a ?");
	images("FROM a\nRUN --mount=type=bind,from=t:1,target=/t x\n", "a t:1");
	images("FROM a\nRUN --mount=type=cache,target=/c x\n", "a");
	images("FROM a\nADD https://files.example/x /x\n", "a");
	images("FROM a\nONBUILD COPY x /x\n", "a");
	images_with("FROM a\nCOPY x /x\n", NULL, "a", true);
	images_with("FROM a\nCOPY [\"x\", \"/x\"]\n", NULL, "a", true);
	images_with("FROM a\nADD --chown=1 x.tar /x\n", NULL, "a", true);
	images_with("FROM a\nRUN --mount=target=/src x\n", NULL, "a", true);
	images_with("FROM a\nCOPY <<E /x\nFROM b\nE\n", NULL, "a", false);
}

static void refuse(const char *text, const char *words, unsigned line)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_dockerfile d;

	if (parse(text, NULL, &d, &err) == 0)
		fail_msg("%s", text);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, words))
		fail_msg("%s", err.message);
	assert_int_equal(err.line, line);
}

static void refused(void **state)
{
	(void)state;
	refuse("", "no FROM", 0);
	refuse("# nothing\n", "no FROM", 0);
	refuse("RUN x\nFROM a\n", "before the first FROM", 1);
	refuse("ARG T\nFROM a:$T\n", "\"T\" has no value", 2);
	refuse("FROM\n", "no image", 1);
	refuse("ARG A=\nFROM $A\n", "no image", 2);
	refuse("FROM --platform=linux/arm64 a\n", "another platform", 1);
	refuse("\nFROM --platform=windows/amd64 a\n", "Linux", 2);
}

static void hostile(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_dockerfile d;

	(void)state;
	assert_int_equal(eb_dockerfile_parse("FROM a\0b", 8, "D", NULL,
					     PLATFORM, &d, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	images("FROM ${A:-${B:-${C:-x}}}\n", "?");
	images("FROM $\n", "?");
	images("FROM ${\n", "?");
	images("FROM \"a\n", "?");
	images("FROM a\nCOPY --from= /p /q\nRUN --mount=from= x\n", "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(froms),   cmocka_unit_test(arguments),
		cmocka_unit_test(sources), cmocka_unit_test(refused),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
