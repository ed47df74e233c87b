/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint that follow from the decision about base and CUDA: each
 * finds what it is for, in its line, and leaves alone what is right. */
#include "lint_cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/build.h>

#define AZURE "mcr.microsoft.com/azureml/"
#define CUDA_10_0 AZURE "openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04"
#define DEPS "channels: [a]\ndependencies:\n"
#define PIP DEPS "- python=3.11\n- pip\n- pip:\n"

struct asked {
	const char *base;
	bool gpu;
	const char *driver;
};

static void lint(const char *text, const struct asked *asked,
		 struct eb_linted *out)
{
	const char *file =
		strstr(text, "image:") ? "env.yml" : "environment.yml";
	struct eb_config c = { .platform = (char *)"linux/amd64",
			       .base = (char *)asked->base,
			       .driver = (char *)asked->driver,
			       .gpu = asked->gpu };
	AUTOERR(err);

	if (eb_write_file(file, text, strlen(text), 0644, &err) < 0 ||
	    eb_lint(file, c.platform, out, &err) < 0 ||
	    eb_lint_base(&c, out, &err) < 0)
		fail_msg("%s", err.message);
}

/* ---- each rule ----------------------------------------------------------- */

static const struct {
	const char *rule;
	struct asked asked;
	const char *wrong;
	unsigned line;
	struct asked better;
	const char *right;
} all[] = {
	{ "cuda-refused",
	  { .gpu = true },
	  PIP "  - tensorflow==2.17.0\n",
	  6,
	  { .gpu = true },
	  PIP "  - tensorflow==2.15.0\n" },
	{ "cuda-refused",
	  { .driver = "470.82.01" },
	  PIP "  - tensorflow==2.15.0\n",
	  6,
	  { .driver = "535" },
	  PIP "  - tensorflow==2.15.0\n" },
	{ "cuda-mismatch",
	  { 0 },
	  DEPS "- cudatoolkit=11.0\n- pip:\n  - torch==1.7.1+cu101\n",
	  3,
	  { 0 },
	  DEPS "- cudatoolkit=10.1\n- pip:\n  - torch==1.7.1+cu101\n" },
	{ "cuda-mismatch",
	  { 0 },
	  DEPS "- cuda-cudart=11.8\n- cuda-runtime=12.1\n- pip:\n"
	       "  - torch==2.2.2\n",
	  3,

	  { 0 },
	  DEPS "- cuda-cudart=12.1\n- cuda-version=12.9\n- pip:\n"
	       "  - torch==2.2.2\n" },
	{ "cuda-mismatch",
	  { 0 },
	  DEPS "- cuda-version=11.8\n- cuda-version=12.4\n",
	  3,
	  { 0 },
	  DEPS "- cuda-version=12.4\n- cuda-version=12\n" },
	{ "cuda-mismatch",
	  { 0 },
	  DEPS "- cuda-version=11.8\n- cuda-toolkit=12.4\n",
	  3,
	  { 0 },
	  DEPS "- cuda-version=12.6\n- cuda-toolkit=12.4\n" },
	{ "torch-pairing",
	  { 0 },
	  PIP "  - torch==1.6.0\n  - torchvision==0.5.0\n",
	  7,
	  { 0 },
	  PIP "  - torch==1.6.0\n  - torchvision==0.7.0\n" },
	{ "torch-pairing",
	  { 0 },
	  PIP "  - torch==2.6.0+cu124\n  - torchvision==0.21.0+cpu\n",
	  6,
	  { 0 },
	  PIP "  - torch==2.6.0+cu124\n  - torchvision==0.21.0+cu124\n" },
	{ "torch-pairing",
	  { 0 },
	  PIP "  - torch==1.10.0\n  - torchvision==0.11.2\n",
	  7,
	  { 0 },
	  PIP "  - torch==1.10.0\n  - torchvision==0.11.1\n" },
	{ "gpu-on-cpu-base",
	  { .base = "debian:12-slim" },
	  PIP "  - tensorflow==2.10.0\n",
	  6,
	  { 0 },
	  PIP "  - tensorflow==2.10.0\n" },
	{ "gpu-on-cpu-base",
	  { .base = CUDA_10_0 },
	  PIP "  - tensorflow==2.1.0\n",
	  6,
	  { .gpu = true },
	  PIP "  - tensorflow==2.1.0\n" },
	{ "base-cuda",
	  { .base = CUDA_10_0 },
	  PIP "  - torch==1.6.0+cu101\n",
	  0,
	  { 0 },
	  PIP "  - torch==1.6.0+cu101\n" },
	{ "glibc-too-old",
	  { .base = "ubuntu:18.04" },
	  PIP "  - x @ https://files.example/x-1-cp311-cp311-"
	      "manylinux_2_28_x86_64.whl\n",
	  0,
	  { .base = "debian:12-slim" },
	  PIP "  - x @ https://files.example/x-1-cp311-cp311-"
	      "manylinux_2_28_x86_64.whl\n" },
	{ "base-deleted",
	  { .base = "nvidia/cuda:11.2.0-cudnn8-devel-ubuntu20.04" },
	  PIP "  - numpy==1.26.4\n",
	  0,
	  { .base = "nvidia/cuda:11.2.2-cudnn8-devel-ubuntu20.04" },
	  PIP "  - numpy==1.26.4\n" },
	{ "base-deprecated",
	  { 0 },
	  "image: " CUDA_10_0 "\nname: x\nconda_file:\n  dependencies:\n"
	  "  - python=3.7\n",
	  1,
	  { 0 },
	  "image: debian:12-slim\nname: x\nconda_file:\n  dependencies:\n"
	  "  - python=3.7\n" },
	{ "base-has-conda",
	  { .base = CUDA_10_0 },
	  PIP "  - numpy==1.26.4\n",
	  0,
	  { .base = "debian:12-slim" },
	  PIP "  - numpy==1.26.4\n" },
	{ "training-needs",
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n  - horovod==0.28.1\n",
	  7,
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n  - numpy==1.26.4\n" },
	{ "build-needs",
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n  - horovod==0.28.1\n",
	  7,
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n" },
	{ "infiniband",
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n  - horovod==0.28.1\n",
	  7,
	  { .gpu = true },
	  DEPS "- python=3.11\n- rdma-core\n- pip:\n  - torch==2.2.0\n"
	       "  - horovod==0.28.1\n" },
	{ "infiniband",
	  { .base = "debian:12-slim" },
	  PIP "  - numpy==1.26.4\nvariables:\n  NCCL_IB_HCA: mlx5\n",
	  8,
	  { .base = "debian:12-slim" },
	  PIP "  - numpy==1.26.4\nvariables:\n  NCCL_IB_HCA: mlx5\n"
	      "  NCCL_IB_DISABLE: '1'\n" },
	{ "infiniband",
	  { 0 },
	  "name: x\nimage: debian:12-slim\nconda_file:\n  dependencies:\n"
	  "  - python=3.7\n  variables:\n    UCX_TLS: rc,sm\n",
	  7,
	  { .base = AZURE "openmpi4.1.0-cuda11.1-cudnn8-ubuntu18.04" },
	  PIP "  - numpy==1.26.4\nvariables:\n  UCX_TLS: rc,sm\n" },
	{ "infiniband",
	  { .base = "debian:12-slim" },
	  PIP "  - numpy==1.26.4\nvariables:\n  NCCL_NET_PLUGIN: sharp\n",
	  8,
	  { .base = "debian:12-slim" },
	  PIP "  - numpy==1.26.4\nvariables:\n  UCX_TLS: tcp\n"
	      "  NCCL_SOCKET_IFNAME: eth0\n" },
	{ "training-needs",
	  { .gpu = true },
	  PIP "  - torch==2.2.0\n  - deepspeed==0.14.0\n",
	  7,
	  { .gpu = true },
	  DEPS "- python=3.11\n- openssh\n- pip:\n  - torch==2.2.0\n"
	       "  - deepspeed==0.14.0\n" },
	{ "build-needs",
	  { 0 },
	  PIP "  - mpi4py==3.1.5\n",
	  6,
	  { 0 },
	  DEPS "- python=3.11\n- cxx-compiler\n- pip:\n  - mpi4py==3.1.5\n" },
	{ "name-claims",
	  { .gpu = true },
	  "name: train-cuda11.8\n" DEPS "- cudatoolkit=10.1\n- pip:\n"
	  "  - torch==1.7.1+cu101\n",
	  1,
	  { .gpu = true },
	  "name: train-cuda10.1\n" DEPS "- cudatoolkit=10.1\n- pip:\n"
	  "  - torch==1.7.1+cu101\n" },
};

static void rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
		struct eb_linted fine EB_CLEANUP(eb_linted_release) = { 0 };

		lint(all[i].wrong, &all[i].asked, &l);
		must_find(&l, all[i].rule, all[i].line, all[i].wrong);
		lint(all[i].right, &all[i].better, &fine);
		must_leave(&fine, all[i].rule, all[i].right);
	}
}

/* What the text's own rule tells is not told twice. */
static void once(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	const struct asked gpu = { .gpu = true };

	(void)state;
	lint("channels: [pytorch]\ndependencies:\n- python=3.11\n"
	     "- pytorch-cuda=12.1\n",
	     &gpu, &l);
	assert_non_null(find(&l, "channel-for-pytorch-cuda"));
	assert_null(find(&l, "cuda-refused"));
}

static void wrong_options(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	struct eb_config c = { .platform = (char *)"linux/amd64",
			       .gpu = true,
			       .cpu = true };
	AUTOERR(err);

	(void)state;
	lint(PIP "  - numpy==1\n", &(struct asked){ 0 }, &l);
	assert_int_equal(eb_lint_base(&c, &l, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
}

static void every_rule(void **state)
{
	(void)state;
	every_rule_has_both(EB_RULE_BASE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(once),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(every_rule),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
