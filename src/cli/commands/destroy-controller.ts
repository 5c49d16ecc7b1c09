import { hasCode, JujuError } from '../../core/errors.ts';
import { call } from '../calls.ts';
import { command } from '../command.ts';
import { bool, duration } from '../flags.ts';
import {
  agreedController,
  destroyFlags,
  destroyParams,
  hostedModels,
  removeController,
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
  ],
  seeAlso: ['kill-controller', 'unregister'],
  completes: ['controller'],
  flags: {
    ...destroyFlags({ destroyed: 'managed by the controller', released: 'management of the controller' }),
    destroyAllModels: bool('--destroy-all-models', 'Destroy all models in the controller'),
    modelTimeout: duration('--model-timeout', 'Timeout for each step of force model destruction'),
  },
  async run(context, flags, args) {
    const controller = await agreedController(context, flags, args);
    const session = await reach(controller, () => context.openController(controller));
    context.info('Destroying controller');
    try {
      await call(session.connection, 'Controller', 'DestroyController', {
        'destroy-models': flags.destroyAllModels,
        ...destroyParams(flags),
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
