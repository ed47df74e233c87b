/* SPDX-License-Identifier: Apache-2.0 */
/* What names and tags of environments claim, against what is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/catalog.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTONAMED(name) \
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *name = NULL
#define AUTOSTRV(name) EB_CLEANUP(eb_strv_release) struct eb_strv name = { 0 }

static void check(const char *name, struct eb_strv *out)
{
	AUTONAMED(e);
	AUTOERR(err);

	if (eb_curated_get(name, &e, &err) != 1)
		fail_msg("%s: %s", name, err.message ? err.message : "none");
	eb_claims_check(e, out);
}

static void finds(const char *name, const char *finding)
{
	AUTOSTRV(all);

	check(name, &all);
	for (size_t i = 0; i < all.n; i++)
		if (strstr(all.v[i], finding))
			return;
	for (size_t i = 0; i < all.n; i++)
		print_message("%s: %s\n", name, all.v[i]);
	fail_msg("%s: not found: %s", name, finding);
}

/* The defects that are known of Microsoft's own definitions. */
static void test_known(void **state)
{
	(void)state;
	finds("AzureML-PyTorch-1.5-CPU", "torchvision 0.5.0");
	finds("AzureML-PyTorch-1.5-GPU", "1.5.0 has 0.6");
	finds("AzureML-PyTorch-1.6-CPU", "torchvision 0.5.0");
	finds("AzureML-PyTorch-1.6-GPU", "1.6.0 has 0.7");
	finds("AzureML-TensorFlow-2.1-GPU", "needs CUDA 10.1, and its base has "
					    "10.0");
	finds("pytorch-1.7-ubuntu18.04-py37-cuda11-gpu",
	      "torch==1.7.1+cu101 is not of CUDA 11.0");
	finds("pytorch-1.7-ubuntu18.04-py37-cuda11-gpu",
	      "cudatoolkit=11.0 and torch==1.7.1+cu101 are of two CUDAs");
	finds("lightgbm-3.2-ubuntu18.04-py37-cpu",
	      "Python 3.7, and it has 3.8");
	finds("lightgbm-3.2-ubuntu18.04-py37-cpu",
	      "lightgbm 3.2, and it has lightgbm~=3.3.5");
	finds("tensorflow-2.12-cuda11", "ubuntu20.04, and its base has "
					"ubuntu22.04");
	finds("acpt-pytorch-2.2-cuda12.1", "pytorch 2.2, and its base has "
					   "torch 2.8.0");
	finds("acpt-pytorch-2.2-cuda12.1", "CUDA 12.1, and its base has 12.6");
	finds("acpt-pytorch-2.8-cuda12.6", "ubuntu24.04, and its base has "
					   "ubuntu22.04");
	finds("tensorflow-2.16-cuda11", "CUDA 11, and its base has 12.3");
	finds("tensorflow-2.16-cuda11", "Python 3.9, and it has 3.11");
	finds("tensorflow-2.16-cuda12", "Python 3.10, and it has 3.11");
	finds("sklearn-1.5", "Open MPI 4.1.0, and its base has openmpi 5.0");
	finds("sklearn-1.0", "Python 3.8, and it has 3.9");
	finds("lightgbm-3.3", "lightgbm 3.3, and it has lightgbm>=4.6.0");
}

struct count {
	size_t n, bad, named; /* environments, with findings, by a claim */
	const char *status;
	bool own;
};

static int count_one(void *data, const struct eb_curated_head *h,
		     struct eb_error *err)
{
	struct count *c = data;
	eb_autofree char *name = eb_strndup(h->name, (size_t)h->name_len);
	bool own = eb_starts(name, "envbuild-"), claim = false;
	AUTOSTRV(all);

	(void)err;
	if (own != c->own ||
	    strncmp(h->status, c->status, (size_t)h->status_len))
		return 0;
	check(name, &all);
	if (own && all.n)
		fail_msg("%s: %s", name, all.v[0]);
	for (size_t i = 0; i < all.n; i++)
		claim |= eb_starts(all.v[i], "its ");
	c->n++;
	c->bad += all.n > 0;
	c->named += claim;
	return 0;
}

/* 19 were counted by hand; of one more a tag names a version of vLLM. */
static void test_head(void **state)
{
	struct count c = { .status = "current" };
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_curated_each(count_one, &c, &err), 0);
	assert_int_equal(c.n, 61);
	assert_int_equal(c.named, 20);
}

static void test_ours(void **state)
{
	struct count c = { .status = "current", .own = true };
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_curated_each(count_one, &c, &err), 0);
	assert_int_equal(c.n, 15);
	assert_int_equal(c.bad, 0);
}

/* What of the first generation is sound is not complained about. */
static void test_sound(void **state)
{
	static const char *const sound[] = {
		"AzureML-PyTorch-1.2-GPU",     "AzureML-PyTorch-1.3-GPU",
		"AzureML-PyTorch-1.4-GPU",     "AzureML-TensorFlow-2.0-GPU",
		"AzureML-TensorFlow-2.2-GPU",  "AzureML-TensorFlow-1.12-GPU",
		"AzureML-TensorFlow-1.13-GPU",
	};

	(void)state;
	for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
		AUTOSTRV(all);

		check(sound[i], &all);
		if (all.n)
			fail_msg("%s: %s", sound[i], all.v[0]);
	}
}

