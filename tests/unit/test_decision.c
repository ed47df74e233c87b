/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions about CUDA and bases, each with its golden explanation:
 * tests/golden/cuda/NAME.txt and .json, of the lines in a .yml beside them.
 * ENVBUILD_GOLDEN=write writes them anew, to be read before they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/decision.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#define FOLDER "tests/golden/cuda/"
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL
#define AUTODECISION(name) \
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *name = NULL

/* ---- cases ----------------------------------------------------------------*/

#define MOST 8
struct solved {
	const char *name, *version, *build, *file;
};
struct golden {
	const char *name, *lines; /* lines: NAME.yml; NULL: the same name */
	struct eb_decision_request ask;
	struct eb_decision_base base;
	bool has_base;
	struct solved package[MOST]; /* conda's with a build */
};

#define AZURE "mcr.microsoft.com/azureml/"
#define GPU .gpu = EB_GPU_YES

static const struct golden all[] = {
	/* no base has this CUDA with this cuDNN */
	{ "tensorflow-2.16.1", .ask = { GPU } },
	{ "tensorflow-2.17.0", .ask = { GPU } },
	{ "tensorflow-2.16.1-and-cuda", .ask = { GPU } },
	/* there is no such CUDA; its tags are gone; the three ways of cuDNN */
	{ "cuda-12.7", "numpy", .ask = { .cuda = "12.7" } },
	{ "cuda-version-12.7", .ask = { GPU } },
	{ "cuda-11.2.0", "numpy", .ask = { .cuda = "11.2.0" } },
	{ "cuda-11.7.0", "numpy", .ask = { .cuda = "11.7.0" } },
	{ "cuda-12.3.2", "numpy", .ask = { .cuda = "12.3.2" } },
	{ "cuda-12.4.1", "numpy", .ask = { .cuda = "12.4.1" } },
	{ "cuda-12.2.2", "numpy", .ask = { .cuda = "12.2.2" } },
	{ "base-11.2.0", "numpy",
	  .ask = { .base = "nvidia/cuda:11.2.0-cudnn8-devel-ubuntu20.04" } },
	{ "base-own-cuda", "numpy",
	  .ask = { GPU, .base = "mcr.microsoft.com/azureml/openmpi4.1.0-"
				"cuda11.1-cudnn8-ubuntu18.04" } },
	/* the fleet's GPUs and drivers */
	{ "torch-2.12", .ask = { GPU } },
	{ "torch-2.12-volta", "torch-2.12", .ask = { .gpu_arch = "7.0" } },
	{ "torch-2.12-blackwell", "torch-2.12",
	  .ask = { .gpu_arch = "10.0,sm_120" } },
	{ "torch-2.12-volta-and-blackwell", "torch-2.12",
	  .ask = { .gpu_arch = "7.0,10.0" } },
	{ "torch-2.12-arm", "torch-2.12",
	  .ask = { .gpu_arch = "9.0", .platform = "linux/arm64" } },
	{ "torch-2.6-blackwell", "torch-2.6", .ask = { .gpu_arch = "12.0" } },
	{ "torch-2.7-blackwell", "torch-2.7", .ask = { .gpu_arch = "12.0" } },
	{ "torch-2.7-experimental", "torch-2.7",
	  .ask = { .gpu_arch = "12.0", .experimental = true } },
	{ "torch-2.6-old-driver", "torch-2.6", .ask = { .driver = "470" } },
	{ "tensorflow-2.15-old-driver", "tensorflow-2.15",
	  .ask = { .driver = "470.82.01" } },
	/* what is put together and does not fit */
	{ "torch-1.7.1-three-ways",
	  .ask = { .base = AZURE
		   "openmpi4.1.0-cuda11.0.3-cudnn8-ubuntu18.04" } },
	{ "tensorflow-2.1-on-10.0", "tensorflow-2.1",
	  .ask = { .base = AZURE "openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04" } },
	{ "tensorflow-2.1-on-10.0-gpu", "tensorflow-2.1",
	  .ask = { GPU,
		   .base = AZURE "openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04" } },
	{ "tensorflow-2.1", .ask = { GPU } },
	{ "torch-and-tensorflow", .ask = { GPU } },
	{ "pytorch-cuda-no-channel", .ask = { GPU } },
	{ "pytorch-cuda", .ask = { GPU } },
	{ "torch-pairs", .ask = { GPU } },
	{ "name-promises", "torch-2.12",
	  .ask = { GPU, .name = "acpt-pytorch-2.2-cuda12.1" } },
	{ "torch-1.3", .ask = { GPU } },
	/* a GPU is asked for, and the CPU's build comes */
	{ "conda-forge-torch", .ask = { GPU } },
	{ "conda-forge-torch-cpu-solved", "conda-forge-torch", .ask = { GPU },
	  .package = { { "python", "3.11.9", "h1_0_cpython", NULL },
		       { "pytorch", "2.7.1", "cpu_generic_py311_h1_0",
			 NULL } } },
	{ "conda-forge-torch-solved", "conda-forge-torch",
	  .ask = { GPU, .driver = "535.104.05" },
	  .package = { { "python", "3.11.9", "h1_0_cpython", NULL },
		       { "pytorch", "2.7.1", "cuda129_generic_py311_h1_200",
			 NULL },
		       { "cuda-version", "12.9", "h1_3", NULL },
		       { "cuda-cudart", "12.9.79", "h1_0", NULL } } },
	{ "conda-build", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "conda-build-glob", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "cpuonly", .ask = { GPU } },
	{ "cpuonly-allowed", "cpuonly", .ask = { GPU, .allow_cpu = true } },
	{ "torch-cpu-index", .ask = { GPU } },
	{ "jax-plain", .ask = { GPU } },
	/* a framework for GPUs on a base without CUDA */
	{ "tensorflow-2.10", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "tensorflow-2.10-gpu", "tensorflow-2.10", .ask = { GPU } },
	{ "tensorflow-2.10-on-debian", "tensorflow-2.10",
	  .ask = { GPU, .base = "debian:12-slim" } },
	{ "tensorflow-2.10-family", "tensorflow-2.10",
	  .ask = { GPU, .family = "debian" } },
	/* bases */
	{ "numpy", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "numpy-gpu", "numpy", .ask = { GPU } },
	{ "numpy-new-glibc", "numpy", .ask = { .gpu = EB_GPU_UNSAID },
	  .package = { { "newer", "1.0", NULL,
			 "newer-1.0-py3-none-manylinux_2_38_x86_64.whl" } } },
	{ "torch-2.12-azureml", "torch-2.12",
	  .ask = { GPU, .family = "azureml" } },
	{ "torch-2.12-own-base", "torch-2.12",
	  .ask = { GPU, .base = "registry.example/base:1" },
	  .base = { .cuda = "11.8.0", .cudnn = "8.9.6.50", .glibc = "2.35" },
	  .has_base = true },
	/* who brings the libraries */
	{ "torch-solved", "torch-2.7", .ask = { GPU },
	  .package = { { "torch", "2.7.1", NULL,
			 "torch-2.7.1-cp311-cp311-"
			 "manylinux_2_28_x86_64.whl" },
		       { "nvidia-cuda-runtime-cu12", "12.6.77", NULL, NULL },
		       { "nvidia-cudnn-cu12", "9.5.1.17", NULL, NULL } } },
	{ "torch-cu118-index", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "jax-cuda12", .ask = { GPU } },
	{ "mxnet-cu112", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "cudatoolkit", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	/* distributed training */
	{ "horovod", .ask = { GPU } },
	{ "deepspeed", .ask = { GPU } },
	{ "horovod-cpu", "horovod", .ask = { .gpu = EB_GPU_NO } },
	/* nobody asks for a GPU, and the plain wheel is built for one */
	{ "horovod-plain", NULL, .ask = { .gpu = EB_GPU_UNSAID } },
	{ "horovod-plain-on-cuda", "horovod-plain",
	  .ask = { .base = AZURE "openmpi3.1.2-cuda10.1-cudnn7-ubuntu18.04:"
				 "20200821.v1" } },
};

/* ---- deciding -------------------------------------------------------------*/

static struct eb_spec *read_lines(const char *name)
{
	eb_autofree char *path = eb_asprintf(FOLDER "%s.yml", name);
	eb_autofree char *file = eb_asprintf("%s.yml", name);
	struct eb_spec *spec = NULL;
	EB_AUTOBUF(text, EB_MAX_YAML);
	AUTOERR(err);

	if (eb_read_file(path, text.max, &text, &err) < 0 ||
	    eb_spec_parse(text.data, text.len, file, "linux/amd64", NULL, &spec,
			  &err) < 0)
		fail_msg("%s: %s", name, err.message);
	return spec;
}

static size_t take_packages(const struct golden *g,
			    struct eb_decision_package *out)
{
	size_t n = 0;

	for (; n < MOST && g->package[n].name; n++)
		out[n] = (struct eb_decision_package){
			.name = g->package[n].name,
			.version = g->package[n].version,
			.build = g->package[n].build,
			.file = g->package[n].file,
			.python_side = !g->package[n].build,
		};
	return n;
}

static struct eb_decision *decide(const struct golden *g)
{
	struct eb_decision_package package[MOST];
	struct eb_decision_request r = g->ask;
	struct eb_decision *d = NULL;
	AUTOSPEC(spec);
	AUTOERR(err);

	spec = read_lines(g->lines ? g->lines : g->name);
	r.spec = spec;
	r.package = package;
	r.n_packages = take_packages(g, package);
	r.solved = r.n_packages > 0;
	if (!r.platform)
		r.platform = "linux/amd64";
	if (g->has_base)
		r.base_facts = &g->base;
	if (eb_decide(&r, &d, &err) < 0)
		fail_msg("%s: %s", g->name, err.message);
	return d;
}

static struct eb_decision *decide_case(const char *name)
{
	for (size_t i = 0; i < COUNT(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return decide(&all[i]);
	fail_msg("no case %s", name);
	return NULL;
}

/* ---- the golden explanations ----------------------------------------------*/

static bool is_writing(void)
{
	const char *how = getenv("ENVBUILD_GOLDEN");

	return how && strcmp(how, "write") == 0;
}

static void compare(const char *name, const char *ending,
		    const struct eb_buf *text)
{
	eb_autofree char *path = eb_asprintf(FOLDER "%s%s", name, ending);
	EB_AUTOBUF(expected, EB_MAX_METADATA);
	AUTOERR(err);

	if (is_writing()) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		assert_int_equal(fwrite(text->data, 1, text->len, f),
				 text->len);
		assert_int_equal(fclose(f), 0);
		return;
	}
	if (eb_read_file(path, expected.max, &expected, &err) < 0)
		fail_msg("%s", err.message);
	if (strcmp(expected.data, text->data) != 0)
		print_message("%s is not what is told now:\n%s", path,
			      text->data);
	assert_string_equal(text->data, expected.data);
}

static void explanations(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		AUTODECISION(d);
		eb_autojson json_t *json = NULL;
		EB_AUTOBUF(text, EB_MAX_TEXT);
		EB_AUTOBUF(as_json, EB_MAX_TEXT);

		d = decide(&all[i]);
		eb_decision_tell(d, &text);
		compare(all[i].name, ".txt", &text);
		json = eb_decision_to_json(d);
		eb_json_pretty(json, &as_json);
		compare(all[i].name, ".json", &as_json);
	}
}

/* ---- what has to hold, whatever is told -----------------------------------*/

struct expected {
	const char *name, *cuda, *image, *flavour; /* NULL: none; "": any */
	const char *reason;			   /* part of a refusal's */
};

static const struct expected outcomes[] = {
	{ "tensorflow-2.16.1", "12.3", NULL, "runtime", "cuDNN 8" },
	{ "tensorflow-2.17.0", "12.3", NULL, "runtime", "cuDNN 8" },
	{ "tensorflow-2.16.1-and-cuda", "12.3", "debian:12-slim", "none",
	  NULL },
	{ "cuda-12.7", NULL, NULL, "", "no such CUDA" },
	{ "cuda-version-12.7", NULL, NULL, "", "no such CUDA" },
	{ "cuda-11.2.0", "11.2", NULL, "", "11.2.0" },
	{ "cuda-11.7.0", "11.7", NULL, "", "11.7.0" },
	{ "base-11.2.0", "", "", "", "deleted" },
	{ "cuda-12.3.2", "12.3",
	  "nvidia/cuda:12.3.2-cudnn9-runtime-ubuntu22.04", "runtime", NULL },
	{ "cuda-12.4.1", "12.4", "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04",
	  "runtime", NULL },
	{ "cuda-12.2.2", "12.2",
	  "nvidia/cuda:12.2.2-cudnn8-runtime-ubuntu22.04", "runtime", NULL },
	{ "torch-2.12", "12.6", "debian:12-slim", "none", NULL },
	{ "torch-2.12-volta", "12.6", "debian:12-slim", "none", NULL },
	{ "torch-2.12-blackwell", "13.0", "debian:12-slim", "none", NULL },
	{ "torch-2.12-volta-and-blackwell", NULL, NULL, "", "none of which" },
	{ "torch-2.12-arm", "12.6", "debian:12-slim", "none", NULL },
	{ "torch-2.6-blackwell", NULL, NULL, "", "12.0 need torch >=2.7.0" },
	{ "torch-2.7-blackwell", NULL, NULL, "", "12.0 need" },
	{ "torch-2.7-experimental", "12.8", "debian:12-slim", "none", NULL },
	{ "torch-2.6-old-driver", "11.8", "debian:12-slim", "none", NULL },
	{ "tensorflow-2.15-old-driver", NULL, NULL, "", "525.60.13" },
	{ "torch-1.7.1-three-ways", NULL, "", "", "CUDA 11.0.3" },
	{ "tensorflow-2.1-on-10.0", "10.1", "", "runtime", NULL },
	{ "tensorflow-2.1-on-10.0-gpu", "10.1", "", "runtime",
	  "it would run on the CPU" },
	{ "tensorflow-2.1", "10.1",
	  "nvidia/cuda:10.1-cudnn7-runtime-ubuntu18.04", "runtime", NULL },
	{ "torch-and-tensorflow", NULL, NULL, "", "no CUDA is both" },
	{ "pytorch-cuda-no-channel", "", NULL, "", "\"nvidia\"" },
	{ "pytorch-cuda", "12.1", "debian:12-slim", "none", NULL },
	{ "name-promises", "12.6", NULL, "", "promises CUDA 12.1" },
	{ "torch-1.3", NULL, NULL, "", "no table" },
	{ "conda-forge-torch-cpu-solved", NULL, NULL, "", "for the CPU" },
	{ "conda-forge-torch-solved", "12.9", "debian:12-slim", "none", NULL },
	{ "conda-build", "11.0", "debian:12-slim", "none", NULL },
	{ "conda-build-glob", "12.6", "debian:12-slim", "none", NULL },
	{ "cpuonly", NULL, NULL, "", "for the CPU" },
	{ "cpuonly-allowed", NULL, "debian:12-slim", "none", NULL },
	{ "torch-cpu-index", NULL, NULL, "", "for the CPU" },
	{ "jax-plain", NULL, NULL, "", "for the CPU" },
	{ "tensorflow-2.10", NULL, "debian:12-slim", "none", NULL },
	{ "tensorflow-2.10-gpu", "11.2",
	  "nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04", "runtime", NULL },
	{ "tensorflow-2.10-on-debian", "11.2", "", "runtime", "has no CUDA" },
	{ "tensorflow-2.10-family", "11.2", NULL, "runtime", "debian" },
	{ "numpy", NULL, "debian:12-slim", "none", NULL },
	{ "numpy-gpu", "12.6", "debian:12-slim", "none", NULL },
	{ "numpy-new-glibc", NULL, "debian:13-slim", "none", NULL },
	{ "torch-2.12-azureml", "12.6",
	  AZURE "openmpi5.0-cuda12.6-ubuntu24.04:latest", "none", NULL },
	{ "torch-2.12-own-base", "12.6", "registry.example/base:1", "none",
	  NULL },
	{ "torch-solved", "12.6", "debian:12-slim", "none", NULL },
	{ "torch-cu118-index", "11.8", "debian:12-slim", "none", NULL },
	{ "mxnet-cu112", "11.2",
	  "nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04", "", NULL },
	{ "cudatoolkit", "11.3", "debian:12-slim", "none", NULL },
	{ "deepspeed", "", "", "devel", NULL },
	{ "horovod-cpu", NULL, "debian:12-slim", "none", NULL },
	{ "horovod-plain", "10.2", "debian:12-slim", "none", NULL },
	{ "horovod-plain-on-cuda", "10.2", "", "runtime", NULL },
};

static void same(const char *name, const char *what, const char *got,
		 const char *expected)
{
	if (expected && !*expected)
		return;
	if (!got != !expected || (got && strcmp(got, expected) != 0))
		fail_msg("%s: %s is %s, expected %s", name, what,
			 got ? got : "none", expected ? expected : "none");
}

static void has_outcome(const struct expected *e)
{
	AUTODECISION(d);

	d = decide_case(e->name);
	if (d->refused != (e->reason != NULL))
		fail_msg("%s: %s", e->name,
			 d->refused ? d->reason : "not refused");
	same(e->name, "CUDA", d->cuda, e->cuda);
	same(e->name, "image", d->image, e->image);
	same(e->name, "flavour", eb_flavour_name(d->flavour), e->flavour);
	if (e->reason && !strstr(d->reason, e->reason))
		fail_msg("%s: \"%s\" says nothing of \"%s\"", e->name,
			 d->reason, e->reason);
}

static void outcomes_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(outcomes); i++)
		has_outcome(&outcomes[i]);
}

