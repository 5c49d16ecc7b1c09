import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import { hasCode } from '../core/errors.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { backoffMs, type Backoff } from '../kit/retry.ts';
import type { MachineAgentMethods } from '../wire/facades/machine-agent.ts';
import { abortable } from './abortable.ts';
import type { Mirror } from './mirror.ts';
import { anyOf } from '../kit/on-abort.ts';

/** Backoff with jitter, so that a thousand agents do not reconnect to a restarted controller at the same instant. */
const reconnect: Backoff = { firstMs: 250, maxMs: 30_000, factor: 2, jitter: 0.5 };

type AgentMethod = keyof MachineAgentMethods;

/** The agent's calls. Calls may be repeated after a lost connection, without the caller's help. */
export interface AgentApi {
  /**
   * Calls a method; waits for a connection without a time limit. Rejects with the controller's own errors, or when
   * aborted.
   */
  call<M extends AgentMethod>(
    method: M,
    params: MachineAgentMethods[M]['params'],
    options?: CallOptions,
  ): Promise<MachineAgentMethods[M]['result']>;
}
interface CallOptions {
  readonly signal?: AbortSignal;
  /** Set for the one call that may not be repeated blindly: `try again` is thrown to the caller. */
  readonly once?: boolean;
}

interface UplinkOptions {
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  readonly mirror: Mirror;
  /** Called after each change of the mirror. */
  readonly onChange: () => void;
  /** Called when the controller says that the machine is `dead`: it existed and does not any more. */
  readonly onRemoved: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/** Keeps a connection to the controller, and the mirror up to date through it. */
export class Uplink implements AgentApi {
  readonly #options: UplinkOptions;
  readonly #stop = new AbortController();
  #connected = Promise.withResolvers<Connection>();
  #online = false;
  #done: Promise<void> | undefined;

  constructor(options: UplinkOptions) {
    this.#options = options;
    // The promise may be rejected at stop while nothing awaits it.
    this.#connected.promise.catch(() => undefined);
  }

  get connected(): boolean {
    return this.#online;
  }

  start(): this {
    this.#done ??= this.#run();
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('agent stopped'));
    this.#connected.reject(this.#stop.signal.reason as Error);
    await this.#done;
  }

  async call<M extends AgentMethod>(
    method: M,
    params: MachineAgentMethods[M]['params'],
    { signal, once = false }: CallOptions = {},
  ): Promise<MachineAgentMethods[M]['result']> {
    const { signal: stopped, done } = anyOf(this.#stop.signal, ...(signal ? [signal] : []));
    try {
      return await this.#ask(method, params, stopped, once);
    } finally {
      done();
    }
  }

  async #ask<M extends AgentMethod>(
    method: M,
    params: MachineAgentMethods[M]['params'],
    stopped: AbortSignal,
    once: boolean,
  ): Promise<MachineAgentMethods[M]['result']> {
    for (;;) {
      stopped.throwIfAborted();
      const connection = await abortable(this.#connected.promise, stopped);
      try {
        return await call(connection, 'MachineAgent', method, params, { signal: stopped });
      } catch (error) {
        // Nothing was done while the model goes to another controller: the call is repeated there.
        const isMigration = hasCode(error, 'model migration in progress');
        if (!isMigration && (once || !hasCode(error, 'try again'))) throw error;
        stopped.throwIfAborted();
        // The same code means "lost" and "busy"; in either case the next attempt is delayed.
        await this.#options.clock.sleep(backoffMs(reconnect, 0, this.#options.random), stopped);
      }
    }
  }

  async #run(): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const connection = await this.#options.connect(signal);
        try {
          await this.#follow(connection, () => (failures = 0));
        } finally {
          this.#disconnected();
          await connection.close();
        }
      } catch (error) {
        if (signal.aborted) return;
        if (hasCode(error, 'dead')) this.#options.onRemoved();
        log.warning('no connection to the controller', { attempt: failures + 1, error: reason(error) });
      }
      await clock.sleep(backoffMs(reconnect, failures, random), signal).catch(() => undefined);
    }
  }

  /** Follows the stream. Returns or throws when the connection is lost, or the stream cannot continue. */
  async #follow(connection: Connection, onNews: () => void): Promise<void> {
    const { mirror, onChange, log } = this.#options;
    const { signal } = this.#stop;
    const watch = await call(connection, 'MachineAgent', 'Watch', {}, { signal });
    mirror.restart();
    this.#online = true;
    this.#connected.resolve(connection);
    log.debug('connected to the controller');
    for (;;) {
      const news = await call(connection, 'AgentWatcher', 'Next', {}, { id: watch['watcher-id'], signal });
      onNews();
      if (mirror.apply(news)) onChange();
    }
  }

  #disconnected(): void {
    // A connection that is lost before its first use leaves callers waiting for the next one.
    if (!this.#online) return;
    this.#online = false;
    this.#connected = Promise.withResolvers();
    this.#connected.promise.catch(() => undefined);
    if (this.#stop.signal.aborted) this.#connected.reject(this.#stop.signal.reason as Error);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
