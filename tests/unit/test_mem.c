/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: copies, growing arrays, cleanup attributes, the end without any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/mem.h>

static void copies(void **state)
{
	eb_autofree char *a = eb_strdup("abc");
	eb_autofree char *b = eb_strndup("abcdef", 2);
	eb_autofree char *c = eb_memdup("x\0y", 3);
	eb_autofree char *d = eb_asprintf("%s-%d", a, 5);

	(void)state;
	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_memory_equal(c, "x\0y", 3);
	assert_string_equal(d, "abc-5");
	assert_null(eb_strdup(NULL));
}

static void nothing_is_something(void **state)
{
	eb_autofree void *a = eb_malloc(0);
	eb_autofree void *b = eb_calloc(0, 8);
	eb_autofree void *c = eb_realloc(NULL, 0, 8);
	eb_autofree void *d = eb_memdup(NULL, 0);

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	assert_non_null(d);
}

static void growing(void **state)
{
	eb_autofree int *v = NULL;
	size_t n = 0, alloc = 0;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		EB_GROW(v, n, alloc);
		v[n++] = i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	assert_true(alloc >= n);
}

static void descriptors(void **state)
{
	int number, kept;

	(void)state;
	{
		eb_autofd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		eb_autofd int other = open("/dev/null", O_RDONLY | O_CLOEXEC);

		number = fd;
		kept = eb_steal_fd(&other);
		assert_int_equal(other, -1);
	}
	assert_int_equal(fcntl(number, F_GETFD), -1);
	assert_true(fcntl(kept, F_GETFD) >= 0);
	close(kept);
}

static char *handed_out(void)
{
	eb_autofree char *p = eb_strdup("kept");

	return eb_steal(p);
}

static void stealing(void **state)
{
	eb_autofree char *p = handed_out();

	(void)state;
	assert_string_equal(p, "kept");
}

/* Exit status 7 and one sentence. */
static void out_of_memory(void **state)
{
	char text[100] = "";
	int end[2], status;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (pid == 0) {
		dup2(end[1], 2);
		eb_realloc(NULL, SIZE_MAX / 2, 4);
		_exit(0);
	}
	close(end[1]);
	n = read(end[0], text, sizeof text - 1);
	close(end[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_true(n > 0);
	assert_string_equal(text, "envbuild: out of memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies),
		cmocka_unit_test(nothing_is_something),
		cmocka_unit_test(growing),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(stealing),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
