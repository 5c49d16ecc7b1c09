import { createHash } from 'node:crypto';
import { ValueGone } from '../../core/value-gone.ts';
import type { Entry } from './entry-set.ts';
import type { JournalChange } from './journal.ts';
import { adoptJson, deepFreeze, jsonSize, sameJson } from './json.ts';

/**
 * Long members of documents (charm state, the output of actions, config text) are not in memory and not in the history:
 * the document has a getter that reads them from the journal, where each is once, by the SHA-256 of its JSON.
 */

/** What a document may hold itself, in characters of JSON: beyond that its longest members are kept apart. */
export const inlineMax = 8 * 1024;
/** Members that are not worth a row of their own. */
const memberMin = 512;
/** Of what was read last, in characters of JSON. */
const cachedMax = 8 * 1024 * 1024;

export interface LongRef {
  /** SHA-256 of the value's JSON, in hex. */
  readonly hash: string;
  /** Of its JSON, in bytes. */
  readonly size: number;
}

/** A document's member that is kept apart. */
export interface LongMember extends LongRef {
  readonly member: string;
  /** Its JSON, until the journal has it. */
  text: string | undefined;
  /** The journal's row of the document, from then on. */
  row: RowName | undefined;
  /** Maybe nothing but the history refers to it, so that it may have had to go; false = the document is live. */
  isPast: boolean;
}

/** Of which document a row is. */
export interface RowName {
  readonly seq: number;
  readonly revision: number;
  readonly space: string;
  readonly kind: string;
  readonly id: string;
}

/** The values of a journal; those that were read last stay in memory. */
export class LongValues {
  readonly #find: (hash: string) => string | undefined;
  readonly #lost: (long: LongMember, isOther: boolean) => Error;
  readonly #read = new Map<string, { readonly value: unknown; readonly length: number }>();
  #length = 0;

  /**
   * @param find A value's JSON; undefined when it is not there.
   * @param lost Why it is not there, or is another than was written.
   */
  constructor(
    find: (hash: string) => string | undefined,
    lost: (long: LongMember, isOther: boolean) => Error = (long) => new ValueGone(long),
  ) {
    this.#find = find;
    this.#lost = lost;
  }

  /** Errors: ValueGone, or what the journal says of a value that is damaged. */
  get(long: LongMember): unknown {
    const { hash } = long;
    let known = this.#read.get(hash);
    if (known) this.#read.delete(hash);
    else {
      const text = long.text ?? this.#find(hash);
      if (text === undefined) throw this.#lost(long, false);
      if (long.text === undefined && hashOf(text) !== hash) throw this.#lost(long, true);
      known = { value: deepFreeze(JSON.parse(text) as unknown), length: text.length };
      this.#length += known.length;
    }
    this.#read.set(hash, known);
    for (const [oldest, { length }] of this.#read) {
      if (this.#length <= cachedMax) break;
      this.#read.delete(oldest);
      this.#length -= length;
    }
    return known.value;
  }

  /** Takes a document over, as adoptJson does. */
  adopt<T extends object>(
    given: T,
  ): {
    readonly doc: T;
    readonly size: number;
    /** Of what it holds itself, with null in the place of each long member. */
    readonly inline: number;
    readonly long: readonly LongMember[] | undefined;
  } {
    const { doc, size } = adoptJson(given);
    if (size <= inlineMax || Array.isArray(doc)) return { doc, size, inline: size, long: undefined };
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

  /** The document with its long members, wherever they are now. */
  join<T extends object>(inline: T, long: readonly LongMember[]): T {
    const doc: T = { ...inline };
    for (const one of long)
      Object.defineProperty(doc, one.member, { enumerable: true, get: () => this.get(one) });
    return Object.freeze(doc);
  }
}

/** Which members go, the longest first, until the rest is short; and how long that is, with null for each of them. */
function longest(doc: object, size: number): { members: string[]; left: number } {
  const members = Object.entries(doc)
    .map(([member, value]) => ({ member, size: jsonSize(value) }))
    .filter((one) => one.size >= memberMin)
    .sort((a, b) => b.size - a.size);
  const gone: string[] = [];
  let left = size;
  for (const one of members) {
    if (left <= inlineMax) break;
    gone.push(one.member);
    left -= one.size - jsonSize(null);
  }
  return { members: gone, left };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a document takes beyond its text: its place in the store and in indexes. Measured: 330 bytes. */
export const bytesOfDocument = 350;

/** What a document counts for, in bytes. `inline`: jsonSize of what it holds itself. */
export function entrySize(inline: number, long: readonly LongRef[] | undefined): number {
  const own = bytesOfDocument + inline;
  return long ? long.reduce((size, one) => size + one.size, own) : own;
}

/** The JSON of what the document holds itself; null stands in the place of a long member. */
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

/** Once the journal has the change: the new document's values are there, the old one's are of the past. */
export function settleLong(change: JournalChange, revision: number): void {
  const { before, after, seq, space, kind, id } = change;
  if (!before?.long && !after?.long) return;
  const row: RowName = { seq, revision, space, kind, id };
  for (const long of after?.long ?? []) Object.assign(long, { text: undefined, row });
  for (const long of before?.long ?? []) long.isPast = true;
}

/** Are two documents the same? Reads their long members only when nothing else says so. */
export function sameEntry(a: Entry, b: Entry): boolean {
  if (!a.long && !b.long) return sameJson(a.doc, b.doc);
  if (a.long?.length !== b.long?.length) return false;
  const pairs = a.long!.map((one) => [one, b.long!.find(({ member }) => member === one.member)] as const);
  if (!pairs.every(([one, other]) => one.size === other?.size)) return false;
  if (!sameJson(inlineOf(a.doc, a.long!), inlineOf(b.doc, b.long!))) return false;
  // The same members in another order are as long.
  return pairs.every(([one, other]) => {
    const member = one.member as keyof object;
    return one.hash === other?.hash || sameJson(a.doc[member], b.doc[member]);
  });
}