static bool says(const struct eb_strv *v, const char *part)
{
	for (size_t i = 0; i < v->n; i++)
		if (strstr(v->v[i], part))
			return true;
	return false;
}

static void warns(const char *name, const char *part)
{
	AUTODECISION(d);

	d = decide_case(name);
	if (!says(&d->warning, part))
		fail_msg("%s: no warning of \"%s\"", name, part);
}

static void warnings(void **state)
{
	(void)state;
	warns("tensorflow-2.1-on-10.0", "will find no GPU and run on the CPU");
	warns("tensorflow-2.10", "runs on the CPU");
	warns("cpuonly-allowed", "will not use a GPU");
	warns("torch-pairs", "torch 1.7.1 goes with torchvision 0.8.2");
	warns("torch-2.12-own-base", "CUDA 11.8.0");
	warns("torch-2.6-old-driver", "PTX");
	warns("conda-forge-torch-solved", "older than the toolkit's own");
	warns("torch-2.12-azureml", "Azure only");
	warns("numpy-gpu", "no package that is known uses one");
	warns("pytorch-cuda", "experimental");
}

/* The two sides of a contradiction, each with its place. */
static void sides_are_named(void **state)
{
	AUTODECISION(d);

	(void)state;
	d = decide_case("torch-1.7.1-three-ways");
	assert_non_null(strstr(d->reason, "cudatoolkit=11.0"));
	assert_non_null(strstr(d->reason, "torch==1.7.1+cu101"));
	assert_non_null(strstr(d->reason, "torch-1.7.1-three-ways.yml:"));
	assert_non_null(strstr(d->reason, AZURE));
	assert_true(d->n_forced >= 3);
	assert_string_equal(d->forced[0].package, "cudatoolkit");
	assert_string_equal(d->forced[0].what, "CUDA 11.0");
	assert_string_equal(d->forced[0].file, "torch-1.7.1-three-ways.yml");
	assert_true(d->forced[0].line > 0 && d->forced[0].column > 0);
}

