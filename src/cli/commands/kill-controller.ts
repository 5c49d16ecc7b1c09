import { timeLimit } from '../../kit/clock.ts';
import { call, type ResultOf } from '../../client/calls.ts';
import { hasCode } from '../../core/errors.ts';
import { command } from '../command.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { duration } from '../flags.ts';
import { checkRemovalFlags, showPlan } from '../removal-plan.ts';
import {
  agreeToEnd,
  controllerLines,
  endFlags,
  namedController,
  removeController,
  showControllerPlan,
  waitForModels,
  whereIs,
} from '../teardown.ts';

/** Time in milliseconds after which a silent controller counts as gone. */
const answerTimeoutMs = 10_000;
const reclaimTimeoutMs = 5 * 60_000;

export const killController = command({
  name: 'kill-controller',
  summary: 'Forcibly terminate all machines and other associated resources for a Juju controller.',
  usage: '<controller name>',
  details: `Asks the controller to destroy its models. If the controller cannot be reached, or has not finished after
--timeout, its process is stopped and its machines are removed directly, with the cloud and the credential that it was
bootstrapped with. The remains of an interrupted bootstrap are removed in the same way.`,
  examples: ['kill-controller mycontroller', 'kill-controller --no-prompt --timeout 10s mycontroller'],
  seeAlso: ['destroy-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    ...endFlags,
    timeout: duration('-t, --timeout', 'Timeout before direct destruction', '5m0s'),
  },
  async run(context, flags, args, givenFlags) {
    checkRemovalFlags(flags, givenFlags);
    const controller = await namedController(context, args);
    const timeoutMs = flags.timeout ?? reclaimTimeoutMs;
    const plan = timeoutMs > 0 ? await planOf(context, controller) : {};
    if (!plan.answer) await checkIsRemovable(context, controller);
    if (flags.dryRun) return show(context, controller, flags.format, plan);
    await agreeToEnd(context, flags, controller, linesOf(controller, plan));
    if (plan.failure !== undefined) printFailure(context, plan.failure);
    const isDestroyed =
      plan.answer !== undefined && (await destroyThroughApi(context, controller, timeoutMs));
    if (!isDestroyed) await checkIsRemovable(context, controller);
    await removeController(context, controller, { isEmpty: isDestroyed });
    context.info(`Controller "${controller}" removed`);
  },
});

interface Plan {
  /** Plan of the controller; absent when it is removed without its help. */
  readonly answer?: ResultOf<'Lives', 'PlanControllerRemoval'>;
  /** Reason why the controller gave no answer; absent when it was not asked. */
  readonly failure?: string;
}

/** Agents get the usual time, however this command was started. */
const waitOptions = { force: true };

/** Prints the dry run: the controller's own plan, or that the controller is removed without its help. */
async function show(context: CommandContext, controller: string, format: string, plan: Plan): Promise<void> {
  if (plan.answer) return showControllerPlan(context, controller, format, plan.answer, waitOptions);
  await showPlan(context, format, {
    value: { accepted: true, controller, answers: false },
    lines: () => linesOf(controller, plan),
  });
}

function linesOf(controller: string, { answer, failure }: Plan): string[] {
  if (answer) return controllerLines(controller, answer, waitOptions);
  return [
    `will stop controller ${controller}, which ${failure === undefined ? 'is not contacted' : 'does not answer'}`,
    'will remove every machine of its models directly',
  ];
}

/**
 * Asks the controller for its plan. A controller whose bootstrap did not end has no address, so that the plan has
 * neither answer nor failure.
 */
async function planOf(context: CommandContext, controller: string): Promise<Plan> {
  const details = (await (await context.store()).controllers())[controller];
  if ((details?.['api-endpoints'].length ?? 0) === 0) return {};
  try {
    const session = await reach(context, controller);
    const { error, ...plan } = await call(session.connection, 'Lives', 'PlanControllerRemoval', {
      'destroy-models': true,
      'destroy-storage': true,
      force: true,
    });
    return error ? { failure: error.message } : { answer: plan };
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return { failure: (error as Error).message };
  }
}

async function checkIsRemovable(context: CommandContext, controller: string): Promise<void> {
  if ((await whereIs(context, controller)).kind !== 'unknown') return;
  throw new Error(
    `controller "${controller}" does not answer and was not bootstrapped by this client, so this client cannot remove its resources; run "grigri unregister ${controller}" to remove its connection details`,
  );
}

/** Destroys the controller through its API. False when that failed. */
async function destroyThroughApi(
  context: CommandContext,
  controller: string,
  timeoutMs: number,
): Promise<boolean> {
  try {
    const session = await reach(context, controller);
    context.info(`Destroying controller "${controller}"\nWaiting for resources to be reclaimed`);
    await call(session.connection, 'Controller', 'DestroyController', {
      'destroy-models': true,
      'destroy-storage': true,
      force: true,
    });
    const { connection } = session;
    // A controller that is lost is not asked again: its machines and records are removed directly.
    const reopen = () => Promise.reject(new Error('the connection was lost'));
    await waitForModels(context, { connection, reopen }, timeoutMs);
    await connection.close();
    return true;
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    await refuseWhileMigrating(context, controller, error);
    printFailure(context, (error as Error).message);
    return false;
  }
}

/**
 * Removes nothing of a cloud directly while one of the controller's models may be another controller's already: its
 * machines still have the tags of this one. On this host the controller's store tells (endController).
 */
async function refuseWhileMigrating(
  context: CommandContext,
  controller: string,
  error: unknown,
): Promise<void> {
  if (!hasCode(error, 'model migration in progress')) return;
  if ((await whereIs(context, controller)).kind !== 'cloud') return;
  throw new Error(
    `a model of controller "${controller}" is being migrated, and its machines may be another controller's already: wait until the migration has ended ("grigri models" tells)`,
    { cause: error },
  );
}

/** Reports the failure without an error of the command: direct removal follows, which needs no controller. */
function printFailure(context: CommandContext, failure: string): void {
  context.info(
    `Unable to destroy the controller through its API (${failure.split('\n')[0]})\nDestroying through provider`,
  );
}

async function reach(context: CommandContext, controller: string): Promise<ControllerSession> {
  const limit = timeLimit(context.io.clock, answerTimeoutMs);
  try {
    // The time limit ends everything that opening began, because a late start would revive the controller that is being
    // removed.
    return await context.withSignal(limit.signal).openController(controller);
  } catch (error) {
    context.io.signal.throwIfAborted();
    throw limit.signal.aborted ? new Error(`no answer for ${answerTimeoutMs / 1000} s`) : error;
  } finally {
    limit.done();
  }
}
