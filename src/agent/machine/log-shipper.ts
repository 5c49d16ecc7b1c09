import { JujuError } from '../../core/errors.ts';
import { cut, limits } from '../../core/limits.ts';
import { timeLimit, type Clock } from '../../kit/clock.ts';
import { logLevels } from '../../core/log-levels.ts';
import type { LogRecord } from '../../kit/log.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import { silentLog } from '../../kit/log.ts';
import type { AgentApi } from '../uplink.ts';

const gatherMs = 500;
/** Timeout for sending the last lines when the agent stops. */
const farewellMs = 2_000;
const batchMax = 500;
/** Characters of a batch: this many fit into a request even if JSON escapes each. */
const batchLengthMax = 1_000_000;
/** Maximum number of lines, and of their characters, kept while the controller is away; the oldest are dropped. */
const waitingMax = 20_000;
const waitingLengthMax = 16_000_000;

interface Waiting extends LogRecord {
  /** Tag of the entity. */
  readonly entity: string;
}

/** Sends log lines to the controller in batches, as selected by the model's logging-config. */
export class LogShipper {
  readonly #api: AgentApi;
  readonly #connected: () => boolean;
  readonly #clock: Clock;
  readonly #loop: Reconciler;
  #waiting: Waiting[] = [];
  /** Number of characters in the waiting lines. */
  #length = 0;
  #dropped = 0;
  #wanted: (module: string, level: LogRecord['level']) => boolean = levelFilter('');
  #config = '';

  constructor(options: { api: AgentApi; connected: () => boolean; clock: Clock; random: () => number }) {
    this.#api = options.api;
    this.#connected = options.connected;
    const { clock, random } = options;
    this.#clock = clock;
    // Errors of the shipper are not logged: the failing loop itself would send them.
    this.#loop = new Reconciler({
      name: 'log shipper',
      clock,
      random,
      log: silentLog,
      pass: (s) => this.#pass(s),
    });
  }

  start(): this {
    this.#loop.start();
    return this;
  }

  configure(loggingConfig: string): void {
    if (loggingConfig === this.#config) return;
    this.#config = loggingConfig;
    this.#wanted = levelFilter(loggingConfig);
  }

  add(entity: string, record: LogRecord): void {
    if (!this.#wanted(record.module, record.level)) return;
    const message = cut(limits.logMessage, record.message);
    this.#waiting.push({ entity, ...record, message });
    this.#length += message.length;
    if (this.#waiting.length > waitingMax || this.#length > waitingLengthMax) this.#dropOldest();
    this.#loop.wake();
  }

  /** Drops lines until the queue is half full: to drop them one by one would cost a copy of the queue for each. */
  #dropOldest(): void {
    let count = 0;
    let length = this.#length;
    while (this.#waiting.length - count > waitingMax / 2 || length > waitingLengthMax / 2)
      length -= this.#waiting[count++]!.message.length;
    this.#forget(this.#waiting.slice(0, count));
    this.#dropped += count;
  }

  /** Returns the oldest lines that fit into one request. */
  #nextBatch(): Waiting[] {
    let length = 0;
    const beyond = this.#waiting.findIndex(
      ({ message }, n) => n === batchMax || ((length += message.length) > batchLengthMax && n > 0),
    );
    return this.#waiting.slice(0, beyond < 0 ? undefined : beyond);
  }

  #forget(lines: readonly Waiting[]): void {
    const gone = new Set(lines);
    this.#waiting = this.#waiting.filter((line) => !gone.has(line));
    this.#length = this.#waiting.reduce((length, { message }) => length + message.length, 0);
  }

  /** Stops the shipper. The last lines are lost when the controller does not accept them at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const limit = timeLimit(this.#clock, farewellMs);
    try {
      while (this.#waiting.length > 0 && this.#connected()) await this.#send(limit.signal);
    } catch {
      // The wait for the remaining lines ends here.
    } finally {
      limit.done();
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(gatherMs, signal);
      await this.#send(signal);
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const batch = this.#nextBatch();
    const lost = this.#dropped;
    const records = batch.map(({ entity, time, level, module, message }) => ({
      entity,
      time,
      level,
      module,
      message,
    }));
    const [first] = records;
    if (lost > 0 && first) {
      records.unshift({
        ...first,
        level: 'WARNING',
        module: 'grigri.agent',
        message: `${lost} log lines were lost`,
      });
    }
    try {
      await this.#api.call('Log', { records }, { signal });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      // Refused batches are dropped: they would be refused again.
      this.#dropped += lost + batch.length;
    }
    this.#dropped -= lost;
    this.#forget(batch);
  }
}

/**
 * Returns a filter for `<root>=WARNING;unit=DEBUG`: the longest matching module prefix decides; the root is INFO
 * unless configured (model-settings.md#logging-config). Parts that cannot be parsed are ignored.
 */
export function levelFilter(config: string): (module: string, level: LogRecord['level']) => boolean {
  const rules: { module: string; rank: number }[] = [];
  let root: number = logLevels.indexOf('INFO');
  for (const part of config.split(';')) {
    const [module = '', name = ''] = part.split('=').map((text) => text.trim());
    const rank = logLevels.findIndex((level) => level === name.toUpperCase());
    if (rank < 0) continue;
    if (module === '<root>') root = rank;
    else rules.push({ module, rank });
  }
  rules.sort((a, b) => b.module.length - a.module.length);
  return (module, level) => {
    const rule = rules.find((rule) => module === rule.module || module.startsWith(`${rule.module}.`));
    return logLevels.indexOf(level) >= (rule?.rank ?? root);
  };
}
