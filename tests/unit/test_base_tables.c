/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of templates/base against what is known of CUDA, typed here once
 * more: drivers, images, builds, partners, architectures. And, where the
 * recorded data is there, row by row against that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/cuda_int.h>
#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- drivers --------------------------------------------------------------*/

static void toolkit_drivers(void **state)
{
	static const char *const all[][2] = {
		{ "9.0", "384.81" },	    { "9.1", "390.46" },
		{ "9.2.148", "396.37" },    { "10.0", "410.48" },
		{ "10.1", "418.39" },	    { "10.2", "440.33" },
		{ "11.0.2", "450.51.05" },  { "11.0.3", "450.51.06" },
		{ "11.1.1", "455.32" },	    { "11.2.0", "460.27.03" },
		{ "11.2.1", "460.32.03" },  { "11.2.2", "460.32.03" },
		{ "11.3.0", "465.19.01" },  { "11.3.1", "465.19.01" },
		{ "11.4.0", "470.42.01" },  { "11.4.1", "470.57.02" },
		{ "11.4.2", "470.57.02" },  { "11.4.3", "470.82.01" },
		{ "11.4.4", "470.82.01" },  { "11.5.0", "495.29.05" },
		{ "11.5.1", "495.29.05" },  { "11.5.2", "495.29.05" },
		{ "11.6.0", "510.39.01" },  { "11.6.1", "510.47.03" },
		{ "11.6.2", "510.47.03" },  { "11.7.0", "515.43.04" },
		{ "11.7.1", "515.48.07" },  { "11.8.0", "520.61.05" },
		{ "12.0.0", "525.60.13" },  { "12.0.1", "525.85.12" },
		{ "12.1.0", "530.30.02" },  { "12.1.1", "530.30.02" },
		{ "12.2.0", "535.54.03" },  { "12.2.1", "535.86.09" },
		{ "12.2.2", "535.104.05" }, { "12.3.0", "545.23.06" },
		{ "12.3.1", "545.23.08" },  { "12.3.2", "545.23.08" },
		{ "12.4.0", "550.54.14" },  { "12.4.1", "550.54.15" },
		{ "12.5.0", "555.42.02" },  { "12.5.1", "555.42.06" },
		{ "12.6.0", "560.28.03" },  { "12.6.1", "560.35.03" },
		{ "12.6.2", "560.35.03" },  { "12.6.3", "560.35.05" },
		{ "12.8.0", "570.26" },	    { "12.8.1", "570.124.06" },
		{ "12.9.0", "575.51.03" },  { "12.9.1", "575.57.08" },
		{ "13.0.0", "580.65.06" },  { "13.0.1", "580.82.07" },
		{ "13.0.2", "580.95.05" },  { "13.1.0", "590.44.01" },
		{ "13.1.1", "590.48.01" },  { "13.2.0", "595.45.04" },
		{ "13.2.1", "595.58.03" },
	};
	struct eb_table t;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		eb_autofree char *full = eb_cuda_toolkit_driver(all[i][0]);

		assert_non_null(full);
		assert_string_equal(full, all[i][1]);
	}
	/* 9.2 and 11.1 have rows of their own beside 9.2.148 and 11.1.1 */
	eb_table_open(&t, eb_drivers_tsv);
	while (eb_table_next(&t)) {
		const char *cuda = t.row.cell[DRIVER_CUDA];
		const char *full = t.row.cell[DRIVER_FULL];

		n += full != NULL;
		if (strcmp(cuda, "9.2") == 0)
			assert_string_equal(full, "396.26");
		if (strcmp(cuda, "11.1") == 0)
			assert_string_equal(full, "455.23");
	}
	eb_table_close(&t);
	assert_int_equal(n, COUNT(all) + 2);
}

static void driver_floors(void **state)
{
	static const char *const all[][2] = {
		{ "9.0", "384.81" },	 { "9.1", "390.46" },
		{ "9.2", "396.26" },	 { "10.0", "410.48" },
		{ "10.1", "418.39" },	 { "10.2", "440.33" },
		{ "11.0", "450.80.02" }, { "11.1", "450.80.02" },
		{ "11.2", "450.80.02" }, { "11.3", "450.80.02" },
		{ "11.4", "450.80.02" }, { "11.5", "450.80.02" },
		{ "11.6", "450.80.02" }, { "11.7", "450.80.02" },
		{ "11.8", "450.80.02" }, { "12.0", "525.60.13" },
		{ "12.1", "525.60.13" }, { "12.2", "525.60.13" },
		{ "12.3", "525.60.13" }, { "12.4", "525.60.13" },
		{ "12.5", "525.60.13" }, { "12.6", "525.60.13" },
		{ "12.8", "525.60.13" }, { "12.9", "525.60.13" },
		{ "13.0", "580.65.06" }, { "13.1", "580.65.06" },
		{ "13.2", "580.65.06" }, { "13.3", "580.65.06" },
	};
	struct eb_universe u;

	(void)state;
	eb_universe_read(&u);
	assert_int_equal(u.n, COUNT(all) + 1); /* and 8.0 */
	assert_string_equal(u.minor[0], "8.0");
	assert_null(eb_cuda_floor("8.0"));
	assert_null(eb_cuda_floor("12.7"));
	for (size_t i = 0; i < COUNT(all); i++) {
		eb_autofree char *floor = eb_cuda_floor(all[i][0]);

		assert_string_equal(u.minor[i + 1], all[i][0]);
		assert_string_equal(floor, all[i][1]);
	}
}