static void variables(void **state)
{
	AUTODECISION(plain);
	AUTODECISION(nvidia);
	AUTODECISION(cpu);

	(void)state;
	plain = decide_case("torch-2.12");
	assert_int_equal(plain->variable.n, 3);
	assert_true(
		eb_strv_has(&plain->variable, "NVIDIA_VISIBLE_DEVICES=all"));
	assert_true(eb_strv_has(&plain->variable, "NVIDIA_DRIVER_CAPABILITIES="
						  "compute,utility"));
	assert_true(eb_strv_has(&plain->variable,
				"NVIDIA_REQUIRE_CUDA=driver>=525.60.13"));
	nvidia = decide_case("tensorflow-2.10-gpu");
	assert_int_equal(nvidia->variable.n, 0);
	cpu = decide_case("numpy");
	assert_int_equal(cpu->variable.n, 0);
}

static void conditions(void **state)
{
	AUTODECISION(d);
	size_t found = 0;

	(void)state;
	d = decide_case("horovod");
	assert_int_equal(d->build_flavour, EB_FLAVOUR_DEVEL);
	assert_non_null(d->build_image);
	for (size_t i = 0; i < d->n_conditions; i++) {
		const struct eb_condition *c = &d->condition[i];

		assert_string_equal(c->package, "horovod");
		if (strcmp(c->what, "MPI") == 0) {
			assert_null(c->by);
			assert_non_null(strstr(c->advice, "openmpi"));
			found++;
		} else if (strcmp(c->what, "cmake") == 0) {
			assert_string_equal(c->by, "cmake");
			assert_true(c->at_build);
			found++;
		} else if (strcmp(c->what, "framework-first") == 0) {
			assert_string_equal(c->by, "torch");
			found++;
		}
	}
	assert_int_equal(found, 3);
}

