import { timeLimit } from '../../kit/clock.ts';
import { call, type ResultOf } from '../calls.ts';
import { command } from '../command.ts';
import type { CommandContext, ControllerSession } from '../context.ts';
import { duration } from '../flags.ts';
import { checkRemovalFlags, showPlan } from '../removal-plan.ts';
import {
  agreeToEnd,
  endFlags,
  namedController,
  removeController,
  showControllerPlan,
  waitForModels,
  whereIs,
} from '../teardown.ts';

/** How long a controller may take to answer before it counts as gone. */
const answerMs = 10_000;
const reclaimMs = 5 * 60_000;

export const killController = command({
  name: 'kill-controller',
  summary: 'Forcibly terminate all machines and other associated resources for a Juju controller.',
  usage: '<controller name>',
  details: `Asks the controller to destroy its models; when it cannot be reached, or has not finished after --timeout,
its process is stopped and its machines are removed directly: with the cloud and the credential that it was
bootstrapped with. What a bootstrap that was killed has left is removed in the same way.`,
  examples: ['kill-controller mycontroller', 'kill-controller --no-prompt --timeout 10s mycontroller'],
  seeAlso: ['destroy-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    ...endFlags,
    timeout: duration('-t, --timeout', 'Timeout before direct destruction', '5m0s'),
  },
  async run(context, flags, args, given) {
    checkRemovalFlags(flags, given);
    const controller = await namedController(context, args);
    if (flags.dryRun) return dryRun(context, controller, flags.format);
    await agreeToEnd(context, flags, controller, []);
    const timeoutMs = flags.timeout ?? reclaimMs;
    const details = (await (await context.store()).controllers())[controller];
    // It was never told of an address whose bootstrap did not end.
    const isMade = (details?.['api-endpoints'].length ?? 0) > 0;
    const asked = isMade && timeoutMs > 0 && (await askNicely(context, controller, timeoutMs));
    if (!asked) await mustBeKnown(context, controller);
    await removeController(context, controller, { isEmpty: asked });
    context.info(`Controller "${controller}" removed`);
  },
});

/** What the controller says, or that it is removed without it. Errors: plain Error when nothing can be done from here. */
async function dryRun(context: CommandContext, controller: string, format: string): Promise<void> {
  const plan = await planOf(context, controller);
  if (plan) return showControllerPlan(context, controller, format, plan, { force: true });
  await mustBeKnown(context, controller);
  const lines = [
    `will end controller ${controller}, which does not answer`,
    'will remove every machine of its models directly',
  ];
  await showPlan(context, format, {
    value: { accepted: true, controller, answers: false },
    lines: () => lines,
  });
}

/** Undefined when it does not answer. */
async function planOf(
  context: CommandContext,
  controller: string,
): Promise<ResultOf<'Lives', 'PlanControllerRemoval'> | undefined> {
  let session: ControllerSession;
  try {
    session = await reach(context, controller);
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    return undefined;
  }
  return call(session.connection, 'Lives', 'PlanControllerRemoval', {
    'destroy-models': true,
    'destroy-storage': true,
    force: true,
  });
}

async function mustBeKnown(context: CommandContext, controller: string): Promise<void> {
  if ((await whereIs(context, controller)).kind !== 'unknown') return;
  throw new Error(
    `controller "${controller}" was not bootstrapped from here and does not answer, so nothing of it can be removed from here; "grigri unregister ${controller}" forgets it`,
  );
}

/** False when it could not do it. */
async function askNicely(context: CommandContext, controller: string, timeoutMs: number): Promise<boolean> {
  try {
    const session = await reach(context, controller);
    context.info(`Destroying controller "${controller}"\nWaiting for resources to be reclaimed`);
    await call(session.connection, 'Controller', 'DestroyController', {
      'destroy-models': true,
      'destroy-storage': true,
      force: true,
    });
    await waitForModels(context, session, timeoutMs);
    await session.connection.close();
    return true;
  } catch (error) {
    if (context.io.signal.aborted) throw error;
    // Direct removal needs nothing that it could have done.
    context.info(
      `Unable to destroy the controller through its API (${(error as Error).message.split('\n')[0]})\nDestroying through provider`,
    );
    return false;
  }
}

async function reach(context: CommandContext, controller: string): Promise<ControllerSession> {
  const limit = timeLimit(context.io.clock, answerMs);
  try {
    // Nothing of it goes on afterwards: it would start again what is to be ended.
    return await context.until(limit.signal).openController(controller);
  } catch (error) {
    context.io.signal.throwIfAborted();
    throw limit.signal.aborted ? new Error(`no answer for ${answerMs / 1000} s`) : error;
  } finally {
    limit.done();
  }
}
