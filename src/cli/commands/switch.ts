import { JujuError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { browserFlags, command } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { chooseController, resolveModel } from '../../operate/sessions.ts';

export const switchCommand = command({
  name: 'switch',
  summary: 'Selects or identifies the current controller and model.',
  usage: '[<controller>|<model>|<controller>:|:<model>|<controller>:<model>]',
  details: `Without an argument, the current controller and active model are shown.
A name is looked up first among the controllers, then among the models of the current controller.`,
  examples: [
    'switch',
    'switch mymodel',
    'switch mycontroller',
    'switch mycontroller:mymodel',
    'switch :mymodel',
  ],
  seeAlso: ['controllers', 'models', 'show-controller'],
  completes: ['model'],
  flags: browserFlags,
  async run(context, _flags, args) {
    noMoreArgs(args.slice(1));
    const previous = await current(context);
    const name = args[0];
    if (!name) {
      if (!previous) throw new JujuError('', 'no currently specified model');
      // Scripts read this output: without a model it is the controller's name alone.
      return context.write(`${previous.replace(controllerOnly, '')}\n`);
    }
    for (const variable of ['JUJU_MODEL', 'JUJU_CONTROLLER']) {
      const value = context.io.env[variable];
      if (value)
        throw new JujuError('', `cannot switch when ${variable} is overriding the model (set to "${value}")`);
    }
    await select(context, name);
    const after = await current(context);
    context.info(
      previous === after ? `${after} (no change)` : previous ? `${previous} -> ${after}` : `-> ${after}`,
    );
  },
});

/** Suffix that marks a controller without a model, for people. */
const controllerOnly = ' (controller)';

async function select(context: CommandContext, name: string): Promise<void> {
  const store = await context.store();
  const controllers = await store.controllers();
  const colon = name.indexOf(':');
  if (colon < 0 && controllers[name]) return store.setCurrentController(name);
  if (colon >= 0 && colon === name.length - 1)
    return store.setCurrentController(await chooseController(context.client, name.slice(0, -1)));
  const neither = `"${name}" is not the name of a model or controller`;
  if (colon <= 0 && !(await store.currentController())) throw new JujuError('not found', neither);
  try {
    const target = await resolveModel(context.client, colon === 0 ? name.slice(1) : name);
    await store.setCurrentModel(target.controller, target.model);
    await store.setCurrentController(target.controller);
  } catch (error) {
    if (!(error instanceof JujuError) || error.code !== 'model not found' || colon >= 0) throw error;
    throw new JujuError('not found', `${neither}: ${error.message}`, { cause: error });
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
  return model ? `${controller}:${model}` : `${controller}${controllerOnly}`;
}
