import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { Journal, JournalChange, JournalCommit } from '../mirror/journal.ts';
import { deepFreeze } from '../mirror/json.ts';
import type { HistoryEntry, HistoryQuery } from '../store.ts';
import { openDatabase } from './open-database.ts';

/**
 * Every value is one row, appended once: the newest row of a document is its value, the older ones are its
 * history, linked by `prev`. So a document is written once and not a second time for the history, and appending
 * rows touches few pages. `doc` is NULL for a removal.
 */
const schema = {
  version: 1,
  sql: `
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
};

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

type Row = Record<string, unknown>;

const columns = 8;
/** Rows of a large change that go in by one statement: each call costs as much as several rows. */
const rowsAtOnce = 32;

export class SqliteJournal implements Journal {
  readonly #db: DatabaseSync;
  readonly #revisionsKept: number;
  readonly #insertEntry: StatementSync;
  readonly #insertEntries: StatementSync;
  readonly #insertRevision: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  /**
   * The row of the last removal of a document, for as long as the history knows it; where its history begins.
   * Of no meaning while the document is there again.
   */
  readonly #removed = new Map<string, Removal>();
  #horizon: number;

  constructor({ path, revisionsKept }: { path: string; revisionsKept: number }) {
    this.#db = openDatabase(path, schema);
    this.#revisionsKept = revisionsKept;
    const row = '(?, ?, ?, ?, ?, ?, ?, ?)';
    this.#insertEntry = this.#db.prepare(`INSERT INTO entry VALUES ${row}`);
    this.#insertEntries = this.#db.prepare(
      `INSERT INTO entry VALUES ${Array(rowsAtOnce).fill(row).join(', ')}`,
    );
    this.#insertRevision = this.#db.prepare('INSERT INTO revision VALUES (?, ?, ?, ?)');
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#rollback = this.#db.prepare('ROLLBACK');
    this.#horizon = Number(this.#db.prepare('SELECT revision FROM horizon').get()?.['revision']);
  }

  get horizon(): number {
    return this.#horizon;
  }

  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number } {
    const current = new Map<string, Map<string, Map<string, LoadedRow>>>();
    let revision = this.#horizon;
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
    let compacted: number;
    const removed = new Map<string, Removal>();
    try {
      for (const commit of commits) this.#insert(commit, removed);
      compacted = this.#compact(commits.at(-1)?.revision ?? 0);
      this.#commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      throw error;
    }
    for (const [key, removal] of removed) this.#removed.set(key, removal);
    if (compacted === this.#horizon) return;
    this.#horizon = compacted;
    for (const [key, { revision }] of this.#removed) if (revision <= compacted) this.#removed.delete(key);
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

  history(query: HistoryQuery, newest: number | undefined): readonly HistoryEntry<object>[] {
    const { space, kind, id } = query;
    if (space === undefined || kind === undefined || id === undefined) return this.#scanHistory(query);
    return this.#historyOf(newest ?? this.#removed.get(keyOf(space, kind, id))?.seq, query);
  }

  close(): void {
    this.#db.close();
  }

  /** Follows a document's rows back in time: costs what it returns. */
  #historyOf(
    newest: number | undefined,
    { limit = 100, after = 0, upTo }: HistoryQuery,
  ): HistoryEntry<object>[] {
    const rowAt = this.#db.prepare(
      'SELECT e.*, r.at, r.by FROM entry e JOIN revision r ON r.revision = e.revision WHERE e.seq = ?',
    );
    const entries: HistoryEntry<object>[] = [];
    for (let seq = newest; seq !== undefined && entries.length < limit;) {
      const row: Row | undefined = rowAt.get(seq);
      if (!row || (row['revision'] as number) <= after) break;
      if (upTo === undefined || (row['revision'] as number) <= upTo) entries.push(asHistoryEntry(row));
      seq = (row['prev'] as number | null) ?? undefined;
    }
    return entries;
  }

  #scanHistory(query: HistoryQuery): HistoryEntry<object>[] {
    const { space, kind, id, limit = 100, after = 0, upTo = Number.MAX_SAFE_INTEGER } = query;
    const filter = { space: space ?? null, kind: kind ?? null, id: id ?? null };
    const rows = this.#db.prepare(
      `SELECT e.*, r.at, r.by FROM entry e JOIN revision r ON r.revision = e.revision
       WHERE e.seq >= (SELECT first_seq FROM revision WHERE revision > :after ORDER BY revision LIMIT 1)
         AND e.revision <= :upTo
         AND (:space IS NULL OR e.space = :space) AND (:kind IS NULL OR e.kind = :kind)
         AND (:id IS NULL OR e.id = :id)
       ORDER BY e.seq DESC LIMIT :limit`,
    );
    return (rows.all({ ...filter, after, upTo, limit }) as Row[]).map(asHistoryEntry);
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
      if (!after) removed.set(keyOf(space, kind, id), { seq, revision });
      if (values.length < rowsAtOnce * columns) continue;
      this.#insertEntries.run(...values);
      values.length = 0;
    }
    for (let n = 0; n < values.length; n += columns) this.#insertEntry.run(...values.slice(n, n + columns));
  }

  #lastRemoval(space: string, kind: string, id: string, removed: Map<string, Removal>): number | null {
    if (removed.size + this.#removed.size === 0) return null;
    const key = keyOf(space, kind, id);
    return removed.get(key)?.seq ?? this.#removed.get(key)?.seq ?? null;
  }

  /**
   * Deletes values that were replaced before the history begins. In steps, since each looks at all rows of the
   * revisions that go. Returns the new horizon.
   */
  #compact(newest: number): number {
    const horizon = newest - this.#revisionsKept;
    const step = Math.min(1000, Math.ceil(this.#revisionsKept / 10));
    if (horizon - this.#horizon < step) return this.#horizon;
    const first = '(SELECT first_seq FROM revision WHERE revision > ? ORDER BY revision LIMIT 1)';
    const range = `seq >= ${first} AND seq < ${first}`;
    const bounds = [this.#horizon, horizon];
    this.#db
      .prepare(`DELETE FROM entry WHERE seq IN (SELECT prev FROM entry WHERE ${range} AND prev IS NOT NULL)`)
      .run(...bounds);
    this.#db.prepare(`DELETE FROM entry WHERE ${range} AND doc IS NULL`).run(...bounds);
    this.#db.prepare('DELETE FROM revision WHERE revision <= ?').run(horizon);
    this.#db.prepare('UPDATE horizon SET revision = ?').run(horizon);
    return horizon;
  }
}

function keyOf(space: string, kind: string, id: string): string {
  return `${space}\0${kind}\0${id}`;
}

function asEntry(row: Row | LoadedRow, doc: string): Entry {
  return {
    id: row['id'] as string,
    doc: deepFreeze(JSON.parse(doc) as object),
    revision: row['revision'] as number,
    seq: row['seq'] as number,
    born: row['born'] as number,
  };
}

function asChange(row: Row): JournalChange {
  const { doc, prev_doc: prevDoc } = row as { doc: string | null; prev_doc: string | null };
  const before: Row = {
    id: row['id'],
    revision: row['prev_revision'],
    seq: row['prev'],
    born: row['prev_born'],
  };
  return {
    space: row['space'] as string,
    kind: row['kind'] as string,
    id: row['id'] as string,
    seq: row['seq'] as number,
    before: prevDoc === null ? undefined : asEntry(before, prevDoc),
    after: doc === null ? undefined : asEntry(row, doc),
  };
}

function asHistoryEntry(row: Row): HistoryEntry<object> {
  return {
    revision: row['revision'] as number,
    at: row['at'] as string,
    by: row['by'] as string,
    space: row['space'] as string,
    kind: row['kind'] as string,
    id: row['id'] as string,
    doc: row['doc'] === null ? undefined : deepFreeze(JSON.parse(row['doc'] as string) as object),
  } as unknown as HistoryEntry<object>;
}
