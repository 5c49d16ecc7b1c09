import { hasCode, JujuError } from '../../core/errors.ts';
import { call, errorOf } from '../../client/calls.ts';
import { setOfBlock } from '../command-sets.ts';
import { command } from '../command.ts';
import { endParams } from '../../operate/remove/end-params.ts';
import { hostedModels } from '../../operate/remove/hosted-models.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import { bool, duration } from '../flags.ts';
import { mustAsk } from '../prompts.ts';
import { checkRemovalFlags } from '../removal-plan.ts';
import {
  agreeToEnd,
  controllerLines,
  destroyFlags,
  namedController,
  removeController,
  showControllerPlan,
  summary,
  waitForModels,
} from '../teardown.ts';

export const destroyController = command({
  name: 'destroy-controller',
  summary: 'Destroys a controller.',
  usage: '<controller name>',
  details: `All workload models running on the controller must be destroyed first, or --destroy-all-models must be
given. A controller that cannot be reached can only be removed by kill-controller.`,
  examples: [
    'destroy-controller --destroy-all-models mycontroller',
    'destroy-controller --no-prompt mycontroller',
    'destroy-controller --destroy-all-models --dry-run mycontroller',
  ],
  seeAlso: ['kill-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    ...destroyFlags({ destroyed: 'managed by the controller', released: 'management of the controller' }),
    destroyAllModels: bool('--destroy-all-models', 'Destroy all models in the controller'),
    modelTimeout: duration('--model-timeout', 'Timeout for each step of force model destruction'),
  },
  async run(context, flags, args, givenFlags) {
    checkRemovalFlags(flags, givenFlags);
    const controller = await namedController(context, args);
    const session = await reach(controller, () => context.openController(controller));
    const params = { 'destroy-models': flags.destroyAllModels, ...endParams(flags) };
    const { 'max-wait': _, ...planParams } = params;
    const plan = await call(session.connection, 'Lives', 'PlanControllerRemoval', planParams);
    const waitOptions = { ...flags, waitMs: flags.modelTimeout };
    if (flags.dryRun) await showControllerPlan(context, controller, flags.format, plan, waitOptions);
    if (plan.error) throw await refusal(session, errorOf(plan.error));
    if (flags.dryRun) return;
    const lines = controllerLines(controller, plan, waitOptions);
    await agreeToEnd(context, flags, controller, mustAsk(flags) ? [...summary(plan), ...lines] : lines);
    context.info('Destroying controller');
    try {
      const { warnings = [] } = await call(session.connection, 'Controller', 'DestroyController', {
        ...params,
        ...(flags.modelTimeout === undefined ? {} : { 'model-timeout': flags.modelTimeout * 1e6 }),
      });
      for (const warning of warnings) context.warning(warning);
    } catch (error) {
      throw error instanceof JujuError ? await refusal(session, error) : error;
    }
    context.info('Waiting for model resources to be reclaimed');
    const { connection } = session;
    const reopen = async () => (await context.openController(controller)).connection;
    await waitForModels(context, { connection, reopen });
    await connection.close();
    await removeController(context, controller, { isEmpty: true });
  },
});

/** Returns the error to show when the controller cannot be destroyed. */
async function refusal(session: ControllerSession, error: JujuError): Promise<JujuError> {
  if (error.code === 'operation is blocked') return blockedRefusal(session, error);
  if (!hasCode(error, 'controller has hosted models')) return error;
  const models = (await hostedModels(session.connection)).map((m) => `\t${m.name} (${m.life || 'alive'})`);
  return new JujuError(
    error.code,
    `cannot destroy controller "${session.controller}"\n\nThe controller has live models. If you want\nto destroy all models in the controller,\nrun this command again with the --destroy-all-models\noption.\n\nModels:\n${models.join('\n')}`,
    { cause: error },
  );
}

/** Lists the models that have disabled commands. */
async function blockedRefusal(session: ControllerSession, error: JujuError): Promise<JujuError> {
  const { models } = await call(session.connection, 'Controller', 'ListBlockedModels', {});
  const lines = models.map((m) => `\t${m.name} (${m.blocks.map(setOfBlock).join(', ')})`);
  return new JujuError(
    '',
    `cannot destroy controller "${session.controller}"\n\nThere are models with disabled commands preventing controller destruction.\n\nModels:\n${lines.join('\n')}\n\nTo enable controller destruction, please run:\n\n    grigri enable-destroy-controller\n`,
    { cause: error },
  );
}

async function reach<T>(controller: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!hasCode(error, 'try again')) throw error;
    throw new JujuError(
      error.code,
      `${error.message}\n\nIf the controller is unusable, then you may run\n\n    grigri kill-controller ${controller}\n\nto forcibly destroy it.`,
      { cause: error },
    );
  }
}
