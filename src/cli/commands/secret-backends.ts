import { call } from '../../client/calls.ts';
import { command, controllerFlags, formatFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';
import { describeBackend } from '../secret-backends.ts';

export const secretBackends = command({
  name: 'secret-backends',
  summary: 'Lists secret backends available in the controller.',
  details: `Lists the places where contents of secrets are kept, with the number of revisions in each and what is wrong
with it.`,
  examples: ['secret-backends', 'secret-backends --format yaml'],
  seeAlso: ['add-secret-backend', 'remove-secret-backend', 'show-secret-backend', 'update-secret-backend'],
  flags: {
    ...controllerFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    reveal: bool('--reveal', 'Accepted; what is secret in a configuration is never shown'),
  },
  async run(context, { controller, format }, args) {
    noMoreArgs(args);
    const { connection } = await context.openController(controller);
    const { results } = await call(connection, 'SecretBackends', 'ListSecretBackends', {});
    const list = [...results].sort((a, b) => (a.result.name < b.result.name ? -1 : 1));
    const rows = list.map(({ result, message = '', 'num-secrets': count }) => [
      result.name,
      result['backend-type'],
      String(count),
      message,
    ]);
    const table = { rows: [['Name', 'Type', 'Secrets', 'Message'], ...rows], right: [2] };
    const shown = Object.fromEntries(
      list.map((backend) => [backend.result.name, describeBackend(backend, { withId: false })]),
    );
    await context.write(render(format, shown, { tabular: () => formatSections([table]) }));
  },
});