/* ---- options, labels, the image's own word --------------------------------*/

static void bad_option(struct eb_decision_request r, const char *part)
{
	struct eb_decision *d = NULL;
	AUTOSPEC(spec);
	AUTOERR(err);

	spec = read_lines("numpy");
	r.spec = spec;
	r.platform = "linux/amd64";
	assert_int_equal(eb_decide(&r, &d, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	assert_non_null(strstr(err.message, part));
}

static void bad_options(void **state)
{
	(void)state;
	bad_option((struct eb_decision_request){ .cuda = "twelve" }, "--cuda");
	bad_option((struct eb_decision_request){ .cuda = "12" }, "--cuda");
	bad_option((struct eb_decision_request){ .driver = "R535" },
		   "--driver");
	bad_option((struct eb_decision_request){ .gpu_arch = "volta" },
		   "--gpu-arch");
	bad_option((struct eb_decision_request){ .family = "alpine" },
		   "--base-family");
	bad_option((struct eb_decision_request){ .gpu = EB_GPU_NO,
						 .cuda = "12.6" },
		   "--cpu");
}

static void labels(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv label = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv none = { 0 };
	AUTODECISION(d);
	AUTODECISION(cpu);

	(void)state;
	d = decide_case("torch-2.12");
	eb_decision_labels(d, &label);
	assert_true(eb_strv_has(&label, "dev.envbuild.cuda=12.6"));
	assert_true(eb_strv_has(&label, "dev.envbuild.cuda.driver-floor="
					"525.60.13"));
	assert_true(says(&label, "dev.envbuild.cuda.forced-by=torch: "));
	assert_false(says(&label, ".yml"));
	cpu = decide_case("numpy");
	eb_decision_labels(cpu, &none);
	assert_int_equal(none.n, 0);
}

static void refusals_are_errors(void **state)
{
	AUTODECISION(d);
	AUTOERR(err);

	(void)state;
	d = decide_case("tensorflow-2.16.1");
	assert_int_equal(eb_decision_error(d, &err), -1);
	assert_int_equal(err.code, EB_NO);
	assert_non_null(strstr(err.message, "tensorflow==2.16.1"));
	assert_non_null(strstr(err.hint, "and-cuda"));
}

static const char config[] =
	"{\"Env\":[\"PATH=/bin\",\"CUDA_VERSION=11.2.2\","
	"\"NV_CUDNN_VERSION=8.1.1.33\","
	"\"NVIDIA_REQUIRE_CUDA=cuda>=11.2\"],"
	"\"Labels\":{\"org.opencontainers.image.ref.name\":\"ubuntu\","
	"\"org.opencontainers.image.version\":\"20.04\"}}";

static void images_own_word(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv hold = { 0 };
	struct eb_decision_base facts;
	eb_autojson json_t *j = NULL;
	AUTODECISION(d);
	AUTOERR(err);
	size_t n;

	(void)state;
	j = eb_json_parse(config, strlen(config), "config", &err);
	eb_decision_base_read(j, &facts, &hold);
	assert_string_equal(facts.cuda, "11.2.2");
	assert_string_equal(facts.cudnn, "8.1.1.33");
	assert_string_equal(facts.require, "cuda>=11.2");
	assert_string_equal(facts.os, "ubuntu 20.04");
	d = decide_case("tensorflow-2.10-gpu");
	n = d->warning.n;
	assert_int_equal(eb_decision_verify(d, &facts), 0);
	assert_int_equal(d->warning.n, n);
	facts.cuda = "11.8.0";
	assert_int_equal(eb_decision_verify(d, &facts), 1);
	facts.cuda = "11.2.2";
	facts.cudnn = "7.6.5";
	assert_int_equal(eb_decision_verify(d, &facts), 1);
	facts.cuda = NULL;
	facts.cudnn = NULL;
	assert_int_equal(eb_decision_verify(d, &facts), 1);
	assert_int_equal(d->warning.n, n + 3);
}

/* A framework asks for a range of CUDA's libraries: those of a later minor do,
 * those of an earlier one or of another major do not. */
static void libraries_of_another_minor(void **state)
{
	static const struct {
		const char *name, *version;
		bool refused;
	} library[] = {
		{ "nvidia-cuda-cupti-cu12", "12.5.82", false },
		{ "nvidia-cuda-cupti-cu12", "12.9.79", false },
		{ "nvidia-cuda-cupti-cu12", "12.3.101", true },
		{ "nvidia-cuda-cupti-cu11", "11.8.87", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
		const struct golden g = {
			"libraries", "numpy", .ask = { GPU },
			.package = { { "tensorflow", "2.21.0", NULL,
				       "tensorflow-2.21.0-cp312-cp312-"
				       "manylinux_2_27_x86_64.whl" },
				     { library[i].name, library[i].version,
				       NULL, NULL } }
		};
		EB_CLEANUP(eb_decision_free_ptr)
		struct eb_decision *d = decide(&g);

		if (d->refused != library[i].refused)
			fail_msg("%s: %s", library[i].version,
				 d->reason ? d->reason : "not refused");
		if (!d->refused)
			assert_string_equal(d->cuda, "12.5");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explanations),
		cmocka_unit_test(outcomes_hold),
		cmocka_unit_test(warnings),
		cmocka_unit_test(sides_are_named),
		cmocka_unit_test(variables),
		cmocka_unit_test(conditions),
		cmocka_unit_test(bad_options),
		cmocka_unit_test(labels),
		cmocka_unit_test(refusals_are_errors),
		cmocka_unit_test(images_own_word),
		cmocka_unit_test(libraries_of_another_minor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
