import { JujuError } from '../../core/errors.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Entry } from '../mirror/entry-set.ts';
import type { Journal, JournalChange, JournalCommit, PastValue } from '../mirror/journal.ts';
import type { HeldFile } from '../held-file.ts';
import type { StoreReport } from '../report.ts';
import { LongValues } from '../mirror/long-values.ts';
import { checkOlder, entryReader, rowHeads, type RowHead } from './load-rows.ts';
import { holdFile } from './hold-file.ts';
import { lostValue } from './lost-value.ts';
import { PastCommits } from './past-commits.ts';
import { refuseTooLarge } from './refuse-too-large.ts';
import { RowCount } from './row-count.ts';
import { RowWriter } from './row-writer.ts';
import { documentCount, holds } from './packs.ts';
import { asChanges, checkRow, DamagedRow, previous, withPrevious, type Row } from './rows.ts';
import { named, repairCommand, storeProblem } from './store-problem.ts';
import { SpaceRevisions } from './space-revisions.ts';
import { quietRows, type Quiet } from './quiet-rows.ts';
import { reportRowsInTurns } from './report-rows.ts';
import { splitRows } from './split-rows.ts';
import { Sweeper, type Swept } from './sweeper.ts';
import { ValueTable } from './value-table.ts';

interface Removal {
  readonly seq: number;
  readonly revision: number;
}

/** Rows that are read in one turn: some milliseconds. */
const rowsOfSlice = 2000;

/** Kind → index → the value(s) that a removed document is found by. */
export type FindBy = Readonly<
  Record<
    string,
    Readonly<Record<string, (doc: object) => string | readonly string[] | undefined>> | undefined
  >
>;

export class SqliteJournal implements Journal {
  readonly #db: DatabaseSync;
  readonly #writer: RowWriter;
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
   * Last removal of each document: its row and where its history begins. Kept at least as long as the history knows
   * it; meaningless while the document exists again.
   */
  readonly #removed = new Map<string, Removal>();
  readonly #sweeper: Sweeper;
  readonly #table: ValueTable;
  readonly #count: RowCount;
  readonly values: LongValues;
  readonly problem: string | undefined;
  readonly isDamaged: boolean;
  readonly #path: string;
  readonly #memoryBytes: number | undefined;

