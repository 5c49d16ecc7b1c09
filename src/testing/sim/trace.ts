/** Trace of all events: a hash that is equal exactly when all events are, and lines for reading. */
export class Trace {
  #high = 0x243f6a88;
  #low = 0x13198a2e;
  #keepFrom: number;
  readonly #now: () => number;
  readonly lines: string[] = [];
  events = 0;

  /** Creates a trace. `keepFrom`: number of the first event whose lines are kept; Infinity = none. */
  constructor(now: () => number, keepFrom: number) {
    this.#now = now;
    this.#keepFrom = keepFrom;
  }

  /** Records the beginning of a scheduler's event. */
  event(process: string, name: string): void {
    this.events++;
    this.note(process, name, '');
  }

  /** Records an act within the event. `detail` counts for the hash, and is shown truncated. */
  note(process: string, what: string, detail: string): void {
    this.#mix(process);
    this.#mix(what);
    this.#mix(withoutStacks(detail));
    this.#mixNumber(this.#now());
    if (this.events < this.#keepFrom) return;
    const shown = detail.length > 400 ? `${detail.slice(0, 400)}…` : detail;
    this.lines.push(
      `${this.events} ${(this.#now() / 1000).toFixed(6)} ${process} ${what}${shown && ` ${shown}`}`,
    );
  }

  /** Returns the hash as 16 hex digits. */
  hash(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #mix(text: string): void {
    let high = this.#high;
    let low = this.#low;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
    // Mixes in the text's length, so that "ab" + "c" differs from "a" + "bc".
    this.#high = Math.imul(high ^ (high >>> 15) ^ text.length, 0x85ebca77);
    this.#low = Math.imul(low ^ (low >>> 13) ^ (high << 7), 0xc2b2ae3d);
  }

  #mixNumber(value: number): void {
    this.#high = Math.imul(this.#high ^ (value | 0), 0x9e3779b1);
    this.#low = Math.imul(this.#low ^ Math.floor((value % 1) * 2 ** 31), 0x5f356495);
  }
}

/** Removes paths from stacks, which differ between checkouts. Stacks are raw in the log, and escaped in messages. */
function withoutStacks(text: string): string {
  return text.includes('    at ') ? text.replace(/(?:\n|\\n) {4}at (?:(?!\\n|"|\n).)*/g, '') : text;
}
