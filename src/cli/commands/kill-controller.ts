import { call } from '../calls.ts';
import { command } from '../command.ts';
import type { CommandContext, ControllerSession } from '../context.ts';
import { duration } from '../flags.ts';
import { findDataDir } from '../local-controller.ts';
import { agreedController, endFlags, removeController, waitForModels } from '../teardown.ts';

/** How long a controller may take to answer before it counts as gone. */
const answerMs = 10_000;
const reclaimMs = 5 * 60_000;

export const killController = command({
  name: 'kill-controller',
  summary: 'Forcibly terminate all machines and other associated resources for a Juju controller.',
  usage: '<controller name>',
  details: `Asks the controller to destroy its models; when it cannot be reached, or has not finished after --timeout,
its process is stopped and its machines are removed directly.`,
  examples: ['kill-controller mycontroller', 'kill-controller --no-prompt --timeout 10s mycontroller'],
  seeAlso: ['destroy-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    ...endFlags,
    timeout: duration('-t, --timeout', 'Timeout before direct destruction', '5m0s'),
  },
  async run(context, flags, args) {
    const controller = await agreedController(context, flags, args);
    const timeoutMs = flags.timeout ?? reclaimMs;
    const asked = timeoutMs > 0 && (await askNicely(context, controller, timeoutMs));
    if (!asked && (await findDataDir(context, controller)) === undefined) {
      throw new Error(
        `controller "${controller}" is not on this host and does not answer, so nothing of it can be removed from here; "grigri unregister ${controller}" forgets it`,
      );
    }
    await removeController(context, controller);
    context.info(`Controller "${controller}" removed`);
  },
});

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
  const done = new AbortController();
  try {
    return await Promise.race([
      context.openController(controller),
      context.io.clock.sleep(answerMs, done.signal).then(() => {
        throw new Error(`no answer for ${answerMs / 1000} s`);
      }),
    ]);
  } finally {
    done.abort(new Error('answered'));
  }
}
