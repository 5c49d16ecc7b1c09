/** The models' logs on disk, bounded per model; debug-log replays and follows them (wire.md#debug-log). */
export interface LogLine {
  /** RFC 3339, UTC, with as many fractional digits as the sender gave. */
  readonly ts: string;
  /** Tag of the entity that logged: `unit-x-0`, `machine-0`, `controller-0`. */
  readonly tag: string;
  readonly sev: string;
  readonly mod: string;
  readonly loc: string;
  readonly msg: string;
}

export interface LogStore {
  append(model: string, lines: readonly LogLine[]): void;
  /** Every line that is kept, oldest first. */
  replay(model: string): AsyncIterable<LogLine>;
  /** The newest `n` lines that pass `filter`, oldest first. */
  last(model: string, n: number, filter: (line: LogLine) => boolean): Promise<LogLine[]>;
  /** Calls `onLine` for each new line. Returns a function that ends this. */
  follow(model: string, onLine: (line: LogLine) => void): () => void;
  remove(model: string): void;
  close(): Promise<void>;
}
