/**
 * Starts machines' instances, several at a time, and several in one request where the provider can. The intent is
 * durable before the provider is called, and a repeated start with the same nonce returns the existing instance, so a
 * crash in between duplicates nothing. after-failure.ts decides what follows a failure.
 */
import { afterFailure, type NextStart } from '../core/machine/after-failure.ts';
import { isoTime, type Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { retry, type Backoff } from '../kit/retry.ts';
import { RetryTimes } from '../kit/retry-times.ts';
import { ProviderError, type StartParams, type StartResult } from '../providers/contract/provider.ts';
import type { Broker, MachineRecords, Prepared, StartFailure } from './records.ts';
import { splitByRequest } from './split-by-request.ts';
import { accountFailure, StartSuspension } from './suspension.ts';
import { defined } from '../core/defined.ts';

const retryStart: Backoff = { firstMs: 2_000, maxMs: 300_000, factor: 2, jitter: 0.3 };
const retryStop: Backoff = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

/** Number of requests whose intents are written by one change. */
const preparedAtOnce = 20;

interface Needs {
  readonly records: MachineRecords;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Called when a start has ended, successfully or not; requests for that machine were ignored meanwhile. */
  readonly onEnd: (machine: string) => void;
  readonly wake: () => void;
}
interface Where {
  readonly broker: Broker;
  readonly signal: AbortSignal;
}
type Start = Extract<Prepared, { kind: 'start' }>;
interface Made {
  readonly start: Start;
  readonly result: StartResult;
}

export class MachineStarter {
  readonly #needs: Needs;
  readonly suspension: StartSuspension;
  /** Machines to start, in the order of the requests. */
  readonly #wanted = new Set<string>();
  /** Wanted machines whose recorded instance is to be started again. */
  readonly #restarts = new Set<string>();
  /** Machines between intent and record. */
  readonly #busy = new Set<string>();
  readonly #failures: RetryTimes;
  /** Prepared starts that wait for a free request. */
  readonly #ready: (readonly Start[])[] = [];
  #requests = 0;
  #preparing = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { clock, random, onEnd } = needs;
    this.#failures = new RetryTimes({ clock, random, backoff: retryStart, onDue: onEnd });
    this.suspension = new StartSuspension(needs);
  }

  /** Machines with a start under way. */
  get busy(): ReadonlySet<string> {
    return this.#busy;
  }

  /** Requests a start. A machine that waits after a failure is ignored until its time, and examined again then. */
  want(machine: string, isRestart = false): void {
    if (this.#busy.has(machine) || this.#failures.isWaiting(machine)) return;
    this.#wanted.add(machine);
    if (isRestart) this.#restarts.add(machine);
    else this.#restarts.delete(machine);
  }

  /** Resets the failures of a machine, whose cause was repaired: its next start does not wait. */
  forgive(machine: string): void {
    if (!this.#busy.has(machine)) this.#failures.delete(machine);
  }

  /** Cancels the request for a start. */
  drop(machine: string): void {
    this.#wanted.delete(machine);
    this.#restarts.delete(machine);
    if (!this.#busy.has(machine)) this.#failures.delete(machine);
  }

  /** Ends a round of requests: when nothing is to be started, the suspension is lifted. */
  settle(): void {
    if (this.#wanted.size + this.#busy.size === 0) this.suspension.lift();
  }

  /** Begins as many starts as may run at once. */
  async pump(target: Where): Promise<void> {
    if (this.#wanted.size === 0 || this.suspension.allowed === 0) return;
    try {
      await this.#needs.records.ready?.(target.signal);
    } catch (error) {
      return this.#refuse(target, error);
    }
    this.#begin(target);
  }

  /**
   * Fails the wanted machines without asking the cloud: the error comes from the cloud itself and concerns no single
   * machine.
   */
  #refuse(where: Where, error: unknown): void {
    where.signal.throwIfAborted();
    const isOfMachine = error instanceof ProviderError && error.class === 'bad request';
    const cause = isOfMachine ? new ProviderError('transient', error.message, { cause: error }) : error;
    for (const id of this.#take(Infinity)) void this.#failed(where, { id }, cause);
  }

  #begin(where: Where): void {
    const { parallelMax } = this.#needs.records.settings();
    const groupMax = where.broker.startGroup?.max ?? 1;
    while (!where.signal.aborted && this.#requests + this.#preparing < parallelMax) {
      const request = this.#ready.shift();
      if (request) {
        void this.#run(where, request);
        continue;
      }
      const free = parallelMax - this.#requests - this.#preparing;
      // A few prepared starts would make small groups per zone, so a cloud with groups gets a whole round prepared
      // ahead.
      const requests = Math.min(groupMax > 1 ? parallelMax : free, preparedAtOnce);
      const ids = this.#take(requests * groupMax);
      if (ids.length === 0) return;
      // The number is a lower bound: requests may be split by zone.
      void this.#prepare(where, ids, Math.ceil(ids.length / groupMax));
    }
  }

  #take(most: number): string[] {
    const ids: string[] = [];
    for (const id of this.#wanted) {
      if (ids.length >= most || this.suspension.allowed === 0) break;
      this.#wanted.delete(id);
      this.#busy.add(id);
      this.suspension.begin(id);
      ids.push(id);
    }
    return ids;
  }

  async #prepare(where: Where, ids: readonly string[], slots: number): Promise<void> {
    this.#preparing += slots;
    const unanswered = new Set(ids);
    try {
      const restarts = ids.filter((id) => this.#restarts.delete(id));
      const prepared = await this.#needs.records.prepare(ids, restarts);
      for (const outcome of prepared) {
        unanswered.delete(outcome.id);
        if (outcome.kind === 'failed') void this.#failed(where, outcome, outcome.error);
      }
      const starts = prepared.filter((one) => one.kind === 'start');
      this.#ready.push(...splitByRequest(starts, where.broker.startGroup?.max ?? 1));
    } catch (error) {
      for (const id of unanswered) void this.#failed(where, { id }, error);
      unanswered.clear();
    }
    this.#preparing -= slots;
    // The records rejected these starts: the machines are not to be started any more.
    for (const id of unanswered) {
      void this.suspension.ended(id, 'none', where.signal);
      this.#end(id);
    }
    this.#begin(where);
  }

  async #run(where: Where, starts: readonly Start[]): Promise<void> {
    const free: Start[] = [];
    for (const start of starts) {
      const cause = this.suspension.holds(start.id);
      // The suspension began after these starts were prepared.
      if (cause) void this.#failed(where, start, new ProviderError(cause.class, cause.message));
      else free.push(start);
    }
    if (free.length === 0) return;
    this.#requests++;
    const outcomes = await this.#request(where, free);
    this.#requests--;
    // Results are recorded before other starts begin, which may fail for the same cause.
    const results: Made[] = [];
    for (const [i, start] of free.entries()) {
      const outcome = outcomes[i] ?? { error: new Error('the provider reported no result') };
      if ('error' in outcome) void this.#failed(where, start, outcome.error);
      else results.push({ start, result: outcome });
    }
    void this.#record(where, results);
    this.#begin(where);
  }

  async #request(
    { broker, signal }: Where,
    starts: readonly Start[],
  ): Promise<readonly (StartResult | { readonly error: unknown })[]> {
    const { records } = this.#needs;
    const params = starts.map((start): StartParams => ({
      ...start.params,
      progress: (message) => void this.#say(records, start.id, message),
    }));
    const [first] = params;
    try {
      if (!first) return [];
      if (params.length === 1 || !broker.startGroup) return [await broker.instances.start(first, signal)];
      const outcomes = await broker.startGroup.start(params, signal);
      return outcomes.map((one) => (one instanceof ProviderError ? { error: one } : one));
    } catch (error) {
      // The outcome of every start is unknown.
      return starts.map(() => ({ error }));
    }
  }

  async #record(where: Where, results: readonly Made[]): Promise<void> {
    if (results.length === 0) return;
    let recorded: readonly boolean[];
    try {
      recorded = await this.#needs.records.started(
        results.map(({ start: { id, params }, result }) => ({ id, nonce: params.nonce, result })),
      );
    } catch (error) {
      for (const { start } of results) void this.#failed(where, start, error);
      return;
    }
    for (const [i, one] of results.entries()) void this.#made(where, one, recorded[i] === true);
  }

  async #made(where: Where, { start, result }: Made, isRecorded: boolean): Promise<void> {
    const { id } = start;
    try {
      if (isRecorded) this.#needs.log.info('machine started', { machine: id, instance: result.instance.id });
      else await this.#stop(where, result);
    } catch (error) {
      return this.#failed(where, start, error);
    }
    this.#failures.delete(id);
    await this.suspension.ended(id, 'succeeded', where.signal);
    this.#end(id);
  }

  /** Stops an instance whose record was removed while it was created. */
  #stop({ broker, signal }: Where, { instance }: StartResult): Promise<void> {
    const { clock, random } = this.#needs;
    return retry(() => broker.instances.stop([instance.id], signal), {
      clock,
      random,
      backoff: retryStop,
      signal,
    });
  }

  async #failed(where: Where, start: Pick<Prepared, 'id' | 'zones'> | Start, error: unknown): Promise<void> {
    const { signal } = where;
    const { id, zones } = start;
    // The next worker finds the instance by its nonce, or starts it again.
    if (signal.aborted) return;
    const { log, records } = this.#needs;
    const refusal = error instanceof ProviderError && error.class !== 'transient' ? error : undefined;
    const failureClass = refusal?.class ?? 'transient';
    const request = 'params' in start ? start : undefined;
    const zone = request?.params.zone;
    const next = afterFailure({
      class: failureClass,
      ...defined({ zone }),
      usable: zones?.usable ?? [],
      failed: zones?.failed ?? [],
      ran: request?.ran === true,
    });
    const message = error instanceof Error ? error.message : String(error);
    const { attempt, at } = this.#count(id, next, signal);
    log.warning('cannot start machine', { machine: id, attempt, next: next.kind, error });
    const failure: StartFailure = {
      class: failureClass,
      message,
      attempt,
      next,
      ...defined({ at }),
      leftNothing: refusal !== undefined && request?.isFirst === true,
    };
    const cause = accountFailure(error);
    // A machine whose failure could not be reported is tried again at once.
    const reports = [
      records.failed(id, failure),
      cause
        ? this.suspension.failed(cause, id, signal)
        : this.suspension.ended(id, next.kind === 'later' ? 'failed' : 'none', signal),
    ];
    for (const outcome of await Promise.allSettled(reports))
      if (outcome.status === 'rejected')
        log.error('cannot report that a start failed', { machine: id, error: outcome.reason as unknown });
    this.#end(id);
  }

  /** Records the decision. For `later` returns the time of the next attempt, at which the machine is examined again. */
  #count(id: string, next: NextStart, signal: AbortSignal): { attempt: number; at?: string } {
    if (next.kind === 'later') {
      const { attempt, at } = this.#failures.wait(id, signal);
      return { attempt, at: isoTime({ now: () => at }) };
    }
    const attempt = this.#failures.attempts(id) + 1;
    if (next.kind === 'again') this.#failures.count(id);
    if (next.kind === 'never') this.#failures.delete(id);
    return { attempt };
  }

  #end(id: string): void {
    this.#busy.delete(id);
    this.#needs.onEnd(id);
  }

  async #say(records: MachineRecords, id: string, message: string): Promise<void> {
    await records
      .say(id, message)
      .catch((error: unknown) =>
        this.#needs.log.warning('cannot report the progress of a start', { machine: id, error }),
      );
  }
}
