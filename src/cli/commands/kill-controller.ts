import { timeLimit } from '../../kit/clock.ts';
import { call, errorOf, type ResultOf } from '../../client/calls.ts';
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
/** Time in milliseconds for the plan of a controller that has answered. */
const planTimeoutMs = 30_000;
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
    const failure = plan.answer
      ? await destroyThroughApi(context, controller, timeoutMs)
      : plan.failure?.message;
    const isDestroyed = plan.answer !== undefined && failure === undefined;
    if (!isDestroyed) await checkIsRemovable(context, controller);
    if (failure !== undefined) printFailure(context, failure);
    await removeController(context, controller, { isEmpty: isDestroyed });
    context.info(`Controller "${controller}" removed`);
  },
});

interface Plan {
  /** Plan of the controller; absent when it is removed without its help. */
  readonly answer?: ResultOf<'Lives', 'PlanControllerRemoval'>;
  /** Reason why the controller gave no answer; absent when it was not asked. */
  readonly failure?: Error;
}

/** Nothing of the controller is kept. */
const everything = { 'destroy-models': true, 'destroy-storage': true, force: true };

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
    `will stop controller ${controller}, which ${failure === undefined ? 'is not asked' : 'does not answer'}`,
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
    const { error, ...plan } = await within(context, planTimeoutMs, ({ io }) =>
      call(session.connection, 'Lives', 'PlanControllerRemoval', everything, { signal: io.signal }),
    );
    return error ? { failure: errorOf(error) } : { answer: plan };
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return { failure: error as Error };
  }
}

/**
 * Checks that the controller can be removed directly. Nothing of a cloud may be while one of the controller's models
 * may be another controller's already: its machines still have the tags of this one. On this host the controller's
 * store tells (endController).
 */
async function checkIsRemovable(context: CommandContext, controller: string): Promise<void> {
  const { kind } = await whereIs(context, controller);
  if (kind === 'this host') return;
  if (kind === 'cloud') return refuseWhileMigrating(controller, (await planOf(context, controller)).failure);
  throw new Error(
    `controller "${controller}" does not answer and was not bootstrapped by this client, so this client cannot remove its resources; run "grigri unregister ${controller}" to remove its connection details`,
  );
}

/** Destroys the controller through its API. Returns why that failed; undefined when it did not. */
async function destroyThroughApi(
  context: CommandContext,
  controller: string,
  timeoutMs: number,
): Promise<string | undefined> {
  try {
    const session = await reach(context, controller);
    context.info(`Destroying controller "${controller}"\nWaiting for resources to be reclaimed`);
    await call(session.connection, 'Controller', 'DestroyController', everything);
    const { connection } = session;
    // A controller that is lost is not asked again: its machines and records are removed directly.
    const reopen = () => Promise.reject(new Error('the connection was lost'));
    await waitForModels(context, { connection, reopen }, timeoutMs);
    await connection.close();
    return undefined;
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return (error as Error).message;
  }
}

function refuseWhileMigrating(controller: string, failure: unknown): void {
  if (!hasCode(failure, 'model migration in progress')) return;
  throw new Error(
    `a model of controller "${controller}" is being migrated, and its machines may be another controller's already: ${(failure as Error).message}`,
    { cause: failure },
  );
}

/** Reports the failure without an error of the command: direct removal follows, which needs no controller. */
function printFailure(context: CommandContext, failure: string): void {
  context.info(
    `Unable to destroy the controller through its API (${failure.split('\n')[0]})\nDestroying through provider`,
  );
}

async function reach(context: CommandContext, controller: string): Promise<ControllerSession> {
  // The time limit ends everything that opening began, because a late start would revive the controller that is being
  // removed.
  return within(context, answerTimeoutMs, (limited) => limited.openController(controller));
}

/** Does `work` in a context whose operations end after `ms`. Errors: those of `work`; plain Error after that time. */
async function within<T>(
  context: CommandContext,
  ms: number,
  work: (limited: CommandContext) => Promise<T>,
): Promise<T> {
  const limit = timeLimit(context.io.clock, ms);
  try {
    return await work(context.withSignal(limit.signal));
  } catch (error) {
    context.io.signal.throwIfAborted();
    throw limit.signal.aborted ? new Error(`no answer for ${ms / 1000} s`) : error;
  } finally {
    limit.done();
  }
}