static void drivers_that_serve(void **state)
{
	(void)state;
	assert_true(eb_driver_serves("525.60.13", "525.60.13"));
	assert_true(eb_driver_serves("535.104.05", "525.60.13"));
	assert_false(eb_driver_serves("525.60.11", "525.60.13"));
	assert_false(eb_driver_serves("515.105.01", "525.60.13"));
	assert_true(eb_driver_serves("525", "525.60.13")); /* its newest */
	assert_false(eb_driver_serves("520", "525.60.13"));
}

/* ---- images ---------------------------------------------------------------*/

struct devel {
	const char *cuda, *part, *cudnn, *ubuntu;
};

static void look_up(const char *tag, struct eb_base_row *row)
{
	eb_autofree char *name = eb_asprintf("nvidia/cuda:%s", tag);

	if (!eb_base_row_find(name, row))
		fail_msg("no row for %s", name);
}

static void check_devel(const struct devel *d, const char *ubuntu, int deleted)
{
	eb_autofree char *tag =
		eb_asprintf("%s-%s-devel-ubuntu%s", d->cuda, d->part, ubuntu);
	eb_autofree char *os = eb_asprintf("ubuntu %s", ubuntu);
	struct eb_base_row row;

	look_up(tag, &row);
	assert_string_equal(row.cuda, d->cuda);
	assert_string_equal(row.cudnn, d->cudnn);
	assert_string_equal(row.os, os);
	assert_int_equal(row.flavour, EB_FLAVOUR_DEVEL);
	assert_int_equal(row.deleted, deleted);
	eb_base_row_release(&row);
}

static void check_all(const struct devel *all, size_t n, int deleted)
{
	for (size_t i = 0; i < n; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv os = { 0 };

		eb_strv_split(&os, all[i].ubuntu, " ");
		for (size_t k = 0; k < os.n; k++)
			check_devel(&all[i], os.v[k], deleted);
	}
}

#define OLD "16.04 18.04 20.04"
#define MID "18.04 20.04"
#define NEW "20.04 22.04 24.04"

static void devel_images(void **state)
{
	static const struct devel all[] = {
		{ "11.0.3", "cudnn8", "8", OLD },
		{ "11.1.1", "cudnn8", "8", OLD },
		{ "11.2.2", "cudnn8", "8", OLD },
		{ "11.3.1", "cudnn8", "8", OLD },
		{ "11.4.3", "cudnn8", "8", MID },
		{ "11.5.2", "cudnn8", "8", MID },
		{ "11.6.2", "cudnn8", "8", MID },
		{ "11.6.1", "cudnn8", "8", "20.04" },
		{ "11.7.1", "cudnn8", "8", "18.04 20.04 22.04" },
		{ "11.8.0", "cudnn8", "8", "18.04 20.04 22.04" },
		{ "12.0.0", "cudnn8", "8", "18.04 20.04 22.04" },
		{ "12.0.1", "cudnn8", "8", "18.04 20.04 22.04" },
		{ "12.1.0", "cudnn8", "8", "20.04 22.04" },
		{ "12.1.1", "cudnn8", "8", "20.04 22.04" },
		{ "12.2.2", "cudnn8", "8", "20.04 22.04" },
		{ "12.3.2", "cudnn9", "9", "20.04 22.04" },
		{ "12.4.1", "cudnn", "9", "20.04 22.04" },
		{ "12.5.1", "cudnn", "9", "20.04 22.04" },
		{ "12.6.0", "cudnn", "9", NEW },
		{ "12.6.1", "cudnn", "9", NEW },
		{ "12.6.2", "cudnn", "9", NEW },
		{ "12.6.3", "cudnn", "9", NEW },
		{ "12.8.0", "cudnn", "9", NEW },
		{ "12.8.1", "cudnn", "9", NEW },
		{ "12.9.0", "cudnn", "9", NEW },
		{ "12.9.1", "cudnn", "9", NEW },
		{ "13.0.0", "cudnn", "9", "22.04 24.04" },
		{ "13.0.1", "cudnn", "9", "22.04 24.04" },
		{ "13.0.2", "cudnn", "9", "22.04 24.04" },
		{ "13.0.3", "cudnn", "9", "22.04 24.04" },
		{ "13.1.1", "cudnn", "9", "22.04 24.04" },
		{ "13.1.2", "cudnn", "9", "22.04 24.04" },
		{ "13.2.0", "cudnn", "9", "22.04 24.04" },
		{ "13.2.1", "cudnn", "9", "22.04 24.04" },
		{ "13.3.0", "cudnn", "9", "22.04 24.04" },
	};

	(void)state;
	check_all(all, COUNT(all), 0);
}

