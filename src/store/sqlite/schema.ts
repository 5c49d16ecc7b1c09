import { inlineMax } from '../mirror/long-values.ts';
import { rowSum } from './rows.ts';

/**
 * Every value is one row, appended once: the newest row of a document is its value, the older ones are its history,
 * linked by `prev`. A document is not written a second time for the history, and appending rows touches few pages.
 * `doc` is NULL for a removal.
 */
export const schema = [
  `
    CREATE TABLE entry (
      seq INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      prev INTEGER,
      born INTEGER NOT NULL,
      space TEXT NOT NULL,
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      doc TEXT
    ) STRICT;
    CREATE TABLE revision (
      revision INTEGER PRIMARY KEY,
      first_seq INTEGER NOT NULL,
      at TEXT NOT NULL,
      by TEXT NOT NULL
    ) STRICT;
    CREATE TABLE horizon (revision INTEGER NOT NULL) STRICT;
    INSERT INTO horizon VALUES (0)`,
  /** Removed documents by index: `topic` is topicOf's, `seq` the row of the removal. */
  `
    CREATE TABLE removed (seq INTEGER NOT NULL, topic TEXT NOT NULL, PRIMARY KEY (seq, topic)) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_topic ON removed (topic, seq)`,
  /**
   * Long members of documents are rows of `value`: `long` names them (longJson), `doc` has null in their place.
   * `quiet`: see SqliteStoreOptions.quiet. `unsplit`: rows that still hold a long document completely.
   */
  `
    ALTER TABLE entry ADD COLUMN long TEXT;
    ALTER TABLE entry ADD COLUMN quiet INTEGER;
    CREATE TABLE value (
      id INTEGER PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      size INTEGER NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE TABLE value_ref (
      seq INTEGER NOT NULL,
      value INTEGER NOT NULL,
      size INTEGER NOT NULL,
      until INTEGER,
      PRIMARY KEY (seq, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX value_ref_value ON value_ref (value);
    CREATE INDEX value_ref_until ON value_ref (until) WHERE until IS NOT NULL;
    CREATE TABLE unsplit (seq INTEGER PRIMARY KEY, until INTEGER) STRICT;
    INSERT INTO unsplit SELECT e.seq, n.seq FROM entry e LEFT JOIN entry n ON n.prev = e.seq
      WHERE octet_length(e.doc) > ${inlineMax}`,
  /** `sum`: see rowSum. */
  'ALTER TABLE entry ADD COLUMN sum INTEGER',
  /** An older version wrote rows without a sum: all have one now, so that a row without one is damaged. */
  'UPDATE entry SET sum = row_sum(seq, revision, born, space, kind, id, long, doc) WHERE sum IS NULL',
  /** An older version included names in the sum in another way. */
  'UPDATE entry SET sum = row_sum(seq, revision, born, space, kind, id, long, doc)',
  /** `pack`: NULL for a row of one document; see packs.ts. */
  'ALTER TABLE entry ADD COLUMN pack INTEGER',
  /** Packs may be tables, which an older version cannot read (packText): nothing is changed. */
  'SELECT 1',
  /** `rows`: see RowCount. */
  `
    ALTER TABLE revision ADD COLUMN rows INTEGER;
    UPDATE revision SET rows = (SELECT count(*) FROM entry) WHERE revision = (SELECT max(revision) FROM revision)`,
];

/** SQL functions that the migration steps call. */
export const functions = {
  row_sum: (
    seq: number,
    revision: number,
    born: number,
    space: string,
    kind: string,
    id: string,
    long: string | null,
    doc: string | null,
  ): number => rowSum({ seq, revision, born, space, kind, id, long, pack: null }, doc),
};
