/** The models' logs, bounded per model, on disk; what debug-log replays and follows (wire.md#debug-log). */
export interface LogLine {
  /** RFC 3339 with as many digits as there are, UTC. */
  readonly ts: string;
  /** `unit-x-0`, `machine-0`, `controller-0`. */
  readonly tag: string;
  readonly sev: string;
  readonly mod: string;
  readonly loc: string;
  readonly msg: string;
}

export interface LogStore {
  append(model: string, lines: readonly LogLine[]): void;
  /** From the oldest kept. */
  replay(model: string): AsyncIterable<LogLine>;
  /** The newest `n` that pass `filter`, oldest first. */
  last(model: string, n: number, filter: (line: LogLine) => boolean): Promise<LogLine[]>;
  /** Called for each new line. Returns what ends it. */
  follow(model: string, onLine: (line: LogLine) => void): () => void;
  remove(model: string): void;
  close(): Promise<void>;
}
