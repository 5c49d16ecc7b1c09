import { JujuError } from '../../core/errors.ts';
import type { HookEvent } from '../../hooks/context.ts';
import type { SecretMask } from '../../hooks/secret-mask.ts';
import type { HookResult } from '../../hooks/run-hook.ts';
import type { TaskRecord } from '../../wire/agent-records.ts';
import { isEmpty, toCommit } from './changes.ts';
import { execRelation } from './exec-relation.ts';
import { commandOf, execName, execOutcome, inTurn, timeoutOf } from './exec-task.ts';
import { fitOutcome } from './fit-output.ts';
import { actionSpecOf } from './hook-context.ts';
import { contextFor, reboot } from './run-hook-operation.ts';
import type { TaskOutcome, TaskSignals } from './tasks.ts';
import { stableId, type UnitWorld } from './world.ts';
import { defined } from '../../core/defined.ts';

/**
 * Runs an action of the charm, or a script, in the unit's context. `ofTask`: the run is a task of the controller; a run
 * that is not may reboot the machine (unit-agent.md#reboots).
 */
export async function runUnitTask(
  world: UnitWorld,
  task: TaskRecord,
  { signal, cancel, ofTask }: TaskSignals & { readonly ofTask: boolean },
): Promise<TaskOutcome> {
  return inTurn(world.lock, task, { signal, cancel }, async (release) => {
    const exec = task.name === execName;
    const debug = exec ? undefined : await world.host.debugSession?.([task.name]);
    if (debug) release();
    await world.statuses.setAgent(
      'executing',
      exec ? 'running commands' : `running action ${task.name}${debug ? ' in a debug session' : ''}`,
      signal,
    );
    const context = contextFor(world, { ...eventOf(world, task), ofTask });
    const timeoutMs = exec ? timeoutOf(task) : undefined;
    const result = await world.host.run({
      context,
      program: exec ? { command: commandOf(task) } : { dispatchPath: `actions/${task.name}` },
      capture: true,
      signal,
      cancel,
      onOutput: (stream, line, isPiece) =>
        world.output(
          exec ? execName : task.name,
          stream === 'stdout' ? 'DEBUG' : 'WARNING',
          context.mask.hide(line, isPiece),
        ),
      ...defined({ timeoutMs, debug }),
    });
    const outcome = exec ? execOutcome(result) : actionOutcome(result, context.changes.action);
    const ended = result.kind !== 'failed' || (exec && result.code !== undefined);
    const problem = ended ? await flush(world, task, context.changes, signal) : undefined;
    if (result.reboot !== '') await reboot(world, signal);
    if (problem === undefined) return masked(world, context.mask, outcome, result.cut);
    const refused: TaskOutcome = {
      status: 'failed',
      message: `committing requested changes failed: ${problem}`,
      output: { ...outcome.output, 'return-code': 1 },
    };
    return masked(world, context.mask, refused, result.cut);
  });
}

/**
 * Cuts the output to what the controller accepts and hides contents of secrets; output that contained some is kept
 * unchanged in `revealed` (secrets.md#in-outputs). `captured`: streams that are cut already.
 */
function masked(
  world: UnitWorld,
  mask: SecretMask,
  outcome: TaskOutcome,
  captured: HookResult['cut'],
): TaskOutcome {
  const { outcome: fitted, cut } = fitOutcome(outcome, captured, world.log);
  const message = mask.hide(fitted.message);
  const output = mask.hideInOutput(fitted.output, cut);
  const isHidden = JSON.stringify(output) !== JSON.stringify(fitted.output);
  return { ...fitted, message, output, ...defined({ revealed: isHidden ? fitted.output : undefined }) };
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

/** Returns the event for exec, in the context of the named relation, if any. Errors: `not found`. */
function execEvent(world: UnitWorld, { parameters }: TaskRecord): HookEvent {
  const text = (key: string): string | undefined => {
    const value = parameters[key];
    return typeof value === 'string' ? value : undefined;
  };
  const named = text('relation');
  if (named === undefined) return { name: execName };
  const remoteApplication = text('remote-application');
  const { id, relation, remoteUnit } = execRelation(
    {
      relation: named,
      remoteUnit: text('remote-unit'),
      remoteApplication,
      force: parameters['force-remote-unit'] === true,
    },
    world.state.local.relations,
  );
  const application = world.mirror.unit(world.unit)?.application;
  const endpoints = world.mirror.relation(id)?.endpoints ?? [];
  const remote = endpoints.find((endpoint) => endpoint.application !== application) ?? endpoints[0];
  return {
    name: execName,
    relation: { id, endpoint: relation.endpoint },
    ...defined({
      remoteUnit,
      remoteApplication: remoteApplication ?? remote?.application,
    }),
  };
}
