import { allOk, call } from '../../client/calls.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const removeSecretBackend = command({
  name: 'remove-secret-backend',
  summary: 'Removes a secret backend from the controller.',
  usage: '<backend-name>',
  details: `Removes a secret backend that has no contents and that no model has chosen. With --force it is removed all
the same, and the contents that only it has are lost.`,
  examples: ['remove-secret-backend myvault', 'remove-secret-backend myvault --force'],
  seeAlso: ['secret-backends', 'add-secret-backend', 'show-secret-backend', 'update-secret-backend'],
  flags: {
    ...controllerFlags,
    force: bool('--force', 'Force removal even if the backend stores in-use secrets'),
  },
  async run(context, { controller, force }, [name, ...more]) {
    if (!name) throw new UsageError('must specify backend name');
    noMoreArgs(more);
    const { connection } = await context.openController(controller);
    const { results } = await call(connection, 'SecretBackends', 'RemoveSecretBackends', {
      args: [{ name, force }],
    });
    allOk(results, () => name);
  },
});