/* --- made ones: each rule both ways --- */

static size_t findings(const char *claim, const char *base,
		       const char *packages)
{
	struct eb_named e = { .name = (char *)"x",
			      .file = (char *)"conda_dependencies.yml" };
	eb_autofree char *text = eb_asprintf("dependencies: %s\n", packages);
	AUTOSTRV(all);

	e.text = text;
	if (*claim)
		eb_strv_add(&e.claims_name, claim);
	if (*base)
		eb_named_add_option(&e, "base", base);
	eb_claims_check(&e, &all);
	eb_strv_release(&e.claims_name);
	eb_strv_release(&e.option_name);
	eb_strv_release(&e.option_value);
	return all.n;
}

static void test_rules(void **state)
{
	static const struct {
		const char *claim, *base, *packages;
		size_t n;
	} rules[] = {
		{ "python=3.8", "", "[python=3.8.13]", 0 },
		{ "python=3.8", "", "[python=3.9]", 1 },
		{ "python=3.1", "", "[python=3.10]", 1 },
		{ "os=ubuntu22.04", "nvidia/cuda:12.8.1-devel-ubuntu22.04",
		  "[a]", 0 },
		{ "os=ubuntu20.04", "nvidia/cuda:12.8.1-devel-ubuntu22.04",
		  "[a]", 1 },
		{ "cuda=12", "nvidia/cuda:12.8.1-devel-ubuntu22.04", "[a]", 0 },
		{ "cuda=12.8", "x/stable-ubuntu2204-cu128-py310-torch280",
		  "[a]", 0 },
		{ "cuda=12.6", "x/stable-ubuntu2204-cu128-py310-torch280",
		  "[a]", 1 },
		{ "pytorch=2.8", "x/stable-ubuntu2204-cu128-py310-torch280",
		  "[a]", 0 },
		{ "pytorch=2.8", "x/stable-ubuntu2204-cu128-py310-torch280",
		  "[{pip: [torch==2.9.0]}]", 1 },
		{ "gpu", "debian:12-slim", "[numpy]", 1 },
		{ "gpu", "debian:12-slim", "[{pip: [torch==2.9.0]}]", 0 },
		{ "gpu", "debian:12-slim", "[{pip: [torch==2.9.0+cpu]}]", 1 },
		{ "cpu", "debian:12-slim", "[numpy]", 0 },
		{ "cpu", "x/openmpi4.1.0-cuda11.1-cudnn8-ubuntu18.04",
		  "[numpy]", 1 },
		{ "cpu", "", "[{pip: [tensorflow-gpu==2.4.0]}]", 1 },
		{ "openmpi=4.1.0", "x/openmpi4.1.0-ubuntu20.04", "[a]", 0 },
		{ "openmpi=4.1.0", "x/openmpi5.0-ubuntu24.04", "[a]", 1 },
		{ "openmpi=3.1.2", "x/intelmpi2018.3-ubuntu16.04", "[a]", 1 },
		{ "lightgbm=3.2", "", "[lightgbm~=3.2.0]", 0 },
		{ "lightgbm=3.2", "", "[lightgbm~=3.3.5]", 1 },
		{ "lightgbm=4.6", "", "['lightgbm>=4.5']", 0 },
		{ "lightgbm=3.3", "", "['lightgbm>=4.6.0']", 1 },
		{ "lightgbm=3.3", "", "['lightgbm<3.3']", 0 },
		{ "lightgbm=3.4", "", "['lightgbm<3.3']", 1 },
		{ "", "", "[{pip: [torch==2.0.1, torchvision==0.15.2]}]", 0 },
		{ "", "", "[{pip: [torch==2.0.1, torchvision==0.16.0]}]", 1 },
		{ "", "", "[{pip: [torch==1.2, torchvision==0.4.0]}]", 0 },
		{ "", "", "[{pip: [torch==1.0, torchvision==0.2.1]}]", 0 },
		{ "", "x/openmpi4.1.0-cuda11.1-cudnn8-ubuntu18.04",
		  "[{pip: [torch==1.8.1+cu111]}]", 0 },
		{ "", "x/openmpi4.1.0-cuda11.1-cudnn8-ubuntu18.04",
		  "[{pip: [torch==1.8.1+cu102]}]", 1 },
		{ "", "nvidia/cuda:11.8.0-devel-ubuntu22.04",
		  "[{pip: [tensorflow==2.12.0]}]", 0 },
		{ "", "nvidia/cuda:11.2.2-devel-ubuntu20.04",
		  "[{pip: [tensorflow==2.12.0]}]", 1 },
		{ "", "nvidia/cuda:11.2.2-devel-ubuntu20.04",
		  "[{pip: ['tensorflow[and-cuda]==2.16.1']}]", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		size_t n = findings(rules[i].claim, rules[i].base,
				    rules[i].packages);

		if (n != rules[i].n)
			fail_msg("%s, %s, %s: %zu", rules[i].claim,
				 rules[i].base, rules[i].packages, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_head),
		cmocka_unit_test(test_ours),  cmocka_unit_test(test_sound),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
