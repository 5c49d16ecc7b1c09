import { hasCode } from '../../core/errors.ts';
import { mayRunTasks, nextOperation } from '../../core/unit/next-operation.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import { JujuError } from '../../core/errors.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { carryOut } from './carry-out.ts';
import { goesByForce, remoteView } from './remote-view.ts';
import { showHookError } from './run-hook-operation.ts';
import { LocalCommands } from './local-commands.ts';
import { runUnitTask } from './run-unit-task.ts';
import { Tasks, type TaskOutcome, type TaskSignals, terminated } from './tasks.ts';
import type { UnitWorld } from './world.ts';

/**
 * Loop of one unit: chooses the next operation and carries it out; without one, waits until something changes
 * (unit-agent.md#one-operation).
 */
export class UnitAgent {
  readonly #world: UnitWorld;
  readonly #commands: LocalCommands;
  readonly #tasks: Tasks;
  readonly #loop: Reconciler;
  readonly #lease: Reconciler;
  /** Ends what runs between hooks once the unit is removed by force. */
  readonly #forced = new AbortController();

  constructor(world: UnitWorld, random: () => number) {
    this.#world = world;
    const { unit, mirror, clock, log, state, timers } = world;
    const forced = this.#forced.signal;
    this.#commands = new LocalCommands(forced, () => this.#loop.wake());
    this.#tasks = new Tasks({ receiver: unit, api: world.api, mirror, forced, lost: terminated });
    const { op } = state.local;
    if (op.kind === 'hook' && op.step === 'pending') timers.resume(op);
    const common = { clock, log, random };
    this.#loop = new Reconciler({ ...common, name: `unit ${unit}`, pass: (signal) => this.#told(signal) });
    this.#lease = new Reconciler({
      ...common,
      name: `leadership of ${unit}`,
      pass: (signal) => this.#attend(signal),
    });
    this.#loop.start();
    this.#lease.start();
  }

  /** Must be called when the mirror has changed. */
  wake(): void {
    if (goesByForce(this.#world.mirror, this.#world.unit))
      this.#forced.abort(new JujuError('action no longer available', 'unit is removed by force'));
    this.#tasks.onChange();
    this.#lease.wake();
    this.#loop.wake();
  }

  /** Runs a command, as LocalCommands.run. */
  run(task: TaskRecord, signal: AbortSignal): Promise<TaskOutcome> {
    return this.#commands.run(task, signal);
  }

  /** Kills the running hook and waits for its end. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#lease.stop()]);
    this.#commands.refuse(new JujuError('stopped', `the agent of unit ${this.#world.unit} ended`));
  }

  async #attend(signal: AbortSignal): Promise<number | undefined> {
    const { leadership, state } = this.#world;
    const settled = leadership.settled;
    const delay = await leadership.attend(signal);
    // A lease that ended while it was being renewed may have been given up meanwhile.
    if (!settled || state.local.leader !== leadership.leads) this.#loop.wake();
    return delay;
  }

  /**
   * Reports until the controller takes the agent's state, without which nothing goes on: users who look at the unit see
   * why.
   */
  async #told(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      if (hasCode(error, 'quota limit exceeded'))
        await this.#world.statuses.setAgent('error', error.message, signal);
      throw error;
    }
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const { clock, leadership, state, timers } = this.#world;
    if (!leadership.settled) return undefined;
    let judgedAt: number;
    for (;;) {
      signal.throwIfAborted();
      judgedAt = clock.now();
      const remote = this.#remote();
      // The unit has vanished, and the deployer will stop this loop; or the mirror does not hold all of the unit yet.
      if (!remote) return undefined;
      const mayRun = mayRunTasks(state.local) && !this.#forced.signal.aborted;
      if (mayRun && (await this.#runTask(signal))) continue;
      if (this.#world.runsAfter() === undefined) return undefined;
      const next = nextOperation(state.local, remote);
      // The deployer removes a dead unit.
      if (next.kind === 'terminate') return undefined;
      if (next.kind === 'wait' || (await carryOut(this.#world, next, remote, signal)) === 'wait') break;
    }
    await this.#rest(signal);
    return timers.next(judgedAt);
  }

  #remote(): ReturnType<typeof remoteView> {
    const { machineId, unit, mirror, bootId, leadership, timers, state } = this.#world;
    const model = mirror.model();
    if (!model) return undefined;
    return remoteView(mirror, unit, {
      machineId,
      leader: leadership.leads,
      bootId,
      charmUrl: state.local.charmUrl,
      charmModifiedVersion: state.local.charmModifiedVersion,
      retryDue: model.retryHooks && timers.retryDue,
      updateStatusDue: timers.updateStatusDue(model.updateStatusIntervalMs),
      deferred: timers.deferred(),
    });
  }

  /** Runs a task. Returns false when there is none to run. */
  async #runTask(signal: AbortSignal): Promise<boolean> {
    const run =
      (ofTask: boolean) =>
      (task: TaskRecord, signals: TaskSignals): Promise<TaskOutcome> =>
        runUnitTask(this.#world, task, { ...signals, ofTask });
    return (
      (await this.#tasks.runNext(run(true), signal)) || (await this.#commands.runNext(run(false), signal))
    );
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const { state, statuses } = this.#world;
    await state.save(signal);
    const { op } = state.local;
    if (op.kind === 'hook' && op.step === 'pending' && op.failures > 0)
      await showHookError(this.#world, op, signal);
    else await statuses.setAgent('idle', '', signal);
  }
}
