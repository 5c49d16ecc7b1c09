import { indexes } from '../../core/documents.ts';
import type { Journal, JournalChange, JournalCommit, PastValue } from '../../store/mirror/journal.ts';
import { LongValues } from '../../store/mirror/long-values.ts';
import { indexValues, type IndexFunctions } from '../../store/mirror/table.ts';
import type { PastCommit } from '../../store/store.ts';
import type { SimDisk } from './disk.ts';
import type { SimProcess } from './process.ts';

type Documents = Record<string, object>;

/** Journal for one process on the simulated disk, which keeps all history but what the disk is told to forget. */
export class SimJournal implements Journal {
  readonly horizon = 0;
  readonly values: LongValues;
  readonly #disk: SimDisk;
  readonly #process: SimProcess;

  constructor(disk: SimDisk, process: SimProcess) {
    this.#disk = disk;
    this.values = new LongValues((hash) => disk.value(hash), undefined, disk.inline);
    this.#process = process;
  }

  load(onEntry: Parameters<Journal['load']>[0]): { revision: number; seq: number } {
    const { revision, seq } = this.#disk;
    for (const { space, kind, entry } of this.#disk.entries()) onEntry(space, kind, { ...entry });
    return { revision, seq };
  }

  append(commits: readonly JournalCommit[]): Promise<void> {
    return this.#disk.write(this.#process, commits);
  }

  commitsAfter(revision: number): Iterable<JournalCommit> {
    return this.#disk.commits.slice(this.#after(revision));
  }

  *valuesAt(revision: number): Iterable<readonly PastValue[]> {
    const seen = new Set<string>();
    for (const { changes } of this.commitsAfter(revision)) {
      const first = changes.filter((change) => !seen.has(keyOf(change)));
      for (const change of first) seen.add(keyOf(change));
      yield first;
    }
  }

  *past({ space, rows, after, upTo }: Parameters<Journal['past']>[0]): Iterable<PastCommit<Documents>> {
    const { commits } = this.#disk;
    const wanted = new Set<string>();
    const seqs = new Set(rows);
    for (const { changes } of commits)
      for (const change of changes) if (seqs.has(change.seq)) wanted.add(keyOf(change));
    for (let place = this.#after(upTo) - 1; place >= this.#after(after); place--) {
      const commit = commits[place];
      if (!commit) return;
      const found = commit.changes.filter((change) => change.space === space || wanted.has(keyOf(change)));
      if (found.length === 0) continue;
      const { revision, at, by } = commit;
      yield { revision, at, by, total: found.length, changes: (most) => found.slice(0, most).map(asChange) };
    }
  }

  removalOf(space: string, kind: string, id: string): number | undefined {
    const key = keyOf({ space, kind, id });
    return this.#removals().findLast((change) => keyOf(change) === key)?.seq;
  }

  removed(space: string, kind: string, index: string, value: string): readonly JournalChange[] {
    const functions = (indexes as Readonly<Record<string, IndexFunctions>>)[kind] ?? {};
    return this.#removals().filter(
      (change) =>
        change.space === space &&
        change.kind === kind &&
        change.before &&
        indexValues(functions, index, change.before.doc).includes(value),
    );
  }

  revisionAt(at: string): number | undefined {
    return this.#disk.commits.findLast((commit) => commit.at <= at)?.revision;
  }

  timeOf(revision: number): string {
    const commit = this.#disk.commits[this.#after(revision - 1)];
    return commit?.revision === revision ? commit.at : '';
  }

  close(): void {}

  #removals(): JournalChange[] {
    return this.#disk.commits.flatMap(({ changes }) => changes.filter(({ after }) => !after));
  }

  /** Returns the index of the first commit after the revision. */
  #after(revision: number): number {
    const { commits } = this.#disk;
    let low = 0;
    let high = commits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((commits[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function keyOf({ space, kind, id }: { space: string; kind: string; id: string }): string {
  return `${space} ${kind} ${id}`;
}

function asChange({ space, kind, id, before, after }: JournalChange): {
  space: string;
  kind: string;
  id: string;
  before: object | undefined;
  after: object | undefined;
} {
  return { space, kind, id, before: before?.doc, after: after?.doc };
}
