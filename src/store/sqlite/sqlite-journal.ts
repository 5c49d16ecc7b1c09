import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { Journal, JournalChange, JournalCommit, PastValue } from '../mirror/journal.ts';
import { openDatabase } from './open-database.ts';
import { PastCommits } from './past-commits.ts';
import { asChange, asEntry, type Row } from './rows.ts';
import { SpaceRevisions } from './space-revisions.ts';
import { Sweeper } from './sweeper.ts';

/**
 * Every value is one row, appended once: the newest row of a document is its value, the older ones are its
 * history, linked by `prev`. So a document is written once and not a second time for the history, and appending
 * rows touches few pages. `doc` is NULL for a removal.
 */
const schema = [
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
  /** Removed documents by what they were found by: `topic` is topicOf's, `seq` the row of the removal. */
  `
    CREATE TABLE removed (seq INTEGER NOT NULL, topic TEXT NOT NULL, PRIMARY KEY (seq, topic)) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_topic ON removed (topic, seq)`,
];

interface Removal {
  readonly seq: number;
  readonly revision: number;
}

interface LoadedRow {
  readonly seq: number;
  readonly revision: number;
  readonly born: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  readonly doc: string | null;
}

const columns = 8;
/** Rows of a large change that go in by one statement: each call costs as much as several rows. */
const rowsAtOnce = 32;
/** Rows that are looked at in one turn: some milliseconds. */
const rowsOfSlice = 2000;

/** Of each kind, index → the value(s) that a removed document is found by. */
export type FindBy = Readonly<
  Record<
    string,
    Readonly<Record<string, (doc: object) => string | readonly string[] | undefined>> | undefined
  >
>;

/** Of a kind: the changes that nobody asks the past for. */
export type Quiet = Readonly<
  Record<string, ((before: object | undefined, after: object | undefined) => boolean) | undefined>
>;

export class SqliteJournal implements Journal {
  readonly #db: DatabaseSync;
  readonly #insertEntry: StatementSync;
  readonly #insertEntries: StatementSync;
  readonly #insertRevision: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #insertRemoved: StatementSync;
  readonly #findBy: FindBy;
  readonly #quiet: Quiet;
  readonly #spaces = new SpaceRevisions();
  readonly #past: PastCommits;
  /**
   * The row of the last removal of a document, for as long as the history knows it, and some longer; where its history begins.
   * Of no meaning while the document is there again.
   */
  readonly #removed = new Map<string, Removal>();
  readonly #sweeper: Sweeper;

