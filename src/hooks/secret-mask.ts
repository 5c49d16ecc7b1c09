/** Hides contents of secrets that a hook has read or brought in what it says (secrets.md#in-outputs). */
import type { SecretContent } from '../core/secret/content.ts';
import { limits } from '../core/limits.ts';

export const hiddenValue = '*****';
/** What is said in place of a text in which nothing can be sought any more. */
const hiddenText = '(hidden: it may have contents of secrets)';
/** Texts that are shorter occur everywhere. */
const lengthMin = 4;

/** Texts with the same beginning. */
interface Group {
  readonly texts: Set<string>;
  /** Their lengths, the longest first. */
  lengths: number[];
}

export class SecretMask {
  readonly #groups = new Map<string, Group>();
  readonly #short = new Set<string>();
  #remembered = 0;

  /** Remembers what is to be hidden: values, the lines of values, and these as base64 and JSON have them. */
  add(content: SecretContent): void {
    for (const base64 of Object.values(content)) {
      const value = Buffer.from(base64, 'base64').toString();
      this.#addText(base64);
      for (const line of value.split(/\r?\n/)) {
        this.#addText(line.trim());
        this.#addText(JSON.stringify(line.trim()).slice(1, -1));
      }
    }
  }

  /** Hides in a line of a log or a status. Values of fewer than four characters stay. */
  hide(text: string): string {
    if (this.#isFull) return hiddenText;
    if (this.#groups.size === 0) return text;
    let hidden = '';
    let shown = 0;
    for (let at = 0; at + lengthMin <= text.length;) {
      const length = this.#lengthAt(text, at);
      if (length === 0) {
        at += 1;
        continue;
      }
      hidden += text.slice(shown, at) + hiddenValue;
      at += length;
      shown = at;
    }
    return shown === 0 ? text : hidden + text.slice(shown);
  }

  /** Hides in all texts of what a task has put out; a text with a short value is hidden as a whole. */
  hideIn(value: unknown): unknown {
    if (typeof value === 'string')
      return [...this.#short].some((short) => value.includes(short)) ? hiddenText : this.hide(value);
    if (Array.isArray(value)) return value.map((one) => this.hideIn(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.hideIn(one)]));
  }

  get #isFull(): boolean {
    return this.#remembered > limits.secretMask.max;
  }

  #addText(text: string): void {
    if (text === '' || this.#isFull) return;
    if (text.length < lengthMin) return void this.#short.add(text);
    const beginning = text.slice(0, lengthMin);
    const group = this.#groups.get(beginning) ?? { texts: new Set<string>(), lengths: [] };
    if (group.texts.has(text)) return;
    this.#groups.set(beginning, group);
    group.texts.add(text);
    if (!group.lengths.includes(text.length))
      group.lengths = [...group.lengths, text.length].sort((a, b) => b - a);
    this.#remembered += text.length;
  }

  /** The length of the longest remembered text that is at this place; 0 = none. */
  #lengthAt(text: string, at: number): number {
    const group = this.#groups.get(text.slice(at, at + lengthMin));
    return group?.lengths.find((length) => group.texts.has(text.slice(at, at + length))) ?? 0;
  }
}
