/** Hides, in the output of a hook, contents of secrets that the hook has read or set (secrets.md#in-outputs). */
import type { SecretContent } from '../core/secret/content.ts';
import type { TaskDoc } from '../core/task/document.ts';
import { limits } from '../core/limits.ts';
import { TextSearch } from '../kit/text-search.ts';
import { hiddenLengthMin, hiddenValue } from '../core/task/hidden.ts';

/** Replacement for a text that cannot be searched for secrets any more. */
const hiddenText = '(hidden: it may have contents of secrets)';
const streams = ['stdout', 'stderr'] as const;
type Stream = (typeof streams)[number];
/** Texts that reveal nothing, and occur in many lines. */
const words: ReadonlySet<string> = new Set(['true', 'false', 'none', 'null']);
/** Overhead of a remembered text, counted in characters. */
const textCost = 16;

export class SecretMask {
  readonly #texts = new TextSearch();
  /** Texts of fewer than `hiddenLengthMin` characters. */
  readonly #short = new TextSearch();
  #remembered = 0;

  /**
   * Remembers texts to hide: values, lines of values, and both in the forms of base64 and JSON; values and lines such
   * as `true` are left out.
   */
  add(content: SecretContent): void {
    for (const base64 of Object.values(content)) {
      const value = Buffer.from(base64, 'base64').toString();
      if (words.has(value.trim().toLowerCase())) continue;
      this.#addText(base64);
      for (const line of value.split(/[\r\n]/)) {
        this.#addText(line.trim());
        this.#addText(JSON.stringify(line.trim()).slice(1, -1));
      }
    }
  }

  /**
   * Hides the remembered texts in a line of a log or a status. Values of fewer than four characters stay. `isPiece`:
   * the text is a part of a line, at whose end a value may be cut in two.
   */
  hide(text: string, isPiece = false): string {
    if (this.#isFull || (isPiece && this.#texts.size > 0)) return hiddenText;
    return this.#replaced(text, text.length);
  }

  /**
   * Hides the remembered texts in all output of a task, streams in base64 included; a text with a short value is hidden
   * as a whole. `cut`: streams whose ends are missing, so that a value may be cut in two there.
   */
  hideInOutput(output: TaskDoc['output'], cut: readonly Stream[] = []): TaskDoc['output'] {
    const hidden = new Map(Object.entries(output).map(([key, value]) => [key, this.#hideIn(value)]));
    for (const stream of streams) {
      const value = output[stream];
      if (typeof value !== 'string') continue;
      const isEncoded = output[`${stream}-encoding`] === 'base64';
      const text = isEncoded ? Buffer.from(value, 'base64').toString() : value;
      const shown = this.#hideAll(text, cut.includes(stream));
      if (!isEncoded) hidden.set(stream, shown);
      else if (shown === text) hidden.set(stream, value);
      else {
        hidden.set(stream, hiddenText);
        hidden.delete(`${stream}-encoding`);
      }
    }
    return Object.fromEntries(hidden);
  }

  #hideIn(value: unknown): unknown {
    if (typeof value === 'string') return this.#hideAll(value);
    if (Array.isArray(value)) return value.map((one) => this.#hideIn(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#hideIn(one)]));
  }

  #hideAll(text: string, isCut = false): string {
    if (this.#isFull || this.#short.spansIn(text).length > 0) return hiddenText;
    return this.#replaced(text, isCut ? text.length - this.#texts.begunAtEnd(text) : text.length);
  }

  /** Hides the remembered texts, and everything after `end`. */
  #replaced(text: string, end: number): string {
    let hidden = '';
    let shown = 0;
    for (const span of this.#texts.spansIn(text)) {
      if (span.start >= end) break;
      hidden += text.slice(shown, span.start) + hiddenValue;
      shown = span.end;
    }
    if (end < text.length) return hidden + text.slice(shown, end) + hiddenValue;
    return shown === 0 ? text : hidden + text.slice(shown);
  }

  get #isFull(): boolean {
    return this.#remembered > limits.secretMask.max;
  }

  #addText(text: string): void {
    if (words.has(text.toLowerCase()) || this.#isFull) return;
    const texts = text.length < hiddenLengthMin ? this.#short : this.#texts;
    if (texts.add(text)) this.#remembered += text.length + textCost;
  }
}
