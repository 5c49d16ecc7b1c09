import { JujuError } from '../../core/errors.ts';
import type { HookEvent } from '../../hooks/context.ts';
import type { SecretMask } from '../../hooks/secret-mask.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { isEmpty, toCommit } from './changes.ts';
import { commandOf, execName, execOutcome, inTurn, timeoutOf } from './exec-task.ts';
import { actionSpecOf } from './hook-context.ts';
import { contextFor } from './run-hook-operation.ts';
import type { TaskOutcome, TaskSignals } from './tasks.ts';
import { stableId, type UnitWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/** Runs an action of the charm, or a script, in the unit's context. */
export async function runUnitTask(
  world: UnitWorld,
  task: TaskRecord,
  { signal, cancel }: TaskSignals,
): Promise<TaskOutcome> {
  return inTurn(world.lock, task, AbortSignal.any([signal, cancel]), async (release) => {
    const exec = task.name === execName;
    const debug = exec ? undefined : await world.host.debugSession?.([task.name]);
    if (debug) release();
    await world.statuses.setAgent(
      'executing',
      exec ? 'running commands' : `running action ${task.name}${debug ? ' in a debug session' : ''}`,
      signal,
    );
    const context = contextFor(world, eventOf(world, task));
    const timeoutMs = exec ? timeoutOf(task) : undefined;
    const result = await world.host.run({
      context,
      program: exec ? { command: commandOf(task) } : { dispatchPath: `actions/${task.name}` },
      capture: true,
      signal,
      cancel,
      onOutput: (stream, line) =>
        world.output(
          exec ? execName : task.name,
          stream === 'stdout' ? 'DEBUG' : 'WARNING',
          context.mask.hide(line),
        ),
      ...defined({ timeoutMs, debug }),
    });
    const outcome = exec ? execOutcome(result) : actionOutcome(result, context.changes.action);
    const ended = result.kind !== 'failed' || (exec && result.code !== undefined);
    const problem = ended ? await flush(world, task, context.changes, signal) : undefined;
    if (result.reboot !== '') world.reboot();
    if (problem === undefined) return masked(context.mask, outcome);
    return masked(context.mask, {
      status: 'failed',
      message: `committing requested changes failed: ${problem}`,
      output: { ...outcome.output, 'return-code': 1 },
    });
  });
}

/** Hides contents of secrets; where some were in the output, it is in `revealed` as it was (secrets.md#in-outputs). */
function masked(mask: SecretMask, outcome: TaskOutcome): TaskOutcome {
  const message = mask.hide(outcome.message);
  const output = mask.hideIn(outcome.output) as TaskOutcome['output'];
  const isHidden = JSON.stringify(output) !== JSON.stringify(outcome.output);
  return { ...outcome, message, output, ...defined({ revealed: isHidden ? outcome.output : undefined }) };
}

function actionOutcome(
  result: HookResult,
  action: { results: Record<string, unknown>; failed: boolean; message: string },
): TaskOutcome {
  if (result.kind === 'missing') {
    return { status: 'failed', message: 'action not implemented on unit', output: {} };
  }
  const output = { ...action.results, ...result.output, 'return-code': result.code ?? -1 };
  if (action.failed) return { status: 'failed', message: action.message, output };
  if (result.kind === 'failed')
    return { status: 'failed', message: result.message ?? 'action failed', output };
  return { status: 'completed', message: action.message, output };
}

/** Commits the changes of a task. Returns the error message when that fails. */
async function flush(
  world: UnitWorld,
  task: TaskRecord,
  changes: Parameters<typeof toCommit>[1],
  signal: AbortSignal,
): Promise<string | undefined> {
  const commit = toCommit(stableId('task', task.id), changes, world.mirror);
  if (isEmpty(commit)) return undefined;
  try {
    await world.state.commit(commit, world.state.local, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    return error.message;
  }
}

function eventOf(world: UnitWorld, task: TaskRecord): HookEvent {
  if (task.name === execName) return execEvent(world, task);
  const { id, name, parameters } = task;
  const application = world.mirror.application(world.mirror.unit(world.unit)?.application ?? '');
  const spec = actionSpecOf({ application, charmUrl: world.state.local.charmUrl }, name);
  return { name: '', action: { id, name, parameters, ...defined({ spec }) } };
}

/** The event for exec, in the context of the named relation, if any. Errors: `not found`. */
function execEvent(world: UnitWorld, { parameters }: TaskRecord): HookEvent {
  const { relation: relationText, 'remote-unit': remoteUnit } = parameters;
  if (typeof relationText !== 'string') return { name: execName };
  const id = Number(relationText.slice(relationText.lastIndexOf(':') + 1));
  const relation = world.state.local.relations[id];
  if (!relation) throw new JujuError('not found', `relation ${JSON.stringify(relationText)} not found`);
  const application = world.mirror.unit(world.unit)?.application;
  const endpoints = world.mirror.relation(id)?.endpoints ?? [];
  const remote = endpoints.find((endpoint) => endpoint.application !== application) ?? endpoints[0];
  return {
    name: execName,
    relation: { id, endpoint: relation.endpoint },
    ...defined({
      remoteUnit: typeof remoteUnit === 'string' ? remoteUnit : undefined,
      remoteApplication: remote?.application,
    }),
  };
}