  constructor({
    path,
    db,
    problem,
    isDamaged,
    memoryBytes,
    revisionsKept,
    pastValues,
    findBy,
    quiet,
    documentsOfPack,
  }: {
    readonly path: string;
    /** Database that openDatabase returned. */
    readonly db: DatabaseSync;
    readonly problem: string | undefined;
    /** Whether damaged rows are hidden (hideDamaged), so that nothing may be written. */
    readonly isDamaged: boolean;
    /** Memory that the documents may take, in bytes; absent = what the process may have. */
    readonly memoryBytes?: number | undefined;
    readonly revisionsKept: number;
    /** Maximum bytes of long values that only the history refers to. */
    readonly pastValues: number | undefined;
    readonly findBy: FindBy;
    readonly quiet: Quiet;
    /** Number of new documents of a change that are written as one row; default: that of packs.ts. */
    readonly documentsOfPack?: number | undefined;
  }) {
    this.#findBy = findBy;
    this.#quiet = quiet;
    this.#db = db;
    this.problem = problem;
    this.isDamaged = isDamaged;
    this.#path = path;
    this.#memoryBytes = memoryBytes;
    this.#writer = new RowWriter(this.#db, documentsOfPack);
    this.#count = new RowCount(this.#db);
    this.#insertRevision = this.#db.prepare(
      'INSERT INTO revision (revision, first_seq, at, by) VALUES (?, ?, ?, ?)',
    );
    this.#insertRemoved = this.#db.prepare('INSERT INTO removed VALUES (?, ?)');
    this.#table = new ValueTable(this.#db, pastValues);
    this.values = new LongValues(
      (hash) => named(path, () => this.#table.find(hash)),
      (long, isOther) => {
        const error = named(path, () => lostValue(db, long, isOther));
        return error instanceof DamagedRow
          ? new JujuError('', this.#damaged(error), { cause: error })
          : error;
      },
    );
    this.#past = new PastCommits(this.#db, this.#spaces, quiet, () => this.horizon, this.values);
    this.#sweeper = new Sweeper(this.#db, revisionsKept);
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#rollback = this.#db.prepare('ROLLBACK');
  }

  report(pause: () => Promise<void>): Promise<StoreReport> {
    return reportRowsInTurns(this.#db, pause);
  }

  holdFile(): HeldFile {
    return holdFile(this.#db, this.#path);
  }

  explain(error: unknown): string {
    return storeProblem(this.#path, error);
  }

  get horizon(): number {
    return this.#sweeper.horizon;
  }

  load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number } {
    try {
      return this.#load(onEntry);
    } catch (error) {
      if (error instanceof DamagedRow) throw new Error(this.#damaged(error), { cause: error });
      throw error;
    }
  }

  /** Explains what is lost with a row, and how to go on. */
  #damaged({ message, row }: DamagedRow): string {
    const before = this.#db
      .prepare(
        `SELECT p.revision FROM entry e JOIN entry p ON ${holds('p', 'e.prev')} WHERE e.seq = ? AND p.doc IS NOT NULL`,
      )
      .get(row.seq)?.['revision'];
    const lost = documentCount(row.pack ?? null) > 1 ? 'those not changed since' : 'the document';
    const without =
      typeof before === 'number' ? `it would be as at revision ${before}` : `${lost} would be lost`;
    return (
      `${this.#path} is damaged: ${message}. Nothing was changed. Stop the controller and restore a copy of the folder, or run ` +
      `${repairCommand(this.#path)} then, which removes the row: ${without}; see docs/reference/store.md`
    );
  }

  #load(onEntry: (space: string, kind: string, entry: Entry) => void): { revision: number; seq: number } {
    if (!this.isDamaged) splitRows(this.#db, this.#table, this.values);
    refuseTooLarge(this.#db, this.#path, this.#memoryBytes);
    const newest = this.#db.prepare('SELECT max(revision) AS revision FROM revision').get()?.['revision'];
    const revision = Math.max(this.horizon, Number(newest ?? 0));
    const { current, seq } = this.#newestEntries();
    for (const [space, kinds] of current) {
      for (const [kind, ids] of kinds) {
        const entries = [...ids.values()].filter((entry) => entry !== undefined);
        ids.clear();
        // The order of rows differs from the order of birth once a document's first rows are gone.
        for (const entry of entries.sort((a, b) => a.born - b.born)) onEntry(space, kind, entry);
      }
    }
    return { revision, seq };
  }

  /** Entries by space, kind and id; `undefined` for removed documents. */
  #newestEntries(): { current: Current; seq: number } {
    const current: Current = new Map();
    const wasQuiet = quietRows(this.#db, this.#quiet);
    const read = entryReader(this.#db, this.values);
    const { horizon } = this;
    let newest: number | undefined;
    let last: RowHead | undefined;
    let ids = new Map<string, Entry | undefined>();
    let count = 0;
    for (const rows of rowHeads(this.#db)) {
      count += rows.length;
      for (const row of rows) {
        const { space, kind, id, seq, revision } = row;
        newest ??= seq;
        if (last?.kind !== kind || last.space !== space) ids = mapIn(mapIn(current, space), kind);
        last = row;
        if (revision > horizon) {
          const isQuiet = wasQuiet(row);
          this.#spaces.add(space, revision, isQuiet, documentCount(row.pack));
        }
        if (row.pack !== null) {
          for (const entry of read(row)) if (!ids.has(entry.id)) ids.set(entry.id, entry);
        } else if (ids.has(id)) checkOlder(row);
        else if (!row.isRemoval) ids.set(id, read(row)[0]);
        else {
          checkRow(row, null);
          ids.set(id, undefined);
          this.#removed.set(keyOf(space, kind, id), { seq, revision });
        }
      }
    }
    this.#count.check(count);
    this.#spaces.turn();
    return { current, seq: newest ?? 0 };
  }

  append(commits: readonly JournalCommit[]): void {
    if (this.isDamaged) throw new Error(this.problem);
    this.#begin.run();
    let swept: Swept;
    let { rows } = this.#count;
    const removed = new Map<string, Removal>();
    try {
      for (const commit of commits) rows += this.#insert(commit, removed);
      swept = this.#sweeper.sweep(commits.at(-1)?.revision ?? 0);
      this.#count.write((rows -= swept.rows));
      if (this.#table.past.count > 0) {
        const first = commits[0]?.changes[0]?.seq ?? 0;
        this.#table.sweep(this.#sweeper.firstAfter(swept.horizon.revision) ?? first, first);
      }
      this.#commit.run();
    } catch (error) {
      if (this.#db.isTransaction) this.#rollback.run();
      this.#table.reload();
      throw error;
    }
    for (const [key, removal] of removed) this.#removed.set(key, removal);
    for (const { revision, changes } of commits) this.#countChanges(revision, changes);
    for (const { seq, space, kind, id } of swept.forgotten) {
      const key = keyOf(space, kind, id);
      if (this.#removed.get(key)?.seq === seq) this.#removed.delete(key);
    }
    if (swept.horizon.revision !== this.horizon) this.#spaces.forget(swept.horizon.revision);
    this.#sweeper.moved(swept.horizon);
    this.#count.moved(rows);
  }

  #countChanges(revision: number, changes: readonly JournalChange[]): void {
    for (let from = 0, to = 0; from < changes.length; from = to) {
      const { space } = changes[from]!;
      const isQuiet = this.#isQuiet(changes[from]!);
      for (to = from + 1; to < changes.length; to++)
        if (changes[to]!.space !== space || this.#isQuiet(changes[to]!) !== isQuiet) break;
      this.#spaces.add(space, revision, isQuiet, to - from);
    }
  }

  *commitsAfter(revision: number): Iterable<JournalCommit> {
    const rows = this.#db.prepare(
      `SELECT ${withPrevious}, r.at, r.by
       FROM entry e JOIN revision r ON r.revision = e.revision ${previous}
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
      commit?.changes.push(...asChanges(row, this.values));
    }
    if (commit) yield commit;
  }

  *valuesAt(revision: number): Iterable<readonly PastValue[]> {
    const first = this.#sweeper.firstAfter(revision);
    const newest = this.#db.prepare('SELECT max(seq) AS seq FROM entry').get()?.['seq'];
    if (first === undefined || typeof newest !== 'number') return;
    // Of all later rows of a document, the first is the one whose predecessor is not later.
    const slice = this.#db.prepare(
      `SELECT ${withPrevious} FROM entry e ${previous}
       WHERE e.seq >= ? AND e.seq <= ? AND (e.prev IS NULL OR e.prev < ?)`,
    );
    for (let from = first; from <= newest; from += rowsOfSlice) {
      const rows = slice.all(from, Math.min(from + rowsOfSlice - 1, newest), first) as Row[];
      yield rows.flatMap((row) => asChanges(row['pack'] === null ? { ...row, doc: null } : row, this.values));
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

  /** Returns the number of rows of table entry. */
  #insert({ revision, at, by, changes }: JournalCommit, removed: Map<string, Removal>): number {
    const first = changes[0];
    if (!first) return 0;
    this.#insertRevision.run(revision, first.seq, at, by);
    const rows = this.#writer.write(
      revision,
      changes,
      ({ before, space, kind, id }) => before?.seq ?? this.#lastRemoval(space, kind, id, removed),
      (change) => this.#isQuiet(change),
    );
    for (const { seq, before, after, space, kind, id } of changes) {
      if (before?.long || after?.long) this.#table.change(seq, before, after);
      if (after) continue;
      removed.set(keyOf(space, kind, id), { seq, revision });
      if (before) this.#insertTopics(space, kind, seq, before.doc);
    }
    return rows;
  }

  #isQuiet({ kind, before, after }: JournalChange): boolean {
    return this.#quiet[kind]?.(before?.doc, after?.doc) ?? false;
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

/** Space → kind → id. */
type Current = Map<string, Map<string, Map<string, Entry | undefined>>>;

/** The map under the key; created when there is none. */
function mapIn<V extends Map<string, unknown>>(maps: Map<string, V>, key: string): V {
  let found = maps.get(key);
  if (!found) maps.set(key, (found = new Map() as V));
  return found;
}

function keyOf(space: string, kind: string, id: string): string {
  return `${space}\0${kind}\0${id}`;
}

function topicOf(space: string, kind: string, index: string, value: string): string {
  return [space, kind, index, value].join('\0');
}
