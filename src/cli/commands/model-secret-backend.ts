import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

const key = 'secret-backend';

export const modelSecretBackend = command({
  name: 'model-secret-backend',
  summary: 'Displays or sets the secret backend for a model.',
  usage: '[<secret-backend-name>]',
  details: `Without an argument, displays the secret backend of the model: auto and internal are the controller's own.
With one, contents of the model's secrets are kept there from now on, and those that it has move there.`,
  examples: ['model-secret-backend', 'model-secret-backend myvault', 'model-secret-backend auto'],
  seeAlso: ['secret-backends', 'add-secret-backend', 'model-config'],
  flags: modelFlags,
  async run(context, { model }, [name, ...more]) {
    noMoreArgs(more);
    const { connection } = await context.openModel(model);
    if (name !== undefined)
      return void (await call(connection, 'ModelConfig', 'ModelSet', { config: { [key]: name } }));
    const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
    const chosen = config[key]?.value;
    await context.write(`${typeof chosen === 'string' && chosen !== '' ? chosen : 'auto'}\n`);
  },
});
