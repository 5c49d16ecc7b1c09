/** The controller's disk: durable data outlives every crash; an unfinished write may be stored or not. */
import type { Entities } from '../../core/kinds.ts';
import { indexes } from '../../core/documents.ts';
import type { Journal, JournalCommit } from '../../store/mirror/journal.ts';
import { Mirror } from '../../store/mirror/mirror.ts';
import type { IndexFunctions, Table } from '../../store/mirror/table.ts';
import { View, type Source } from '../../store/mirror/view.ts';
import type { Reader } from '../../store/store.ts';
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { SimJournal } from './journal.ts';

interface Write {
  readonly process: SimProcess;
  readonly commits: readonly JournalCommit[];
}

/** What a disk holds at a moment. */
export interface DiskCopy {
  readonly revision: number;
  readonly seq: number;
  readonly commits: readonly JournalCommit[];
  readonly entries: readonly { space: string; kind: string; entry: Parameters<Table['put']>[0] }[];
}

const slowMs = 10_000;

export class SimDisk implements Source {
  /** Called with each commit once it is durable, in order. */
  onDurable: (commit: JournalCommit) => void = () => undefined;
  commits: JournalCommit[] = [];
  revision = 0;
  seq = 0;
  #mirror = emptyMirror();
  /** Long values by their hash; all are kept. */
  readonly #values = new Map<string, string>();
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #forgotten: ReadonlySet<string>;
  /** Unfinished write of the previous process when it died. */
  #writing: Write | undefined;

  constructor({
    seed,
    faults,
    name = 'disk',
    forgotten = new Set(),
  }: {
    readonly seed: number;
    readonly faults: Faults;
    readonly name?: string;
    /** Kinds of documents of which the history keeps nothing, because they change with each hook; default: none. */
    readonly forgotten?: ReadonlySet<string>;
  }) {
    this.#faults = faults;
    this.#random = createRandom(seed, name);
    this.#forgotten = forgotten;
  }

  /** Size of what documents hold themselves: all, where the history forgets what is long; undefined = the usual. */
  get inline(): number | undefined {
    return this.#forgotten.size > 0 ? Infinity : undefined;
  }

  /** Opens the disk for a process that starts; the previous one is dead. */
  open(process: SimProcess): Journal {
    // A kill -9 in the middle of a write leaves it stored or not.
    const left = this.#writing;
    this.#writing = undefined;
    if (left && this.#random.chance(0.5)) this.#apply(left.commits);
    return new SimJournal(this, process);
  }

  read(): Reader<Entities> {
    return new View<Entities>(this, '');
  }

  /** Copies what is durable. */
  copy(): DiskCopy {
    const { revision, seq, commits } = this;
    return { revision, seq, commits: [...commits], entries: [...this.entries()] };
  }

  /** Puts a copy in the place of what is there. The process that has the disk open must be dead. */
  replace({ revision, seq, commits, entries }: DiskCopy): void {
    this.#writing = undefined;
    this.#mirror = emptyMirror();
    for (const { space, kind, entry } of entries)
      this.#mirror.put(space, kind, { ...entry }, undefined, revision);
    Object.assign(this, { revision, seq, commits: [...commits] });
  }

  /** Writes commits. Errors: EIO, and nothing is stored. */
  write(process: SimProcess, commits: readonly JournalCommit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const last = commits.at(-1);
      if (!process.does('write', `${last?.revision} ${last?.by}`)) return;
      const faults = this.#faults;
      let delay = this.#random.skewed(0.05, 3);
      if (faults.happens('disk-slow')) delay += faults.stream('disk-slow').skewed(50, slowMs);
      this.#writing = { process, commits };
      process.after(delay, 'written', () => {
        this.#writing = undefined;
        if (faults.happens('disk-error')) return reject(new Error('EIO: i/o error, write'));
        if (faults.happens('crash-before-durable')) return process.kill();
        this.#apply(commits);
        if (faults.happens('crash-after-durable')) return process.kill();
        resolve();
      });
    });
  }

  *entries(): Iterable<{ space: string; kind: string; entry: Parameters<Table['put']>[0] }> {
    for (const space of this.#mirror.spaces())
      for (const kind of this.#mirror.kinds(space))
        for (const entry of this.find(space, kind, '', '') ?? []) yield { space, kind, entry };
  }

  get(space: string, kind: string, id: string): ReturnType<Source['get']> {
    return this.#mirror.table(space, kind)?.get(id);
  }

  /** Returns the JSON of a long value that any process has written. */
  value(hash: string): string | undefined {
    return this.#values.get(hash);
  }

  revisionOf(space: string, kind: string, id: string): number {
    return this.get(space, kind, id)?.revision ?? 0;
  }

  find(space: string, kind: string, index: string, value: string): ReturnType<Source['find']> {
    return this.#mirror.table(space, kind)?.find(index, value);
  }

  count(space: string, kind: string, index: string, value: string): number {
    return this.#mirror.table(space, kind)?.count(index, value) ?? 0;
  }

  spaces(): Iterable<string> {
    return this.#mirror.spaces();
  }

  #apply(commits: readonly JournalCommit[]): void {
    for (const commit of commits) {
      this.revision = commit.revision;
      for (const { space, kind, id, seq, before, after } of commit.changes) {
        this.seq = seq;
        for (const { hash, text } of after?.long ?? []) if (text !== undefined) this.#values.set(hash, text);
        // The entry is copied, as the store continues to use its entries.
        if (after)
          this.#mirror.put(space, kind, { ...after }, before && this.get(space, kind, id), commit.revision);
        else this.#mirror.remove(space, kind, id, commit.revision);
      }
      this.#remember(commit);
      this.onDurable(commit);
    }
  }

  #remember(commit: JournalCommit): void {
    const forgotten = this.#forgotten;
    if (forgotten.size === 0) return void this.commits.push(commit);
    const changes = commit.changes.filter(({ kind }) => !forgotten.has(kind));
    if (changes.length > 0) this.commits.push({ ...commit, changes });
  }
}

function emptyMirror(): Mirror {
  return new Mirror(indexes as Readonly<Record<string, IndexFunctions | undefined>>);
}
