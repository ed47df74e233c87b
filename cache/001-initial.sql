-- SPDX-License-Identifier: Apache-2.0
-- The index of the store, version 1. Described in envbuild-store(5).
--
-- Keys and digests are SHA-256, 32 bytes each. Every column called blob,
-- paths, text, record, manifest or config names a file in blobs/sha256/.
-- "used" is the last use in microseconds since 1970, "time" is in seconds.

CREATE TABLE item (
	kind TEXT NOT NULL CHECK (kind IN ('L', 'P')),
	key BLOB NOT NULL,
	compressor TEXT NOT NULL,
	plain BLOB NOT NULL,
	plain_size INTEGER NOT NULL,
	blob BLOB NOT NULL,
	size INTEGER NOT NULL,
	paths BLOB NOT NULL,
	PRIMARY KEY (kind, key, compressor)
) WITHOUT ROWID;
CREATE INDEX item_blob ON item (blob);

-- Which parts a joined layer was made of, in their order.
CREATE TABLE layer_part (
	layer BLOB NOT NULL,
	compressor TEXT NOT NULL,
	position INTEGER NOT NULL,
	part BLOB NOT NULL,
	paths BLOB NOT NULL,
	PRIMARY KEY (layer, compressor, position)
) WITHOUT ROWID;
CREATE INDEX layer_part_part ON layer_part (part, compressor);

-- "serial" grows with every row that is put: of two locks of one second the
-- later one is the newer.
CREATE TABLE lock (
	lock BLOB NOT NULL,
	definition BLOB NOT NULL,
	text BLOB NOT NULL,
	record BLOB NOT NULL,
	time INTEGER NOT NULL,
	serial INTEGER NOT NULL,
	PRIMARY KEY (lock, definition)
) WITHOUT ROWID;
CREATE INDEX lock_definition ON lock (definition, time, serial);

CREATE TABLE image (
	manifest BLOB NOT NULL PRIMARY KEY,
	lock BLOB NOT NULL,
	compressor TEXT NOT NULL,
	config BLOB NOT NULL,
	record BLOB NOT NULL,
	size INTEGER NOT NULL,
	time INTEGER NOT NULL,
	used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX image_lock ON image (lock, compressor, time);

CREATE TABLE image_blob (
	manifest BLOB NOT NULL REFERENCES image (manifest) ON DELETE CASCADE,
	blob BLOB NOT NULL,
	PRIMARY KEY (manifest, blob)
) WITHOUT ROWID;
CREATE INDEX image_blob_blob ON image_blob (blob);

CREATE TABLE fact (
	kind TEXT NOT NULL,
	key TEXT NOT NULL,
	text TEXT NOT NULL,
	blob BLOB,
	used INTEGER NOT NULL,
	PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- Every blob that a row names, with its size where the row tells it, and what
-- names it.
CREATE VIEW named (blob, size, what) AS
	SELECT blob, size, CASE kind WHEN 'L' THEN 'a layer' ELSE 'a part' END
		FROM item
	UNION ALL SELECT paths, NULL, 'a path list' FROM item
	UNION ALL SELECT paths, NULL, 'a path list' FROM layer_part
	UNION ALL SELECT text, NULL, 'a lock' FROM lock
	UNION ALL SELECT record, NULL, 'a lock' FROM lock
	UNION ALL SELECT manifest, NULL, 'an image' FROM image
	UNION ALL SELECT config, NULL, 'an image' FROM image
	UNION ALL SELECT record, NULL, 'an image' FROM image
	UNION ALL SELECT blob, NULL, 'an image' FROM image_blob
	UNION ALL SELECT blob, NULL, 'a fact' FROM fact WHERE blob IS NOT NULL;

-- Every blob that an image or a fact reaches, with the last use of that image
-- or fact. What is named but not reached goes with the next collection; locks
-- stand for themselves.
CREATE VIEW reached (blob, used) AS
	SELECT manifest, used FROM image
	UNION ALL SELECT config, used FROM image
	UNION ALL SELECT record, used FROM image
	UNION ALL SELECT b.blob, i.used FROM image i
		JOIN image_blob b ON b.manifest = i.manifest
	UNION ALL SELECT l.paths, i.used FROM image i
		JOIN image_blob b ON b.manifest = i.manifest
		JOIN item l ON l.blob = b.blob AND l.kind = 'L'
	UNION ALL SELECT lp.paths, i.used FROM image i
		JOIN image_blob b ON b.manifest = i.manifest
		JOIN item l ON l.blob = b.blob AND l.kind = 'L'
		JOIN layer_part lp ON lp.layer = l.key
			AND lp.compressor = l.compressor
	UNION ALL SELECT p.blob, i.used FROM image i
		JOIN image_blob b ON b.manifest = i.manifest
		JOIN item l ON l.blob = b.blob AND l.kind = 'L'
		JOIN layer_part lp ON lp.layer = l.key
			AND lp.compressor = l.compressor
		JOIN item p ON p.kind = 'P' AND p.key = lp.part
			AND p.compressor = lp.compressor
	UNION ALL SELECT p.paths, i.used FROM image i
		JOIN image_blob b ON b.manifest = i.manifest
		JOIN item l ON l.blob = b.blob AND l.kind = 'L'
		JOIN layer_part lp ON lp.layer = l.key
			AND lp.compressor = l.compressor
		JOIN item p ON p.kind = 'P' AND p.key = lp.part
			AND p.compressor = lp.compressor
	UNION ALL SELECT blob, used FROM fact WHERE blob IS NOT NULL;