  constructor({
    path,
    revisionsKept,
    findBy,
    quiet,
  }: {
    readonly path: string;
    readonly revisionsKept: number;
    readonly findBy: FindBy;
    readonly quiet: Quiet;
  }) {
    this.#findBy = findBy;
    this.#quiet = quiet;
    this.#db = openDatabase(path, schema);
    const row = '(?, ?, ?, ?, ?, ?, ?, ?)';
    this.#insertEntry = this.#db.prepare(`INSERT INTO entry VALUES ${row}`);
    this.#insertEntries = this.#db.prepare(
      `INSERT INTO entry VALUES ${Array(rowsAtOnce).fill(row).join(', ')}`,
    );
    this.#insertRevision = this.#db.prepare('INSERT INTO revision VALUES (?, ?, ?, ?)');
    this.#insertRemoved = this.#db.prepare('INSERT INTO removed VALUES (?, ?)');
    this.#past = new PastCommits(this.#db, this.#spaces, quiet, () => this.horizon);
    this.#sweeper = new Sweeper(this.#db, revisionsKept);
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#rollback = this.#db.prepare('ROLLBACK');
  }

  get horizon(): number {
    return this.#sweeper.horizon;
  }

  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number } {
    const current = new Map<string, Map<string, Map<string, LoadedRow>>>();
    let revision = this.horizon;
    let seq = 0;
    // Only the newest row of a document is parsed, so all rows are seen before the first is.
    for (const row of this.#rowsInOrder()) {
      const { space, kind, id } = row;
      ({ seq } = row);
      revision = Math.max(revision, row.revision);
      let kinds = current.get(space);
      if (!kinds) current.set(space, (kinds = new Map()));
      let ids = kinds.get(kind);
      if (!ids) kinds.set(kind, (ids = new Map()));
      if (row.revision > this.horizon) {
        const quiet = this.#quiet[kind];
        const isQuiet = quiet?.(parsed(ids.get(id)?.doc), parsed(row.doc)) ?? false;
        this.#spaces.add(space, row.revision, isQuiet);
      }
      if (row.doc !== null) ids.set(id, row);
      else {
        ids.delete(id);
        this.#removed.set(keyOf(space, kind, id), { seq, revision: row.revision });
      }
    }
    for (const [space, kinds] of current) {
      for (const [kind, ids] of kinds) {
        // Not the order of the rows when those that a document had at first are gone.
        const rows = [...ids.values()].sort((a, b) => a.born - b.born);
        for (const row of rows) onEntry(space, kind, asEntry(row, row.doc as string));
        // A hundred thousand rows' text need not wait for the last kind.
        ids.clear();
      }
    }
    return { revision, seq };
  }

  append(commits: readonly JournalCommit[]): void {
    this.#begin.run();
    let swept: ReturnType<Sweeper['sweep']>;
    const removed = new Map<string, Removal>();
    try {
      for (const commit of commits) this.#insert(commit, removed);
      swept = this.#sweeper.sweep(commits.at(-1)?.revision ?? 0);
      this.#commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw error;
    }
    for (const [key, removal] of removed) this.#removed.set(key, removal);
    for (const { revision, changes } of commits)
      for (const { space, kind, before, after } of changes)
        this.#spaces.add(space, revision, this.#quiet[kind]?.(before?.doc, after?.doc) ?? false);
    for (const { seq, space, kind, id } of swept.forgotten) {
      const key = keyOf(space, kind, id);
      if (this.#removed.get(key)?.seq === seq) this.#removed.delete(key);
    }
    if (swept.horizon.revision !== this.horizon) this.#spaces.forget(swept.horizon.revision);
    this.#sweeper.moved(swept.horizon);
  }

  *commitsAfter(revision: number): Iterable<JournalCommit> {
    const rows = this.#db.prepare(
      `SELECT e.*, r.at, r.by, p.doc AS prev_doc, p.revision AS prev_revision, p.born AS prev_born
       FROM entry e JOIN revision r ON r.revision = e.revision LEFT JOIN entry p ON p.seq = e.prev
       WHERE e.seq >= (SELECT first_seq FROM revision WHERE revision > ? ORDER BY revision LIMIT 1)
       ORDER BY e.seq`,
    );
    let commit: (JournalCommit & { changes: JournalChange[] }) | undefined;
    for (const row of rows.iterate(revision) as Iterable<Row>) {
      if (commit?.revision !== row['revision']) {
        if (commit) yield commit;
        commit = {
          revision: row['revision'] as number,
          at: row['at'] as string,
          by: row['by'] as string,
          changes: [],
        };
      }
      commit?.changes.push(asChange(row));
    }
    if (commit) yield commit;
  }

  *valuesAt(revision: number): Iterable<readonly PastValue[]> {
    const first = this.#sweeper.firstAfter(revision);
    const newest = this.#db.prepare('SELECT max(seq) AS seq FROM entry').get()?.['seq'];
    if (first === undefined || typeof newest !== 'number') return;
    // Of all later rows of a document, the first is the one whose predecessor is not later.
    const slice = this.#db.prepare(
      `SELECT e.*, p.doc AS prev_doc, p.revision AS prev_revision, p.born AS prev_born
       FROM entry e LEFT JOIN entry p ON p.seq = e.prev
       WHERE e.seq >= ? AND e.seq <= ? AND (e.prev IS NULL OR e.prev < ?)`,
    );
    for (let from = first; from <= newest; from += rowsOfSlice) {
      const rows = slice.all(from, Math.min(from + rowsOfSlice - 1, newest), first) as Row[];
      yield rows.map((row) => asChange({ ...row, doc: null }));
    }
  }

  past(query: Parameters<Journal['past']>[0]): ReturnType<Journal['past']> {
    return this.#past.find(query);
  }

  removalOf(space: string, kind: string, id: string): number | undefined {
    return this.#knownRemoval(keyOf(space, kind, id));
  }

  removed(space: string, kind: string, index: string, value: string): readonly { id: string; seq: number }[] {
    if (!this.#findBy[kind]?.[index])
      throw new Error(`removed documents are not found by "${index}" of ${kind}`);
    const rows = this.#db.prepare(
      'SELECT e.id, r.seq FROM removed r JOIN entry e ON e.seq = r.seq WHERE r.topic = ? AND e.revision > ? ORDER BY r.seq',
    );
    return rows.all(topicOf(space, kind, index, value), this.horizon) as { id: string; seq: number }[];
  }

  revisionAt(at: string): number | undefined {
    const found = this.#db.prepare(
      'SELECT revision FROM revision WHERE at <= ? AND revision > ? ORDER BY revision DESC LIMIT 1',
    );
    return found.get(at, this.horizon)?.['revision'] as number | undefined;
  }

  timeOf(revision: number): string {
    if (revision <= this.horizon) return '';
    return (this.#db.prepare('SELECT at FROM revision WHERE revision = ?').get(revision)?.['at'] ??
      '') as string;
  }

  close(): void {
    this.#db.close();
  }

  /** Pages of arrays: a third of the time that an iterator of objects takes. */
  *#rowsInOrder(): Iterable<LoadedRow> {
    const page = this.#db.prepare(
      'SELECT seq, revision, born, space, kind, id, doc FROM entry WHERE seq > ? ORDER BY seq LIMIT 1000',
    );
    page.setReturnArrays(true);
    for (let after = -1; ;) {
      const rows = page.all(after) as unknown as [
        number,
        number,
        number,
        string,
        string,
        string,
        string | null,
      ][];
      for (const [seq, revision, born, space, kind, id, doc] of rows) {
        yield { seq, revision, born, space, kind, id, doc };
        after = seq;
      }
      if (rows.length < 1000) return;
    }
  }

  #insert({ revision, at, by, changes }: JournalCommit, removed: Map<string, Removal>): void {
    const first = changes[0];
    if (!first) return;
    this.#insertRevision.run(revision, first.seq, at, by);
    const values: (string | number | null)[] = [];
    for (const { seq, before, after, space, kind, id } of changes) {
      const prev = before?.seq ?? this.#lastRemoval(space, kind, id, removed);
      const doc = after ? JSON.stringify(after.doc) : null;
      values.push(seq, revision, prev, after?.born ?? seq, space, kind, id, doc);
      if (!after) {
        removed.set(keyOf(space, kind, id), { seq, revision });
        if (before) this.#insertTopics(space, kind, seq, before.doc);
      }
      if (values.length < rowsAtOnce * columns) continue;
      this.#insertEntries.run(...values);
      values.length = 0;
    }
    for (let n = 0; n < values.length; n += columns) this.#insertEntry.run(...values.slice(n, n + columns));
  }

  #insertTopics(space: string, kind: string, seq: number, doc: object): void {
    for (const [index, valuesOf] of Object.entries(this.#findBy[kind] ?? {})) {
      const values = valuesOf(doc);
      for (const value of new Set(typeof values === 'string' ? [values] : values))
        this.#insertRemoved.run(seq, topicOf(space, kind, index, value));
    }
  }

  #lastRemoval(space: string, kind: string, id: string, removed: Map<string, Removal>): number | null {
    if (removed.size + this.#removed.size === 0) return null;
    const key = keyOf(space, kind, id);
    return removed.get(key)?.seq ?? this.#knownRemoval(key) ?? null;
  }

  #knownRemoval(key: string): number | undefined {
    const removal = this.#removed.get(key);
    return removal && removal.revision > this.horizon ? removal.seq : undefined;
  }
}

function keyOf(space: string, kind: string, id: string): string {
  return `${space}\0${kind}\0${id}`;
}

function parsed(doc: string | null | undefined): object | undefined {
  return typeof doc === 'string' ? (JSON.parse(doc) as object) : undefined;
}

function topicOf(space: string, kind: string, index: string, value: string): string {
  return [space, kind, index, value].join('\0');
}
