import { createHash } from 'node:crypto';
import { ValueGone } from '../../core/value-gone.ts';
import type { Entry } from './entry-set.ts';
import type { JournalChange } from './journal.ts';
import { adoptJson, deepFreeze, jsonSize, sameJson } from './json.ts';

/**
 * Long members of documents (charm state, the output of actions, config text) are kept out of memory and history: the
 * document has a getter that reads them from the journal, which stores each once, by the SHA-256 of its JSON.
 */

/**
 * Maximum JSON length of what a document holds itself, in characters; beyond it the longest members are kept apart.
 */
export const inlineMax = 8 * 1024;
/** Minimum JSON length of a member that is kept apart. */
const memberMin = 512;
/** Size of the cache of values, in characters of JSON. */
const cachedMax = 8 * 1024 * 1024;

interface LongRef {
  /** SHA-256 of the value's JSON, in hex. */
  readonly hash: string;
  /** Size of the value's JSON, in bytes. */
  readonly size: number;
}

/** A member of a document that is kept apart. */
export interface LongMember extends LongRef {
  readonly member: string;
  /** JSON of the value, until the journal has it. */
  text: string | undefined;
  /** Journal row of the document, once the journal has the value. */
  row: RowName | undefined;
  /**
   * Whether possibly only the history refers to the value, so that it may have been deleted; false = the document is
   * live.
   */
  isPast: boolean;
}

/** Names a row and the document that it belongs to. */
export interface RowName {
  readonly seq: number;
  readonly revision: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

/** Reads the long values of a journal, with a cache of the values read last. */
export class LongValues {
  readonly #find: (hash: string) => string | undefined;
  readonly #lost: (long: LongMember, isOther: boolean) => Error;
  readonly #inline: number;
  readonly #read = new Map<string, { readonly value: unknown; readonly length: number }>();
  #length = 0;

  /**
   * @param find Returns a value's JSON; undefined when it is missing. @param lost Returns the error for a value that
   * is missing or differs from what was written. @param inline The most that a document holds itself; default:
   * inlineMax.
   */
  constructor(
    find: (hash: string) => string | undefined,
    lost: (long: LongMember, isOther: boolean) => Error = (long) => new ValueGone(long),
    inline = inlineMax,
  ) {
    this.#find = find;
    this.#lost = lost;
    this.#inline = inline;
  }

  /** Reads a value. Errors: ValueGone, or the journal's error about a damaged value. */
  get(long: LongMember): unknown {
    const { hash } = long;
    let cached = this.#read.get(hash);
    if (cached) this.#read.delete(hash);
    else {
      const text = long.text ?? this.#find(hash);
      if (text === undefined) throw this.#lost(long, false);
      if (long.text === undefined && hashOf(text) !== hash) throw this.#lost(long, true);
      cached = { value: deepFreeze(JSON.parse(text) as unknown), length: text.length };
      this.#length += cached.length;
    }
    this.#read.set(hash, cached);
    for (const [oldest, { length }] of this.#read) {
      if (this.#length <= cachedMax) break;
      this.#read.delete(oldest);
      this.#length -= length;
    }
    return cached.value;
  }

  /** Takes ownership of a document, as adoptJson does. */
  adopt<T extends object>(
    given: T,
  ): {
    readonly doc: T;
    readonly size: number;
    /** JSON length of what the document holds itself, with null in the place of each long member. */
    readonly inline: number;
    readonly long: readonly LongMember[] | undefined;
  } {
    const { doc, size } = adoptJson(given);
    if (size <= this.#inline || Array.isArray(doc)) return { doc, size, inline: size, long: undefined };
    const { members, left } = longest(doc, size);
    const long = members.map((member) => {
      const text = JSON.stringify(doc[member as keyof T]);
      return {
        member,
        hash: hashOf(text),
        size: Buffer.byteLength(text),
        text,
        row: undefined,
        isPast: false,
      };
    });
    if (long.length === 0) return { doc, size, inline: size, long: undefined };
    return { doc: this.join(doc, long), size, inline: left, long };
  }

  /** Builds the document with getters for its long members. */
  join<T extends object>(inline: T, long: readonly LongMember[]): T {
    const doc: T = { ...inline };
    for (const member of long)
      Object.defineProperty(doc, member.member, { enumerable: true, get: () => this.get(member) });
    return Object.freeze(doc);
  }
}

/**
 * Chooses the members to keep apart, the longest first, until the rest is short; `left` is the length of the rest,
 * with null for each of them.
 */
function longest(doc: object, size: number): { members: string[]; left: number } {
  const members = Object.entries(doc)
    .map(([member, value]) => ({ member, size: jsonSize(value) }))
    .filter((member) => member.size >= memberMin)
    .sort((a, b) => b.size - a.size);
  const apart: string[] = [];
  let left = size;
  for (const member of members) {
    if (left <= inlineMax) break;
    apart.push(member.member);
    left -= member.size - jsonSize(null);
  }
  return { members: apart, left };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Bytes that a document takes beyond its text: its place in the store and in indexes. Measured: 330 bytes. */
export const bytesOfDocument = 350;

/** Bytes that a document counts for. `inline`: jsonSize of what it holds itself. */
export function entrySize(inline: number, long: readonly LongRef[] | undefined): number {
  const ownBytes = bytesOfDocument + inline;
  return long ? long.reduce((size, one) => size + one.size, ownBytes) : ownBytes;
}

/** JSON of what the document holds itself, with null in the place of each long member. */
export function inlineJson({ doc, long }: Pick<Entry, 'doc' | 'long'>): string {
  return JSON.stringify(long ? inlineOf(doc, long) : doc);
}

function inlineOf(doc: object, long: readonly LongMember[]): object {
  const members = new Set(long.map(({ member }) => member));
  const inline: Record<string, unknown> = {};
  for (const member of Object.keys(doc))
    inline[member] = members.has(member) ? null : doc[member as keyof typeof doc];
  return inline;
}

/**
 * Marks long values once the journal has the change: the new document's are stored, the old one's are of the past.
 */
export function settleLong(change: JournalChange, revision: number): void {
  const { before, after, seq, space, kind, id } = change;
  if (!before?.long && !after?.long) return;
  const row: RowName = { seq, revision, space, kind, id };
  for (const long of after?.long ?? []) Object.assign(long, { text: undefined, row });
  for (const long of before?.long ?? []) long.isPast = true;
}

/** Whether two documents are equal. Long members are read only when nothing else decides. */
export function sameEntry(a: Entry, b: Entry): boolean {
  if (!a.long && !b.long) return sameJson(a.doc, b.doc);
  if (a.long?.length !== b.long?.length) return false;
  const pairs = a.long!.map((long) => [long, b.long!.find(({ member }) => member === long.member)] as const);
  if (!pairs.every(([long, other]) => long.size === other?.size)) return false;
  if (!sameJson(inlineOf(a.doc, a.long!), inlineOf(b.doc, b.long!))) return false;
  // Equal values whose members are in another order have another hash.
  return pairs.every(([long, other]) => {
    const member = long.member as keyof object;
    return long.hash === other?.hash || sameJson(a.doc[member], b.doc[member]);
  });
}
