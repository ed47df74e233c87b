/* SPDX-License-Identifier: Apache-2.0 */
/* What names, versions and labels may look like. */
#include <string.h>

#include <envbuild/catalog.h>

#include "named_rules.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAME_BYTES LETTERS "0123456789-_."

static bool is_word(const char *s)
{
	size_t n = strlen(s);

	return n && strspn(s, NAME_BYTES) == n && !strchr("-_.", *s);
}

const char *eb_name_rule(const char *name)
{
	if (!is_word(name))
		return "a name has letters, digits, \"-\", \"_\" and \".\", "
		       "and begins with a letter or digit";
	if (strlen(name) > EB_NAME_LENGTH)
		return "a name has at most 255 characters";
	return NULL;
}

const char *eb_label_rule(const char *label)
{
	if (!is_word(label))
		return "a label has letters, digits, \"-\", \"_\" and \".\", "
		       "and begins with a letter or digit";
	if (strlen(label) > EB_NAME_LENGTH)
		return "a label has at most 255 characters";
	return NULL;
}

const char *eb_version_rule(const char *version)
{
	size_t n = strlen(version);

	if (!n || n > EB_NAME_LENGTH)
		return "a version has 1 to 255 bytes";
	if (strchr(version, '/') || *version == ' ' || version[n - 1] == ' ')
		return "a version has no \"/\", and no space at its ends";
	if (!eb_utf8_valid(version, n))
		return "a version is UTF-8";
	for (; *version; version++)
		if ((unsigned char)*version < 0x20 || *version == 0x7f)
			return "a version has no control characters";
	return NULL;
}

const char *eb_name_reserved(const char *name)
{
	static const char *const prefix[] = { "AzureML", "Microsoft",
					      "envbuild-" };

	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
		if (eb_starts(name, prefix[i]))
			return prefix[i];
	return NULL;
}

static int breaks(const char *what, const char *text, const char *rule,
		  struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(text);

	if (strlen(shown) > 80)
		strcpy(shown + 77, "...");
	eb_err_set(err, EB_USAGE, "\"%s\" cannot be a %s", shown, what);
	return eb_err_hint(err, "%s", rule);
}

int eb_env_name_check(const char *name, struct eb_error *err)
{
	const char *rule = eb_name_rule(name);
	const char *prefix = rule ? NULL : eb_name_reserved(name);

	if (rule)
		return breaks("name", name, rule, err);
	if (!prefix)
		return 0;
	eb_err_set(
		err, EB_USAGE,
		"\"%s\" cannot be a name of your own: \"%s\" is reserved for "
		"curated environments",
		name, prefix);
	return eb_err_hint(err, "choose a name that does not begin so");
}

int eb_env_version_check(const char *version, struct eb_error *err)
{
	const char *rule = eb_version_rule(version);

	return rule ? breaks("version", version, rule, err) : 0;
}

int eb_env_label_check(const char *label, struct eb_error *err)
{
	const char *rule = eb_label_rule(label);

	if (!rule && !strcmp(label, "latest"))
		rule = "\"latest\" is always the version that was registered "
		       "last";
	return rule ? breaks("label", label, rule, err) : 0;
}
