import { isMap, show, type Raw } from '../charm/raw.ts';
import { JujuError } from '../errors.ts';
import { suggestions } from '../suggestions.ts';
import { shownMax, type Notes } from './problems.ts';

/**
 * One map of a bundle's file. A value that does not fit becomes a problem with its path and reads as absent, so that
 * all problems are found at once. Null reads as absent; where a value is expected, that is said (see `given`).
 */
export class Section {
  readonly #path: string;
  readonly #values: Raw;
  readonly #notes: Notes;
  readonly #asked = new Set<string>();
  readonly #nulls = new Set<string>();

  constructor(value: unknown, path: string, notes: Notes) {
    this.#path = path;
    this.#notes = notes;
    if (value !== undefined && value !== null && !isMap(value)) this.problem(expected('a map', value));
    this.#values = isMap(value) ? value : {};
  }

  /** The keys, as written. */
  keys(): string[] {
    return Object.keys(this.#values);
  }

  /** The value of a key; undefined when it is absent or null. */
  value(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.#values, key) ? (this.#values[key] ?? undefined) : undefined;
  }

  /**
   * The value of a key that names one value. A null is reported, of a model file as a problem: whoever wrote it meant
   * something, and to plan as without the key could be to remove what it names. Maps and lists may be null as they may
   * be empty.
   */
  given(key: string): unknown {
    const value = this.value(key);
    if (value === undefined && this.#values[key] === null && !this.#nulls.has(key)) {
      this.#nulls.add(key);
      this.#remark(
        'no value, ignored',
        'no value: write one, or remove the key (what the file has set and no longer names goes with --prune)',
        key,
      );
    }
    return value;
  }

  text(key: string): string | undefined {
    return this.#read(key, 'text', asText);
  }

  texts(key: string): string[] {
    return this.#as(this.value(key), key, 'a list of strings', asTexts) ?? [];
  }

  count(key: string): number | undefined {
    return this.#read(key, 'a number, 0 or more', asCount);
  }

  flag(key: string): boolean {
    return (
      this.#read(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)) ?? false
    );
  }

  section(key: string): Section {
    // An endpoint's name may be empty, and its path has to show it.
    return new Section(this.value(key), this.pathOf(key === '' ? '""' : key), this.#notes);
  }

  /** Every key with a section of its own. */
  sections(): [string, Section][] {
    return this.keys().map((key) => [key, this.section(key)]);
  }

  /** Every key with its text; nulls are left out. */
  textMap(): Record<string, string> {
    return Object.fromEntries(
      this.keys().flatMap((key) => {
        const text = this.text(key);
        return text === undefined ? [] : [[key, text]];
      }),
    );
  }

  /** The result of `read` for the text of a key; its JujuError becomes a problem. */
  parsed<T>(key: string, read: (text: string) => T): T | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : this.attempt(() => read(text), key);
  }

  attempt<T>(read: () => T, key = ''): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      this.problem(error.message, key);
      return undefined;
    }
  }

  problem(what: string, key = ''): void {
    const path = this.pathOf(key);
    this.#notes.problems.push(path === '' ? what : `${path}: ${what}`);
  }

  pathOf(key: string): string {
    return [this.#path, key].filter((part) => part !== '').join('.');
  }

  /** Marks keys as known and irrelevant here. */
  ignore(keys: readonly string[]): void {
    for (const key of keys) this.#asked.add(key);
  }

  /** Reports keys with a value as problems. */
  refuse(reasons: Readonly<Record<string, string>>): void {
    for (const [key, why] of Object.entries(reasons))
      if (saysSomething(this.value(key))) this.problem(why, key);
  }

  /**
   * Reports keys that were never read, of a model file as problems: to plan without what they say could be to remove
   * it. Has to be called last.
   */
  reportRest(): void {
    const unknown = this.keys().filter((key) => !this.#asked.has(key));
    const { problems } = this.#notes;
    for (const key of unknown)
      this.#remark(
        'unknown, ignored',
        unknownKey(problems.length < shownMax ? suggestions(key, [...this.#asked]) : []),
        key,
      );
  }

  /** What bundles ignore with a warning, as Juju does, is a problem of a model file. */
  #remark(warning: string, problem: string, key: string): void {
    const { kind, warnings } = this.#notes;
    if (kind === 'bundle') warnings.push(`${this.pathOf(key)}: ${warning}`);
    else this.problem(problem, key);
  }

  #read<T>(key: string, what: string, as: (value: unknown) => T | undefined): T | undefined {
    return this.#as(this.given(key), key, what, as);
  }

  #as<T>(value: unknown, key: string, what: string, as: (value: unknown) => T | undefined): T | undefined {
    if (value === undefined) return undefined;
    const result = as(value);
    if (result === undefined) this.problem(expected(what, value), key);
    return result;
  }
}

function unknownKey(close: readonly string[]): string {
  if (close.length === 0) return 'unknown key: remove it';
  return `unknown key: write ${close.map((key) => `"${key}"`).join(' or ')}, or remove it`;
}

/** The problem `expected a map, got "x"`; a long value is cut. */
export function expected(what: string, value: unknown): string {
  const text =
    typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'a map') : show(value);
  return `expected ${what}, got ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`;
}

/** The value as text; numbers and booleans count as written: `to: 0`, `gui-x: 450`. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function asTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(asText).filter((text) => text !== undefined);
  return texts.length === value.length ? texts : undefined;
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function saysSomething(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}