static void deleted_images(void **state)
{
	static const struct devel all[] = {
		{ "11.2.0", "cudnn8", "8", OLD },
		{ "11.2.1", "cudnn8", "8", OLD },
		{ "11.3.0", "cudnn8", "8", OLD },
		{ "11.4.0", "cudnn8", "8", MID },
		{ "11.4.1", "cudnn8", "8", MID },
		{ "11.4.2", "cudnn8", "8", MID },
		{ "11.5.0", "cudnn8", "8", MID },
		{ "11.5.1", "cudnn8", "8", MID },
		{ "11.6.0", "cudnn8", "8", MID },
		{ "11.6.1", "cudnn8", "8", "18.04" },
		{ "11.7.0", "cudnn8", "8", "18.04 20.04 22.04" },
	};

	(void)state;
	check_all(all, COUNT(all), 1);
}

/* Seen in 2023, and nobody says whether they can still be pulled. */
static void old_images(void **state)
{
	static const struct devel all[] = {
		{ "8.0", "cudnn5", "5", "14.04 16.04" },
		{ "8.0", "cudnn6", "6", "14.04 16.04" },
		{ "8.0", "cudnn7", "7", "14.04 16.04" },
		{ "9.0", "cudnn7", "7", "16.04" },
		{ "9.1", "cudnn7", "7", "16.04" },
		{ "9.2", "cudnn7", "7", "16.04 18.04" },
		{ "10.0", "cudnn7", "7", "14.04 16.04 18.04" },
		{ "10.1", "cudnn7", "7", "14.04 16.04 18.04" },
		{ "10.1", "cudnn8", "8", "16.04 18.04" },
		{ "10.2", "cudnn7", "7", "16.04 18.04" },
		{ "10.2", "cudnn8", "8", "16.04 18.04" },
	};

	(void)state;
	check_all(all, COUNT(all), -1);
}

static void azure_images(void **state)
{
	static const struct {
		const char *name, *cuda, *cudnn, *nccl, *mpi;
		bool deprecated;
	} all[] = {
		{ "openmpi4.1.0-ubuntu22.04", NULL, NULL, NULL, "openmpi 4.1.0",
		  false },
		{ "openmpi5.0-ubuntu24.04", NULL, NULL, NULL, "openmpi 5.0.6",
		  false },
		{ "openmpi5.0-cuda12.4-ubuntu22.04", "12.4.1", NULL, NULL,
		  "openmpi 5.0.6", false },
		{ "openmpi5.0-cuda12.5-ubuntu22.04", "12.5.1", NULL, NULL,
		  "openmpi 5.0.6", false },
		{ "openmpi5.0-cuda12.6-ubuntu24.04", "12.6.3", NULL, NULL,
		  "openmpi 5.0.6", false },
		{ "openmpi5.0-cuda12.8-ubuntu24.04", "12.8.1", NULL, NULL,
		  "openmpi 5.0.6", false },
		{ "openmpi5.0-cuda13.1-ubuntu24.04", "13.1.1", NULL, NULL,
		  "openmpi 5.0.6", false },
		{ "openmpi3.1.2-cuda10.1-cudnn7-ubuntu18.04", "10.1.243",
		  "7.6.3.30", "2.4.8", "openmpi 3.1.2", true },
		{ "openmpi3.1.2-cuda10.2-cudnn7-ubuntu18.04", "10.2", "7.6.5",
		  "2.7.8", "openmpi 3.1.2", true },
		{ "openmpi3.1.2-cuda10.2-cudnn8-ubuntu18.04", "10.2", "8.0.0",
		  "2.7.8", "openmpi 3.1.2", true },
		{ "openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04", "10.0", "7", NULL,
		  "openmpi 3.1.2", true },
		{ "openmpi4.1.0-cuda11.0.3-cudnn8-ubuntu18.04", "11.0.3",
		  "8.0.5.39", "2.8.3", "openmpi 4.1.0", true },
		{ "openmpi4.1.0-cuda11.1-cudnn8-ubuntu20.04", "11.1.1",
		  "8.0.5.39", "2.8.4", "openmpi 4.1.0", true },
		{ "openmpi4.1.0-cuda11.2-cudnn8-ubuntu20.04", "11.2.2", "8",
		  NULL, "openmpi 4.1.0", true },
		{ "openmpi4.1.0-cuda11.3-cudnn8-ubuntu20.04", "11.3.1", "8",
		  NULL, "openmpi 4.1.0", true },
		{ "openmpi4.1.0-cuda11.6-cudnn8-ubuntu20.04", "11.6.2",
		  "8.4.0.27", "2.12.7", "openmpi 4.1.0", true },
		{ "openmpi4.1.0-cuda11.8-cudnn8-ubuntu22.04", "11.8.0", "8",
		  NULL, "openmpi 4.1.0", true },
		{ "intelmpi2018.3-cuda9.0-cudnn7-ubuntu16.04", "9.0", "7", NULL,
		  "intelmpi 2018.3.222", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		eb_autofree char *name = eb_asprintf(
			"mcr.microsoft.com/azureml/%s", all[i].name);
		struct eb_base_row r;

		assert_int_equal(eb_base_row_find(name, &r), 1);
#define SAME(a, b) assert_true((a) == (b) || ((a) && (b) && strcmp(a, b) == 0))
		SAME(r.cuda, all[i].cuda);
		SAME(r.cudnn, all[i].cudnn);
		SAME(r.nccl, all[i].nccl);
		SAME(r.mpi, all[i].mpi);
#undef SAME
		assert_int_equal(r.deprecated, all[i].deprecated);
		eb_base_row_release(&r);
	}
}

static void plain_images(void **state)
{
	static const char *const all[][2] = {
		{ "debian:12-slim", "2.36" }, { "debian:13-slim", "2.41" },
		{ "ubuntu:18.04", "2.27" },   { "ubuntu:20.04", "2.31" },
		{ "ubuntu:22.04", "2.35" },   { "ubuntu:24.04", "2.39" },
	};
	struct eb_base_row r;

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		assert_int_equal(eb_base_row_find(all[i][0], &r), 1);
		assert_string_equal(r.glibc, all[i][1]);
		assert_null(r.cuda);
		eb_base_row_release(&r);
	}
	assert_int_equal(
		eb_base_row_find("docker.io/library/debian:12-slim", &r), 1);
	eb_base_row_release(&r);
	assert_int_equal(
		eb_base_row_find("nvcr.io/nvidia/cuda:12.4.1-cudnn-devel-"
				 "ubuntu22.04@sha256:00",
				 &r),
		1);
	eb_base_row_release(&r);
	/* Azure's have a tag a build */
	assert_int_equal(eb_base_row_find("mcr.microsoft.com/azureml/"
					  "openmpi3.1.2-cuda10.1-cudnn7-"
					  "ubuntu18.04:20200821.v1",
					  &r),
			 1);
	assert_string_equal(r.cuda, "10.1.243");
	eb_base_row_release(&r);
	assert_int_equal(eb_base_row_find("debian:20200821.v1", &r), 0);
	assert_int_equal(eb_base_row_find("debian:99", &r), 0);
	assert_int_equal(eb_base_row_find("debian", &r), 0);
}

