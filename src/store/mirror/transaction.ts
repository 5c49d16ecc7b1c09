import type { Admit, KindOf, Transactor, Written } from '../store.ts';
import type { Delta } from './delta.ts';
import type { Entries } from './entries.ts';
import type { Entry } from './entry-set.ts';
import type { JournalChange } from './journal.ts';
import { entrySize, sameEntry, type LongValues } from './long-values.ts';
import type { Mirror } from './mirror.ts';
import { Overlay } from './overlay.ts';
import { everything, type IndexFunctions, type Rows, type Table } from './table.ts';
import { View, type Source } from './view.ts';

/** Thrown into a change whose snapshot has become stale; the change runs again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** A write of a transaction: it becomes the journal's change when it gets its row. */
export interface Write extends JournalChange {
  seq: number;
}

/** Maximum runs of a change before it is rejected. */
export const runsMax = 20;

/** Whether a write changes its document. */
export function isChange({ before, after }: Write): boolean {
  return before ? !after || !sameEntry(before, after) : after !== undefined;
}

/** Reads of one kind in one space with the revisions that were seen; 0 = absent. */
interface Reads {
  readonly space: string;
  readonly kind: string;
  readonly docs: Map<string, number>;
  /** Index → value → revision. */
  readonly sets: Map<string, Map<string, number>>;
}

/** Where a change writes documents of one kind: looked up once for a run of them. */
interface Target {
  readonly space: string;
  readonly kind: string;
  readonly delta: Delta;
  readonly below: Table | undefined;
  readonly functions: readonly IndexFunctions[string][];
  /** Bytes that the space's documents count for without the transaction's writes. */
  readonly held: number;
  readonly grown: Grown;
  readonly isFull: (index: string, value: string, max: number) => boolean;
  readonly heldBy: (index: string, value: string) => number;
}

/** Bytes by which a transaction's writes change what the documents of a space count for. */
interface Grown {
  bytes: number;
}

/**
 * Birth of entries that a transaction adds: they come after all existing ones, until the commit gives them their
 * place.
 */
const provisionalBirth = 2 ** 52;

/**
 * Reads and writes of one run of a change. When others have committed between two reads (only after an await),
 * everything read so far is compared again: it stays one consistent snapshot, or the change conflicts at once.
 */
export class Transaction implements Source {
  readonly now: string;
  readonly newUuid: () => string;
  readonly #mirror: Mirror;
  readonly #values: LongValues;
  readonly #overlay: Overlay;
  readonly #revision: () => number;
  readonly #admit: Admit<Record<string, object>> | undefined;
  /** Growth by space. */
  readonly #grown = new Map<string, Grown>();
  #target: Target | undefined;
  readonly #reads = new Map<string, Map<string, Reads>>();
  /** Each document once, in the order of insertion; of one that was removed and put again, the last place counts. */
  readonly #written: Write[] = [];
  /** Whether a document was written more than once, so that its first recorded write is not its last value. */
  #hasRewrites = false;
  #moved = false;
  #spacesRead: number | undefined;
  /** Version of the mirror at the first write, and at the last look. */
  #writtenOn: number | undefined;
  #version: number;
  #births = provisionalBirth;
  #ended = false;
  #conflicted = false;
  /** The document that was peeked at last: the controller's own, at which every put of a change looks. */
  #peeked: { readonly kind: string; readonly id: string; readonly doc: object | undefined } | undefined;
  readonly #peek = (kind: string, id: string): object | undefined => {
    if (this.#peeked?.kind !== kind || this.#peeked.id !== id)
      this.#peeked = { kind, id, doc: this.#overlay.rows('', kind)?.get(id)?.doc };
    return this.#peeked.doc;
  };

  constructor(options: {
    mirror: Mirror;
    values: LongValues;
    revision: () => number;
    now: string;
    newUuid: () => string;
    admit?: Admit<Record<string, object>> | undefined;
  }) {
    this.now = options.now;
    this.#admit = options.admit;
    this.newUuid = options.newUuid;
    this.#mirror = options.mirror;
    this.#values = options.values;
    this.#revision = options.revision;
    this.#overlay = new Overlay(options.mirror);
    this.#version = options.mirror.version;
  }

  get revision(): number {
    this.#catchUp();
    return this.#revision();
  }

