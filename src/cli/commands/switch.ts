import { JujuError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { chooseController, resolveModel } from '../../operate/sessions.ts';

export const switchCommand = command({
  name: 'switch',
  summary: 'Selects or identifies the current controller and model.',
  usage: '[<controller>|<model>|<controller>:|:<model>|<controller>:<model>]',
  details: `Without an argument, the current controller and active model are shown.
A name is first looked for among the controllers, then among the current controller's models.`,
  examples: [
    'switch',
    'switch mymodel',
    'switch mycontroller',
    'switch mycontroller:mymodel',
    'switch :mymodel',
  ],
  seeAlso: ['controllers', 'models', 'show-controller'],
  completes: ['model'],
  async run(context, _flags, args) {
    noMoreArgs(args.slice(1));
    const before = await current(context);
    const wanted = args[0];
    if (!wanted) {
      if (!before) throw new JujuError('', 'no currently specified model');
      return context.write(`${before}\n`);
    }
    for (const variable of ['JUJU_MODEL', 'JUJU_CONTROLLER']) {
      const value = context.io.env[variable];
      if (value)
        throw new JujuError('', `cannot switch when ${variable} is overriding the model (set to "${value}")`);
    }
    await select(context, wanted);
    const after = await current(context);
    context.info(
      before === after ? `${after} (no change)` : before ? `${before} -> ${after}` : `-> ${after}`,
    );
  },
});

async function select(context: CommandContext, wanted: string): Promise<void> {
  const store = await context.store();
  const controllers = await store.controllers();
  const colon = wanted.indexOf(':');
  if (colon < 0 && controllers[wanted]) return store.setCurrentController(wanted);
  if (colon >= 0 && colon === wanted.length - 1)
    return store.setCurrentController(await chooseController(context.client, wanted.slice(0, -1)));
  try {
    const target = await resolveModel(context.client, colon === 0 ? wanted.slice(1) : wanted);
    await store.setCurrentModel(target.controller, target.model);
    await store.setCurrentController(target.controller);
  } catch (error) {
    if (!(error instanceof JujuError) || error.code !== 'model not found' || colon >= 0) throw error;
    throw new JujuError('not found', `"${wanted}" is neither a controller nor a model: ${error.message}`, {
      cause: error,
    });
  }
}

/** Returns `controller:owner/model`, `controller (controller)` without a model, or undefined without either. */
async function current(context: CommandContext): Promise<string | undefined> {
  const store = await context.store();
  const environment = context.io.env['JUJU_MODEL'];
  const controller = context.io.env['JUJU_CONTROLLER'] || (await store.currentController());
  if (environment)
    return environment.includes(':')
      ? environment
      : controller
        ? `${controller}:${environment}`
        : environment;
  if (!controller) return undefined;
  const model = await store.currentModel(controller);
  return model ? `${controller}:${model}` : `${controller} (controller)`;
}
