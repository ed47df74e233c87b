/* SPDX-License-Identifier: Apache-2.0 */
/* Plain scalars: what PyYAML's safe loader makes of each, and Python's str()
 * of that; the table was printed by them (PyYAML 6, Python 3.11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/yaml.h>

enum kind { TEXT, NONE, BOOL, INT, FLOAT, TIMESTAMP };

static const struct {
	const char *text;
	enum kind kind;
	const char *python;
} table[] = {
	{ "true", BOOL, "True" },
	{ "True", BOOL, "True" },
	{ "TRUE", BOOL, "True" },
	{ "tRue", TEXT, "tRue" },
	{ "yes", BOOL, "True" },
	{ "Yes", BOOL, "True" },
	{ "no", BOOL, "False" },
	{ "No", BOOL, "False" },
	{ "on", BOOL, "True" },
	{ "On", BOOL, "True" },
	{ "ON", BOOL, "True" },
	{ "off", BOOL, "False" },
	{ "OFF", BOOL, "False" },
	{ "y", TEXT, "y" },
	{ "n", TEXT, "n" },
	{ "Y", TEXT, "Y" },
	{ "N", TEXT, "N" },
	{ "null", NONE, "None" },
	{ "Null", NONE, "None" },
	{ "NULL", NONE, "None" },
	{ "~", NONE, "None" },
	{ "nULL", TEXT, "nULL" },
	{ "None", TEXT, "None" },
	{ "0", INT, "0" },
	{ "-0", INT, "0" },
	{ "+0", INT, "0" },
	{ "00", INT, "0" },
	{ "1", INT, "1" },
	{ "-1", INT, "-1" },
	{ "+12", INT, "12" },
	{ "007", INT, "7" },
	{ "017", INT, "15" },
	{ "08", TEXT, "08" },
	{ "09", TEXT, "09" },
	{ "0o17", TEXT, "0o17" },
	{ "0b101", INT, "5" },
	{ "-0b11", INT, "-3" },
	{ "0b_1", INT, "1" },
	{ "0x1F", INT, "31" },
	{ "0xff", INT, "255" },
	{ "-0x_a", INT, "-10" },
	{ "1_000", INT, "1000" },
	{ "_1", TEXT, "_1" },
	{ "1__0_", INT, "10" },
	{ "1:30", INT, "90" },
	{ "01:30", TEXT, "01:30" },
	{ "1:60", TEXT, "1:60" },
	{ "-1:30:15", INT, "-5415" },
	{ "190:20:30", INT, "685230" },
	{ "1.10", FLOAT, "1.1" },
	{ "1.1", FLOAT, "1.1" },
	{ "3.10", FLOAT, "3.1" },
	{ "1.", FLOAT, "1.0" },
	{ ".5", FLOAT, "0.5" },
	{ "-.5", TEXT, "-.5" },
	{ "+.5", TEXT, "+.5" },
	{ "1.5e3", TEXT, "1.5e3" },
	{ "1.5e+3", FLOAT, "1500.0" },
	{ "1.5E-7", FLOAT, "1.5e-07" },
	{ "1e3", TEXT, "1e3" },
	{ "1e+3", TEXT, "1e+3" },
	{ "1e5", TEXT, "1e5" },
	{ "1.0e+16", FLOAT, "1e+16" },
	{ "1.0e+15", FLOAT, "1000000000000000.0" },
	{ "12345678901234567.0", FLOAT, "1.2345678901234568e+16" },
	{ "0.0001", FLOAT, "0.0001" },
	{ "0.00001", FLOAT, "1e-05" },
	{ "0.1", FLOAT, "0.1" },
	{ "100.0", FLOAT, "100.0" },
	{ "-1.25", FLOAT, "-1.25" },
	{ "+1.25", FLOAT, "1.25" },
	{ "1_0.2_5", FLOAT, "10.25" },
	{ ".inf", FLOAT, "inf" },
	{ "-.INF", FLOAT, "-inf" },
	{ "+.Inf", FLOAT, "inf" },
	{ ".nan", FLOAT, "nan" },
	{ ".NaN", FLOAT, "nan" },
	{ "-.nan", TEXT, "-.nan" },
	{ "1:30.5", FLOAT, "90.5" },
	{ "-190:20:30.15", FLOAT, "-685230.15" },
	{ "123456789012345678901234567890", INT,
	  "123456789012345678901234567890" },
	{ "-0xffffffffffffffffffff", INT, "-1208925819614629174706175" },
	{ "0777777777777777777777777777", INT, "2417851639229258349412351" },
	{ "2020-01-01", TIMESTAMP, "2020-01-01" },
	{ "2020-1-1", TEXT, "2020-1-1" },
	{ "2001-12-14T21:59:43Z", TIMESTAMP, "2001-12-14T21:59:43Z" },
	{ "2001-12-14t21:59:43.10-05:00", TIMESTAMP,
	  "2001-12-14t21:59:43.10-05:00" },
	{ "12-14", TEXT, "12-14" },
	{ "1.2.3", TEXT, "1.2.3" },
	{ "1.0.0", TEXT, "1.0.0" },
	{ "3.8.*", TEXT, "3.8.*" },
	{ "v1", TEXT, "v1" },
	{ "python=3.8", TEXT, "python=3.8" },
	{ "+", TEXT, "+" },
	{ ".", TEXT, "." },
	{ "--", TEXT, "--" },
	{ "...", TEXT, "..." },
	{ "1,000", TEXT, "1,000" },
	{ "0.30000000000000004", FLOAT, "0.30000000000000004" },
	{ "5e-324", TEXT, "5e-324" },
	{ "2.2250738585072014e-308", FLOAT, "2.2250738585072014e-308" },
	{ "1.7976931348623157e+308", FLOAT, "1.7976931348623157e+308" },
	{ "4.9e-324", FLOAT, "5e-324" },
	{ "123456.789e+3", FLOAT, "123456789.0" },
	{ "9007199254740993", INT, "9007199254740993" },
	{ "1.0E+400", FLOAT, "inf" },
	{ "0.", FLOAT, "0.0" },
	{ "0.0", FLOAT, "0.0" },
	{ "-0.0", FLOAT, "-0.0" },
	{ "1:2:3.4", FLOAT, "3723.4" },
	{ "=", TEXT, "=" },
	{ "<<", TEXT, "<<" },
	{ "0x", TEXT, "0x" },
	{ "0b", TEXT, "0b" },
	{ "0_", INT, "0" },
	{ "1_.", FLOAT, "1.0" },
	{ "._5", TEXT, "._5" },
	{ "1e-5", TEXT, "1e-5" },
	{ "6.02e+23", FLOAT, "6.02e+23" },
	{ "1000000000000000.5", FLOAT, "1000000000000000.5" },
	{ "9999999999999998.0", FLOAT, "9999999999999998.0" },
	{ "10000000000000000.0", FLOAT, "1e+16" },
	{ "", NONE, "None" },
};

static void check(const char *text, enum kind kind, const char *python)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	eb_autofree char *line = eb_asprintf("- %s\n", text);
	const struct eb_yaml_node *n;
	eb_autofree char *shown = NULL;

	if (eb_yaml_parse(line, strlen(line), "f", &doc, &err) < 0)
		fail_msg("%s", err.message);
	n = doc->root->item[0];
	shown = eb_yaml_python_str(n);
	if (strcmp(shown, python) != 0)
		fail_msg("%s: %s, not %s", text, shown, python);
	assert_int_equal(eb_yaml_is_null(n), kind == NONE);
	if (eb_yaml_is_nonstring(n) != (kind != TEXT && kind != NONE))
		fail_msg("%s: kind %d", text, kind);
}

static void plain(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		check(table[i].text, table[i].kind, table[i].python);
}

/* In quotes, and with a tag that says so, everything is a text. */
static void quoted(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		eb_autofree char *q = eb_asprintf("'%s'", table[i].text);
		eb_autofree char *t = eb_asprintf("!!str %s", table[i].text);

		check(q, TEXT, table[i].text);
		check(t, TEXT, table[i].text);
	}
}

static void tagged(void **state)
{
	(void)state;
	check("!!int '017'", INT, "15");
	check("!!bool 'yes'", BOOL, "True");
	check("!!null ''", NONE, "None");
	check("!!float '1.50'", FLOAT, "1.5");
}

/* A number without end is a text, and no work. */
static void long_number(void **state)
{
	char digits[1002];

	(void)state;
	memset(digits, '7', 1001);
	digits[1001] = '\0';
	check(digits, TEXT, digits);
	digits[1000] = '\0';
	check(digits, INT, digits);
}

/* No number after all: Python gives up on it, we leave it as it stands. */
static void no_digits(void **state)
{
	(void)state;
	check("0x_", INT, "0x_");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),     cmocka_unit_test(quoted),
		cmocka_unit_test(tagged),    cmocka_unit_test(long_number),
		cmocka_unit_test(no_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