static void nearest_images(void **state)
{
	struct eb_base_row r;

	(void)state;
	assert_int_equal(
		eb_base_row_nearest(
			"nvidia/cuda:11.2.0-cudnn8-devel-ubuntu20.04", &r),
		1);
	assert_string_equal(r.tag, "11.2.2-cudnn8-devel-ubuntu20.04");
	eb_base_row_release(&r);
	assert_int_equal(
		eb_base_row_nearest(
			"nvidia/cuda:12.4.1-cudnn8-runtime-ubuntu22.04", &r),
		1);
	assert_string_equal(r.tag, "12.4.1-cudnn-runtime-ubuntu22.04");
	eb_base_row_release(&r);
	assert_int_equal(
		eb_base_row_nearest("nvidia/cuda:12.7.0-devel-ubuntu22.04", &r),
		0);
	eb_base_row_release(&r);
}

/* ---- frameworks -----------------------------------------------------------*/

/* The cell of the row that has exactly this version; "" where it is "-". */
static char *cell_of(const char *framework, const char *version, int column)
{
	struct eb_table t;
	char *found = NULL;

	eb_table_open(&t, eb_frameworks_tsv);
	while (!found && eb_table_next(&t)) {
		const char *const *cell = t.row.cell;

		if (strcmp(cell[FRAMEWORK_NAME], framework) == 0 &&
		    strcmp(cell[FRAMEWORK_VERSION], version) == 0)
			found = eb_strdup(cell[column] ? cell[column] : "");
	}
	eb_table_close(&t);
	if (!found)
		fail_msg("%s %s has no row", framework, version);
	return found;
}

static void has_cell(const char *framework, const char *version, int column,
		     const char *expected)
{
	eb_autofree char *cell = cell_of(framework, version, column);

	assert_string_equal(cell, expected);
}

