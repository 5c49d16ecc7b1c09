import { call } from '../../client/calls.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { describeBackend } from '../secret-backends.ts';

export const showSecretBackend = command({
  name: 'show-secret-backend',
  summary: 'Displays the specified secret backend.',
  usage: '<backend-name>',
  details: 'Displays a secret backend with its configuration, without what is secret in it.',
  examples: ['show-secret-backend myvault', 'show-secret-backend myvault --format json'],
  seeAlso: ['secret-backends', 'add-secret-backend', 'remove-secret-backend', 'update-secret-backend'],
  flags: {
    ...controllerFlags,
    ...formatFlags('yaml', 'json'),
    reveal: bool('--reveal', 'Accepted; what is secret in a configuration is never shown'),
  },
  async run(context, { controller, format }, [name, ...more]) {
    if (!name) throw new UsageError('must specify backend name');
    noMoreArgs(more);
    const { connection } = await context.openController(controller);
    const { results } = await call(connection, 'SecretBackends', 'ListSecretBackends', { names: [name] });
    const backend = results[0]!;
    if (backend.error) throw new Error(backend.error.message);
    await context.write(render(format, { [name]: describeBackend(backend, { withId: true }) }));
  },
});