  get(space: string, kind: string, id: string): Entry | undefined {
    this.#catchUp();
    const ownChanges = this.#overlay.own(space, kind);
    if (ownChanges?.has(id)) return ownChanges.get(id);
    const entry = this.#mirror.table(space, kind)?.get(id);
    this.#readsOf(space, kind).docs.set(id, entry?.revision ?? 0);
    return entry;
  }

  revisionOf(space: string, kind: string, id: string): number {
    this.#catchUp();
    const revision = this.#mirror.table(space, kind)?.get(id)?.revision ?? 0;
    this.#readsOf(space, kind).docs.set(id, revision);
    return revision;
  }

  find(space: string, kind: string, index: string, value: string): Entries | undefined {
    this.#readSet(space, kind, index, value);
    return this.#overlay.rows(space, kind)?.find(index, value);
  }

  count(space: string, kind: string, index: string, value: string): number {
    this.#readSet(space, kind, index, value);
    return this.#overlay.rows(space, kind)?.count(index, value) ?? 0;
  }

  spaces(): Iterable<string> {
    this.#catchUp();
    this.#spacesRead = this.#mirror.spacesChanged;
    return this.#overlay.spaces();
  }

  put(space: string, kind: string, id: string, doc: object): void {
    this.#catchUp();
    const { doc: owned, long, size, inline } = this.#values.adopt(doc);
    const target = this.#targetOf(space, kind);
    const { delta, below, functions, grown } = target;
    // Index values are computed here and not at the commit: a document that its indexes cannot read must fail this
    // change alone.
    for (let n = 0; n < functions.length; n++) functions[n]!(owned);
    const isRewrite = delta.has(id);
    const before = below?.get(id);
    const current = isRewrite ? delta.get(id) : before;
    const counts = entrySize(inline, long);
    const grows = counts - (current?.size ?? 0);
    this.#admit?.({
      space,
      kind,
      id,
      // The written document still has its long members in memory.
      doc,
      size,
      before: current?.doc,
      grows,
      counts,
      held: target.held + grown.bytes,
      isFull: target.isFull,
      heldBy: target.heldBy,
      peek: this.#peek,
    });
    const born = before?.born ?? current?.born;
    const entry: Entry = {
      id,
      doc: owned,
      long,
      size: counts,
      revision: 0,
      seq: 0,
      born: born ?? ++this.#births,
    };
    if (isRewrite) this.#hasRewrites = true;
    if (!isRewrite || born === undefined)
      this.#recordWrite({ space, kind, id, seq: 0, before, after: entry });
    if (isRewrite && born === undefined) this.#moved = true;
    delta.set(id, entry);
    this.#changed(target, grows);
  }

  remove(space: string, kind: string, id: string): void {
    this.#catchUp();
    const target = this.#targetOf(space, kind);
    const { delta } = target;
    const before = target.below?.get(id);
    const current = delta.has(id) ? delta.get(id) : before;
    if (delta.has(id)) this.#hasRewrites = true;
    else this.#recordWrite({ space, kind, id, seq: 0, before, after: undefined });
    delta.set(id, undefined);
    this.#changed(target, -(current?.size ?? 0));
  }

  /** One write for each document, in the order of insertion. */
  writes(): readonly Write[] {
    if (!this.#hasRewrites && this.#writtenOn === this.#mirror.version) return this.#written;
    const places = this.#moved ? lastPlaces(this.#written) : this.#written;
    return places.map(({ space, kind, id }) => {
      const before = this.#mirror.table(space, kind)?.get(id);
      return { space, kind, id, seq: 0, before, after: this.#overlay.own(space, kind)?.get(id) };
    });
  }

  get hasWrites(): boolean {
    return this.#written.length > 0;
  }

  /** What is written, beside the newest staged state. */
  written<K>(): Written<K> {
    return {
      spaces: this.#grown.keys(),
      writes: () => this.#written,
      peek: <P extends KindOf<K>>(kind: P, id: string) => {
        const own = this.#overlay.own('', kind);
        const entry = own?.has(id) ? own.get(id) : this.#mirror.table('', kind)?.get(id);
        return entry?.doc as K[P] | undefined;
      },
    };
  }

  /** Whether everything that was read is unchanged. */
  isCurrent(): boolean {
    if (this.#conflicted) return false;
    if (this.#version === this.#mirror.version) return true;
    if (this.#spacesRead !== undefined && this.#spacesRead !== this.#mirror.spacesChanged) return false;
    for (const kinds of this.#reads.values()) {
      for (const { space, kind, docs, sets } of kinds.values()) {
        const table = this.#mirror.table(space, kind);
        for (const [id, revision] of docs) if ((table?.get(id)?.revision ?? 0) !== revision) return false;
        for (const [index, values] of sets) {
          for (const [value, changed] of values)
            if ((table?.changed(index, value) ?? 0) !== changed) return false;
        }
      }
    }
    return true;
  }

  /** Ends the transaction; later reads and writes through it throw. */
  end(): void {
    this.#ended = true;
  }

  #catchUp(): void {
    if (this.#ended) throw new Error('the change has ended');
    if (this.#version === this.#mirror.version) return;
    if (!this.isCurrent()) {
      this.#conflicted = true;
      throw new Conflict('other changes have modified what was read');
    }
    this.#version = this.#mirror.version;
    this.#peeked = undefined;
    this.#target = undefined;
    this.#overlay.mirrorChanged();
  }

  /** Must be called after catching up with the mirror. */
  #targetOf(space: string, kind: string): Target {
    if (this.#target?.kind === kind && this.#target.space === space) return this.#target;
    const delta = this.#overlay.delta(space, kind);
    const below = this.#mirror.table(space, kind);
    let grown = this.#grown.get(space);
    if (!grown) this.#grown.set(space, (grown = { bytes: 0 }));
    this.#target = {
      space,
      kind,
      delta,
      below,
      functions: this.#mirror.functionList(kind),
      held: this.#mirror.bytes(space),
      grown,
      isFull: (index, value, max) => isFull({ below, delta, index, value, max }),
      heldBy: (index, value) => delta.held(index, value),
    };
    return this.#target;
  }

  #changed({ space, grown }: Target, grows: number): void {
    grown.bytes += grows;
    if (space === '') this.#peeked = undefined;
  }

  #recordWrite(written: Write): void {
    this.#writtenOn ??= this.#mirror.version;
    this.#written.push(written);
  }

  #readSet(space: string, kind: string, index: string, value: string): void {
    this.#catchUp();
    const { sets } = this.#readsOf(space, kind);
    let values = sets.get(index);
    if (!values) sets.set(index, (values = new Map()));
    values.set(value, this.#mirror.table(space, kind)?.changed(index, value) ?? 0);
  }

  #readsOf(space: string, kind: string): Reads {
    let kinds = this.#reads.get(space);
    if (!kinds) this.#reads.set(space, (kinds = new Map()));
    let reads = kinds.get(kind);
    if (!reads) kinds.set(kind, (reads = { space, kind, docs: new Map(), sets: new Map() }));
    return reads;
  }
}

/**
 * Whether an index's value has `max` documents. Exact only near `max`: the delta's indexes are not made for a value
 * that is far from full.
 */
function isFull({
  below,
  delta,
  index,
  value,
  max,
}: {
  readonly below: Rows | undefined;
  readonly delta: Delta;
  readonly index: string;
  readonly value: string;
  readonly max: number;
}): boolean {
  if ((below?.count(everything, '') ?? 0) + delta.size < max) return false;
  if ((below?.count(index, value) ?? 0) + delta.size < max) return false;
  return delta.count(index, value) >= max;
}

function lastPlaces<T extends { space: string; kind: string; id: string }>(written: readonly T[]): T[] {
  const last = new Map<string, T>();
  for (const write of written) {
    const key = `${write.space}\0${write.kind}\0${write.id}`;
    last.delete(key);
    last.set(key, write);
  }
  return [...last.values()];
}

/** A transaction's Transactor for one space. */
export class TransactionView<K> extends View<K> implements Transactor<K> {
  readonly #transaction: Transaction;

  constructor(transaction: Transaction, space: string) {
    super(transaction, space);
    this.#transaction = transaction;
  }

  get now(): string {
    return this.#transaction.now;
  }

  newUuid(): string {
    return this.#transaction.newUuid();
  }

  put<P extends KindOf<K>>(kind: P, id: string, doc: K[P]): void {
    this.#transaction.put(this.space, kind, id, doc as object);
  }

  remove(kind: KindOf<K>, id: string): void {
    this.#transaction.remove(this.space, kind, id);
  }

  override in(space: string): Transactor<K> {
    return new TransactionView<K>(this.#transaction, space);
  }
}
