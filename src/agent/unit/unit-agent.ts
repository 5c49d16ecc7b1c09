import { hasCode } from '../../core/errors.ts';
import { mayRunTasks, nextOperation } from '../../core/unit/next-operation.ts';
import { Reconciler } from '../../kit/reconciler.ts';
import { JujuError } from '../../core/errors.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { carryOut } from './carry-out.ts';
import { remoteView } from './remote-view.ts';
import { showHookError } from './run-hook-operation.ts';
import { LocalCommands } from './local-commands.ts';
import { runUnitTask, Tasks, type TaskOutcome } from './tasks.ts';
import type { UnitWorld } from './world.ts';

export interface UnitAgent {
  /** The mirror changed. */
  wake(): void;
  /** As LocalCommands.run. */
  run(task: TaskRecord, signal: AbortSignal): Promise<TaskOutcome>;
  /** Kills the hook that runs and waits for its end. */
  stop(): Promise<void>;
}

/** Starts one unit's loop: it carries out the next operation, or waits for a change (unit-agent.md#one-operation). */
export function startUnitAgent(world: UnitWorld, random: () => number): UnitAgent {
  const { unit, mirror, clock, log, state, timers, leadership } = world;
  const commands = new LocalCommands(() => loop.wake());
  const tasks = new Tasks({ receiver: unit, api: world.api, mirror });
  const { op } = state.local;
  if (op.kind === 'hook' && op.step === 'pending') timers.failed(op.failures);

  const loop = new Reconciler({ name: `unit ${unit}`, clock, log, random, pass: (signal) => told(signal) });
  const lease = new Reconciler({
    name: `leadership of ${unit}`,
    clock,
    log,
    random,
    async pass(signal) {
      const led = leadership.leads;
      const settled = leadership.settled;
      const delay = await leadership.attend(signal);
      if (!settled || led !== leadership.leads) loop.wake();
      return delay;
    },
  });

  const runTask = (task: TaskRecord, abort: AbortSignal): Promise<TaskOutcome> =>
    runUnitTask(world, task, abort);

  /** Nothing goes on while the controller does not take the agent's state: whoever looks at the unit sees why. */
  async function told(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await pass(signal);
    } catch (error) {
      if (hasCode(error, 'quota limit exceeded'))
        await world.statuses.setAgent('error', error.message, signal);
      throw error;
    }
  }

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    if (!leadership.settled) return undefined;
    for (;;) {
      signal.throwIfAborted();
      const model = mirror.model();
      const remote = remoteView(mirror, unit, {
        machineId: world.machineId,
        leader: leadership.leads,
        bootId: world.bootId,
        retryDue: (model?.retryHooks ?? false) && timers.retryDue,
        updateStatusDue: timers.updateStatusDue(model?.updateStatusIntervalMs ?? 0),
        deferred: timers.deferred(),
      });
      // It vanished, and the deployer will stop this loop; or the mirror does not hold all of it yet.
      if (!remote || !model) return undefined;
      if (
        mayRunTasks(state.local) &&
        ((await tasks.runNext(runTask, signal)) || (await commands.runNext(runTask, signal)))
      ) {
        continue;
      }
      const next = nextOperation(state.local, remote);
      // Dead: the deployer recalls it.
      if (next.kind === 'terminate') return undefined;
      if (next.kind === 'wait' || (await carryOut(world, next, remote, signal)) === 'wait') break;
    }
    await rest(signal);
    return timers.next();
  }

  async function rest(signal: AbortSignal): Promise<void> {
    await state.save(signal);
    const { op: now } = state.local;
    if (now.kind === 'hook' && now.step === 'pending') await showHookError(world, now, signal);
    else await world.statuses.setAgent('idle', '', signal);
  }

  loop.start();
  lease.start();
  return {
    wake() {
      tasks.onChange();
      lease.wake();
      loop.wake();
    },
    run: (task, signal) => commands.run(task, signal),
    async stop() {
      await Promise.all([loop.stop(), lease.stop()]);
      commands.refuse(new JujuError('stopped', `the agent of unit ${unit} ended`));
    },
  };
}
