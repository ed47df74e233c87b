-- SPDX-License-Identifier: Apache-2.0
-- The user's own environments (envbuild-catalogue(5)). Nothing here can be made
-- again from elsewhere: a migration changes, it never throws away.

CREATE TABLE environment (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of registering
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  number INTEGER,          -- the version, where it is a whole number
  definition BLOB NOT NULL, -- what makes two of them the same
  text TEXT NOT NULL,      -- as it was
  file TEXT NOT NULL,      -- what a reader takes the text for
  files TEXT,              -- JSON: Azure's files that it was loaded from
  variables TEXT NOT NULL, -- JSON: [["NAME", "VALUE"], ...], sorted
  options TEXT NOT NULL,   -- JSON: [["as-of", "2020-09-30"], ...], sorted
  origin TEXT,             -- what it was made from
  framework TEXT,          -- of the contents, for lists
  cuda TEXT,
  archived INTEGER NOT NULL DEFAULT 0,
  time INTEGER NOT NULL,   -- seconds
  UNIQUE (name, version)
);
CREATE INDEX environment_definition ON environment (name, definition);

CREATE TABLE label (
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  environment INTEGER NOT NULL REFERENCES environment (id),
  PRIMARY KEY (name, label)
) WITHOUT ROWID;

-- What definitions hash to under certain settings, so that lists need not read
-- them all again. The one thing here that can be thrown away.
CREATE TABLE memo (
  identity BLOB NOT NULL,  -- environment.definition
  settings BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (identity, settings)
) WITHOUT ROWID;
