import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { parseTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { text } from '../flags.ts';
import { render } from '../format/render.ts';
import { describeSecret, secretId, secretOwner, type ListedSecret } from '../format/secret.ts';
import { formatSections } from '../format/tabwriter.ts';
import { formatAgo, type TimeStyle } from '../format/time.ts';

export const secrets = command({
  name: 'secrets',
  summary: 'Lists secrets available in the model.',
  details: 'Lists the secrets of charms and of users, without their contents.',
  examples: ['secrets', 'secrets --format yaml', 'secrets --owner application-mysql'],
  seeAlso: ['show-secret', 'add-secret', 'remove-secret'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    owner: text('--owner', 'Include secrets for the specified owner'),
  },
  async run(context, { model, owner, format }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Secrets', 'ListSecrets', {
      'show-secrets': false,
      filter: defined({ 'owner-tag': owner || undefined }),
    });
    const list = [...results].sort((a, b) => (secretId(a) < secretId(b) ? -1 : 1));
    if (list.length === 0 && format === 'tabular') {
      context.info('No secrets to display.');
      return;
    }
    const shown = Object.fromEntries(
      list.map((secret) => [
        secretId(secret),
        describeSecret(secret, { withRevisions: false, asJson: format === 'json' }),
      ]),
    );
    const style = { iso: false, nowMs: context.io.clock.now() };
    await context.write(render(format, shown, { tabular: () => table(list, style) }));
  },
});

function table(list: readonly ListedSecret[], style: TimeStyle): string {
  const rows = list.map((secret) => [
    secretId(secret),
    (parseTag(secret['owner-tag']).kind === 'model' && secret.label) || '-',
    secretOwner(secret),
    secret['rotate-policy'] || 'never',
    String(secret['latest-revision']),
    formatAgo(secret['update-time'], style),
  ]);
  const header = ['ID', 'Name', 'Owner', 'Rotation', 'Revision', 'Last updated'];
  return formatSections([{ rows: [header, ...rows], right: [header.indexOf('Revision')] }]);
}
