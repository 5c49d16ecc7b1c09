import { hasCode, JujuError } from '../../core/errors.ts';
import { call } from '../calls.ts';
import { command } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, duration } from '../flags.ts';
import { confirmByName } from '../prompts.ts';
import { chooseController } from '../sessions.ts';
import { hostedModels, removeController, waitForModels } from '../teardown.ts';

export const destroyController = command({
  name: 'destroy-controller',
  summary: 'Destroys a controller.',
  usage: '<controller name>',
  details: `All workload models running on the controller must be destroyed first, or --destroy-all-models must be
given. A controller that cannot be reached can only be removed by kill-controller.`,
  examples: [
    'destroy-controller --destroy-all-models mycontroller',
    'destroy-controller --no-prompt mycontroller',
  ],
  seeAlso: ['kill-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    noBrowserLogin: bool('-B, --no-browser-login', 'Do not use web browser for authentication'),
    destroyAllModels: bool('--destroy-all-models', 'Destroy all models in the controller'),
    destroyStorage: bool('--destroy-storage', 'Destroy all storage instances managed by the controller'),
    releaseStorage: bool(
      '--release-storage',
      'Release all storage instances from management of the controller, without destroying them',
    ),
    force: bool('--force', 'Force destroy models ignoring any errors'),
    modelTimeout: duration('--model-timeout', 'Timeout for each step of force model destruction'),
    noPrompt: bool('--no-prompt', 'Do not ask for confirmation'),
    noWait: bool(
      '--no-wait',
      'Rush through model destruction without waiting for each individual step to complete',
    ),
    yes: bool('-y, --yes', 'Do not ask for confirmation'),
  },
  async run(context, flags, args) {
    const [name, ...rest] = args;
    if (!name) throw new UsageError('no controller specified');
    noMoreArgs(rest);
    const controller = await chooseController(context, name);
    if (!flags.noPrompt && !flags.yes) {
      context.io.stderr.write(
        `WARNING This command will destroy the "${controller}" controller and all its resources\n`,
      );
      await confirmByName(context, {
        what: 'controller',
        verb: 'unregistered',
        name: controller,
        aborted: 'controller destruction',
      });
    }
    const session = await reach(controller, () => context.openController(controller));
    context.info('Destroying controller');
    try {
      await call(session.connection, 'Controller', 'DestroyController', {
        'destroy-models': flags.destroyAllModels,
        ...(flags.destroyStorage
          ? { 'destroy-storage': true }
          : flags.releaseStorage
            ? { 'destroy-storage': false }
            : {}),
        ...(flags.force ? { force: true } : {}),
        ...(flags.noWait ? { 'max-wait': 0 } : {}),
        ...(flags.modelTimeout === undefined ? {} : { 'model-timeout': flags.modelTimeout * 1e6 }),
      });
    } catch (error) {
      if (!hasCode(error, 'controller has hosted models')) throw error;
      const models = (await hostedModels(session)).map((m) => `\t${m.name} (${m.life || 'alive'})`);
      throw new JujuError(
        error.code,
        `cannot destroy controller "${controller}"\n\nThe controller has live models. If you want\nto destroy all models in the controller,\nrun this command again with the --destroy-all-models\noption.\n\nModels:\n${models.join('\n')}`,
        { cause: error },
      );
    }
    context.info('Waiting for model resources to be reclaimed');
    await waitForModels(context, session);
    await session.connection.close();
    await removeController(context, controller);
  },
});

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