static void torch_matrix(void **state)
{
	static const char *const all[][5] = {
		{ "2.14.*", "3.10-3.15", "12.6 13.0 13.2", "none",
		  "12.6=9.10.2.21 13.0=9.24.0.43 13.2=9.24.0.43" },
		{ "2.13.*", "3.10-3.15", "12.6 13.0", "13.2",
		  "12.6=9.10.2.21 13.0=9.20.0.48 13.2=9.20.0.48" },
		{ "2.12.*", "3.10-3.14", "12.6 13.0", "13.2",
		  "12.6=9.10.2.21 13.0=9.20.0.48 13.2=9.20.0.48" },
		{ "2.11.*", "3.10-3.14", "12.6 12.8 13.0", "none",
		  "12.6=9.10.2.21 12.8=9.17.1.4 13.0=9.17.1.4" },
		{ "2.10.*", "3.10-3.14", "12.6 12.8", "13.0",
		  "12.6=9.10.2.21 12.8=9.10.2.21 13.0=9.15.1.9" },
		{ "2.9.*", "3.10-3.14", "12.6 12.8", "13.0",
		  "12.6=9.10.2.21 12.8=9.10.2.21 13.0=9.13.0.50" },
		{ "2.8.*", "3.9-3.13", "12.6 12.8", "12.9",
		  "12.6=9.10.2.21 12.8=9.10.2.21 12.9=9.10.2.21" },
		{ "2.7.*", "3.9-3.13", "11.8 12.6", "12.8",
		  "11.8=9.1.0.70 12.6=9.5.1.17 12.8=9.7.1.26" },
		{ "2.6.*", "3.9-3.13", "11.8 12.4", "12.6",
		  "11.8=9.1.0.70 12.4=9.1.0.70 12.6=9.5.1.17" },
		{ "2.5.*", "3.9-3.12", "11.8 12.1 12.4", "none",
		  "11.8=9.1.0.70 12.1=9.1.0.70 12.4=9.1.0.70" },
		{ "2.4.*", "3.8-3.12", "11.8 12.1", "12.4",
		  "11.8=9.1.0.70 12.1=9.1.0.70 12.4=9.1.0.70" },
		{ "2.3.*", "3.8-3.11", "11.8", "12.1",
		  "11.8=8.7.0.84 12.1=8.9.2.26" },
		{ "2.2.*", "3.8-3.11", "11.8", "12.1",
		  "11.8=8.7.0.84 12.1=8.9.2.26" },
		{ "2.1.*", "3.8-3.11", "11.8", "12.1",
		  "11.8=8.7.0.84 12.1=8.9.2.26" },
		{ "2.0.*", "3.8-3.11", "11.7", "11.8",
		  "11.7=8.5.0.96 11.8=8.7.0.84" },
		{ "1.13.*", "3.7-3.10", "11.6", "11.7",
		  "11.6=8.3.2.44 11.7=8.5.0.96" },
		{ "1.12.*", "3.7-3.10", "11.3", "11.6",
		  "11.3=8.3.2.44 11.6=8.3.2.44" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		has_cell("torch", all[i][0], FRAMEWORK_PYTHON, all[i][1]);
		has_cell("torch", all[i][0], FRAMEWORK_STABLE, all[i][2]);
		has_cell("torch", all[i][0], FRAMEWORK_EXPERIMENTAL, all[i][3]);
		has_cell("torch", all[i][0], FRAMEWORK_CUDNN, all[i][4]);
	}
}

static void torch_wheels(void **state)
{
	static const char *const all[][6] = {
		/* torch, vision, audio, builds, Python, default */
		{ "2.12.1", "0.27.1", "2.11.0", "12.6 12.9 13.0 13.2",
		  "3.10-3.14", "" },
		{ "2.11.0", "0.26.0", "2.11.0", "12.6 12.8 12.9 13.0",
		  "3.10-3.14", "" },
		{ "2.10.0", "0.25.0", "2.10.0", "12.6 12.8 13.0", "3.10-3.14",
		  "" },
		{ "2.9.1", "0.24.1", "2.9.1", "12.6 12.8 13.0", "3.10-3.14",
		  "" },
		{ "2.9.0", "0.24.0", "2.9.0", "12.6 12.8 13.0", "3.10-3.14",
		  "" },
		{ "2.8.0", "0.23.0", "2.8.0", "12.6 12.8 12.9", "3.9-3.13",
		  "" },
		{ "2.7.1", "0.22.1", "2.7.1", "11.8 12.6 12.8", "3.9-3.13",
		  "" },
		{ "2.7.0", "0.22.0", "2.7.0", "11.8 12.6 12.8", "3.9-3.13",
		  "" },
		{ "2.6.0", "0.21.0", "2.6.0", "11.8 12.4 12.6", "3.9-3.13",
		  "" },
		{ "2.5.1", "0.20.1", "2.5.1", "11.8 12.1 12.4", "3.9-3.12",
		  "" },
		{ "2.5.0", "0.20.0", "2.5.0", "11.8 12.1 12.4", "3.9-3.12",
		  "" },
		{ "2.4.1", "0.19.1", "2.4.1", "11.8 12.1 12.4", "3.8-3.12",
		  "" },
		{ "2.4.0", "0.19.0", "2.4.0", "11.8 12.1 12.4", "3.8-3.12",
		  "" },
		{ "2.3.1", "0.18.1", "2.3.1", "11.8 12.1", "3.8-3.12", "" },
		{ "2.3.0", "0.18.0", "2.3.0", "11.8 12.1", "3.8-3.12", "" },
		{ "2.2.2", "0.17.2", "2.2.2", "11.8 12.1", "3.8-3.12", "" },
		{ "2.2.1", "0.17.1", "2.2.1", "11.8 12.1", "3.8-3.12", "" },
		{ "2.2.0", "0.17.0", "2.2.0", "11.8 12.1", "3.8-3.12", "" },
		{ "2.1.2", "0.16.2", "2.1.2", "11.8 12.1", "3.8-3.11", "" },
		{ "2.1.1", "0.16.1", "2.1.1", "11.8 12.1", "3.8-3.11", "" },
		{ "2.1.0", "0.16.0", "2.1.0", "11.8 12.1", "3.8-3.11", "" },
		{ "2.0.1", "0.15.2", "2.0.2", "11.7 11.8", "3.8-3.11", "11.7" },
		{ "2.0.0", "0.15.1", "2.0.1", "11.7 11.8", "3.8-3.11", "11.7" },
		{ "1.13.1", "0.14.1", "0.13.1", "11.6 11.7", "3.7-3.10", "" },
		{ "1.13.0", "0.14.0", "0.13.0", "11.6 11.7", "3.7-3.10", "" },
		{ "1.12.1", "0.13.1", "0.12.1", "10.2 11.3 11.6", "3.7-3.10",
		  "" },
		{ "1.12.0", "0.13.0", "0.12.0", "10.2 11.3 11.6", "3.7-3.10",
		  "" },
		{ "1.11.0", "0.12.0", "0.11.0", "10.2 11.3", "3.7-3.10", "" },
		{ "1.10.1", "0.11.2", "0.10.1", "10.2 11.1", "3.6-3.9", "" },
		{ "1.10.0", "0.11.0", "0.10.0", "10.2 11.1", "3.6-3.9", "" },
		{ "1.9.1", "0.10.1", "0.9.1", "10.2 11.1", "3.6-3.9", "" },
		{ "1.9.0", "0.10.0", "0.9.0", "10.2 11.1", "3.6-3.9", "" },
		{ "1.8.1", "0.9.1", "0.8.1", "10.1 10.2 11.1", "3.6-3.9", "" },
		{ "1.8.0", "0.9.0", "0.8.0", "10.2 11.1", "3.6-3.9", "10.2" },
		{ "1.7.1", "0.8.2", "0.7.2", "9.2 10.1 10.2 11.0", "3.6-3.9",
		  "10.2" },
		{ "1.7.0", "0.8.1", "0.7.0", "9.2 10.1 10.2 11.0", "3.6-3.8",
		  "10.2" },
		{ "1.6.0", "0.7.0", "", "9.2 10.1 10.2", "3.6-3.8", "10.2" },
		{ "1.5.1", "0.6.1", "", "9.2 10.1 10.2", "3.5-3.8", "10.2" },
		{ "1.5.0", "0.6.0", "", "9.2 10.1 10.2", "3.5-3.8", "10.2" },
		{ "1.4.0", "0.5.0", "", "9.2 10.1", "2.7 3.5-3.8", "10.1" },
		{ "1.2.0", "0.4.0", "", "9.2 10.0", "2.7 3.5-3.7", "10.0" },
		{ "1.3.*", "0.4.1", "", "", "", "" },
		{ "1.1.*", "0.2.1", "", "", "", "" },
		{ "1.0.*", "0.2.1", "", "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		const char *v = all[i][0];

		has_cell("torch", v, FRAMEWORK_VISION, all[i][1]);
		has_cell("torch", v, FRAMEWORK_AUDIO, all[i][2]);
		has_cell("torch", v, FRAMEWORK_BUILDS, all[i][3]);
		has_cell("torch", v, FRAMEWORK_PYTHON, all[i][4]);
		has_cell("torch", v, FRAMEWORK_DEFAULT, all[i][5]);
	}
}

static void tensorflow(void **state)
{
	static const char *const all[][4] = {
		/* minor, Python, CUDA, cuDNN */
		{ "2.21", "3.10-3.13", "12.5", "9.3" },
		{ "2.20", "3.9-3.13", "12.5", "9.3" },
		{ "2.19", "3.9-3.12", "12.5", "9.3" },
		{ "2.18", "3.9-3.12", "12.5", "9.3" },
		{ "2.17", "3.9-3.12", "12.3", "8.9" },
		{ "2.16", "3.9-3.12", "12.3", "8.9" },
		{ "2.15", "3.9-3.11", "12.2", "8.9" },
		{ "2.14", "3.9-3.11", "11.8", "8.7" },
		{ "2.13", "3.8-3.11", "11.8", "8.6" },
		{ "2.12", "3.8-3.11", "11.8", "8.6" },
		{ "2.11", "3.7-3.10", "11.2", "8.1" },
		{ "2.10", "3.7-3.10", "11.2", "8.1" },
		{ "2.9", "3.7-3.10", "11.2", "8.1" },
		{ "2.8", "3.7-3.10", "11.2", "8.1" },
		{ "2.7", "3.7-3.9", "11.2", "8.1" },
		{ "2.6", "3.6-3.9", "11.2", "8.1" },
		{ "2.5", "3.6-3.9", "11.2", "8.1" },
		{ "2.4", "3.6-3.8", "11.0", "8.0" },
		{ "2.3", "3.5-3.8", "10.1", "7.6" },
		{ "2.2", "3.5-3.8", "10.1", "7.6" },
		{ "2.1", "2.7 3.5-3.7", "10.1", "7.6" },
		{ "2.0", "2.7 3.3-3.7", "10.0", "7.4" },
		{ "1.15", "2.7 3.3-3.7", "10.0", "7.4" },
		{ "1.14", "2.7 3.3-3.7", "10.0", "7.4" },
		{ "1.13", "2.7 3.3-3.7", "10.0", "7.4" },
		{ "1.12", "2.7 3.3-3.6", "9.0", "7" },
		{ "1.5", "2.7 3.3-3.6", "9.0", "7" },
		{ "1.4", "2.7 3.3-3.6", "8.0", "6" },
		{ "1.3", "2.7 3.3-3.6", "8.0", "6" },
		{ "1.2", "2.7 3.3-3.6", "8.0", "5.1" },
		{ "1.0", "2.7 3.3-3.6", "8.0", "5.1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		eb_autofree char *v = eb_asprintf("%s.*", all[i][0]);
		bool old = all[i][0][0] == '1';
		bool extra = !old && atoi(all[i][0] + 2) >= 14;

		has_cell("tensorflow", v, FRAMEWORK_PYTHON, all[i][1]);
		has_cell("tensorflow", v, FRAMEWORK_BUILDS, all[i][2]);
		has_cell("tensorflow", v, FRAMEWORK_CUDNN, all[i][3]);
		has_cell("tensorflow", v, FRAMEWORK_PACKAGE,
			 old ? "tensorflow-gpu" : "tensorflow");
		has_cell("tensorflow", v, FRAMEWORK_LIBRARIES,
			 extra ? "extra" : "base");
	}
}

static void jax_and_mxnet(void **state)
{
	(void)state;
	has_cell("jax", ">=0.7", FRAMEWORK_BUILDS, "12.* 13.*");
	has_cell("jax", ">=0.7", FRAMEWORK_CUDNN, ">=9.8,<10");
	has_cell("jax", ">=0.4.30,<0.4.40", FRAMEWORK_BUILDS, ">=12.1,<13");
	has_cell("jax", ">=0.4.30,<0.4.40", FRAMEWORK_CUDNN, ">=9.0,<10");
	has_cell("jax", ">=0.4.1,<=0.4.25", FRAMEWORK_BUILDS, "11.4 11.8 12.*");
	has_cell("mxnet", "1.9.1", FRAMEWORK_BUILDS, "10.2 11.0 11.2");
	has_cell("mxnet", "1.8.0", FRAMEWORK_BUILDS, "10.1 10.2 11.0 11.2");
	has_cell("mxnet", ">=1.5,<1.8", FRAMEWORK_BUILDS, "9.2 10.0 10.1 10.2");
	has_cell("horovod", "*", FRAMEWORK_NEEDS,
		 "MPI NCCL compiler cmake framework-first");
	has_cell("deepspeed", "*", FRAMEWORK_NEEDS, "nvcc ssh");
}

/* ---- architectures --------------------------------------------------------*/

static void architectures(void **state)
{
	static const char *const all[][6] = {
		/* version, CUDA, platform, sm, PTX */
		{ ">=2.12,<2.15", "12.6", "linux/amd64",
		  "5.0 6.0 7.0 7.5 8.0 8.6 9.0", "none" },
		{ ">=2.12,<2.15", "13.0", "linux/amd64",
		  "7.5 8.0 8.6 9.0 10.0 12.0", "12.0" },
		{ ">=2.12,<2.15", "13.2", "linux/amd64",
		  "7.5 8.0 8.6 9.0 10.0 12.0", "12.0" },
		{ ">=2.12,<2.15", "12.6", "linux/arm64", "8.0 9.0", "none" },
		{ ">=2.12,<2.15", "13.0", "linux/arm64",
		  "8.0 9.0 10.0 11.0 12.0", "12.0" },
		{ ">=2.12,<2.15", "13.2", "linux/arm64",
		  "8.0 9.0 10.0 11.0 12.0", "12.0" },
		{ "2.7.0", "12.8", "linux/amd64", "7.5 8.0 8.6 9.0 10.0 12.0",
		  "12.0" },
		{ "2.6.0", "12.6", "linux/amd64", "5.0 9.0", "none" },
		{ "2.4.1", "12.4", "linux/amd64", "5.0 9.0", "none" },
		{ "2.0.1", "11.8", "linux/amd64", "3.7 9.0", "none" },
		{ "1.13.1", "11.7", "linux/amd64", "3.7 8.6", "none" },
		{ ">=2.7.0", ">=12.8", NULL, "12.0", NULL },
		{ ">=2.7.0", ">=12.8", NULL, "10.0", NULL },
		{ ">=2.0.1", ">=11.8", NULL, "9.0", NULL },
	};
	struct eb_table t;
	size_t n = 0;

	(void)state;
	eb_table_open(&t, eb_architectures_tsv);
	while (eb_table_next(&t)) {
		const char *const *cell = t.row.cell;

		if (strcmp(cell[ARCH_FRAMEWORK], "torch") != 0)
			continue;
		assert_true(n < COUNT(all));
		assert_string_equal(cell[ARCH_VERSION], all[n][0]);
		assert_string_equal(cell[ARCH_CUDA], all[n][1]);
		assert_string_equal(cell[ARCH_SM], all[n][3]);
		if (all[n][2])
			assert_string_equal(cell[ARCH_PLATFORM], all[n][2]);
		if (all[n][4])
			assert_string_equal(cell[ARCH_PTX], all[n][4]);
		n++;
	}
	eb_table_close(&t);
	assert_int_equal(n, COUNT(all));
}

static void architectures_read(void **state)
{
	static const char *const all[][2] = {
		{ "7.0", "7.0" },   { "70", "7.0" },	  { "sm_70", "7.0" },
		{ "12.0", "12.0" }, { "sm_120", "12.0" }, { "120", "12.0" },
	};
	static const char *const none[] = { "",	    "volta", "7",    "7.0.1",
					    "sm_x", "1200",  "123.4" };

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		eb_autofree char *got = eb_arch_read(all[i][0]);

		assert_string_equal(got, all[i][1]);
	}
	for (size_t i = 0; i < COUNT(none); i++)
		assert_null(eb_arch_read(none[i]));
}

/* ---- the recorded data ----------------------------------------------------*/

static json_t *recorded(const char *file)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *path =
		eb_asprintf("%s/cuda/%s", data ? data : "", file);
	EB_AUTOBUF(text, EB_MAX_METADATA);
	json_t *j;

	if (eb_read_file(path, text.max, &text, &err) < 0) {
		print_message("ENVBUILD_DATA: \"%s\" is missing\n", path);
		skip();
	}
	j = eb_json_parse(text.data, text.len, file, &err);
	assert_non_null(j);
	return j;
}

static void recorded_images(void **state)
{
	eb_autojson json_t *rows =
		recorded("cog_cuda_compatibility_2026-06-18_branch.json");
	json_t *j;
	size_t i;

	(void)state;
	json_array_foreach (rows, i, j) {
		eb_autofree char *os =
			eb_asprintf("ubuntu %s", eb_json_str(j, "Ubuntu"));
		struct eb_base_row r;

		look_up(eb_json_str(j, "Tag"), &r);
		assert_string_equal(r.cuda, eb_json_str(j, "CUDA"));
		assert_string_equal(r.cudnn, eb_json_str(j, "CuDNN"));
		assert_string_equal(r.os, os);
		eb_base_row_release(&r);
	}
	assert_int_equal(i, 88);
}

static void recorded_torch_file(const char *file, size_t n)
{
	eb_autojson json_t *rows = recorded(file);
	json_t *j;
	size_t i;

	json_array_foreach (rows, i, j) {
		const char *torch = eb_json_str(j, "Torch");
		const char *cuda = eb_json_str(j, "CUDA");
		eb_autofree char *v = eb_strndup(torch, strcspn(torch, "+"));
		eb_autofree char *builds =
			cell_of("torch", v, FRAMEWORK_BUILDS);

		if (cuda && !eb_cell_has(builds, cuda))
			fail_msg("torch %s: no build for %s", v, cuda);
	}
	assert_int_equal(i, n);
}

static void recorded_torch(void **state)
{
	(void)state;
	recorded_torch_file("cog_torch_compatibility.json", 96);
	recorded_torch_file("cog_torch_compatibility_2026-02-09_126rows.json",
			    126);
	recorded_torch_file("cog_torch_compatibility_2025-08-01_122rows.json",
			    122);
	recorded_torch_file("cog_torch_compatibility_2026-06-18_branch.json",
			    100);
}

static void recorded_drivers(void **state)
{
	eb_autojson json_t *file = recorded("cuda_driver_min.json");
	const json_t *rows = eb_json_arr(file, "toolkit_driver_linux");
	json_t *j;
	size_t i, n = 0;

	(void)state;
	json_array_foreach (rows, i, j) {
		struct eb_table t;

		eb_table_open(&t, eb_drivers_tsv);
		while (eb_table_next(&t))
			if (strcmp(t.row.cell[DRIVER_CUDA],
				   eb_json_str(j, "cuda")) == 0) {
				assert_string_equal(t.row.cell[DRIVER_FULL],
						    eb_json_str(j, "driver"));
				n++;
			}
		eb_table_close(&t);
	}
	assert_int_equal(n, 59);
	assert_int_equal(i, 59);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toolkit_drivers),
		cmocka_unit_test(driver_floors),
		cmocka_unit_test(drivers_that_serve),
		cmocka_unit_test(devel_images),
		cmocka_unit_test(deleted_images),
		cmocka_unit_test(old_images),
		cmocka_unit_test(azure_images),
		cmocka_unit_test(plain_images),
		cmocka_unit_test(nearest_images),
		cmocka_unit_test(torch_matrix),
		cmocka_unit_test(torch_wheels),
		cmocka_unit_test(tensorflow),
		cmocka_unit_test(jax_and_mxnet),
		cmocka_unit_test(architectures),
		cmocka_unit_test(architectures_read),
		cmocka_unit_test(recorded_images),
		cmocka_unit_test(recorded_torch),
		cmocka_unit_test(recorded_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
