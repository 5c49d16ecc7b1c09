import { call } from '../../client/calls.ts';
import { notFound } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import { modelTag } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, int } from '../flags.ts';
import { render } from '../format/render.ts';
import { describeSecret, secretId } from '../format/secret.ts';
import { secretOf } from '../secret-content.ts';

export const showSecret = command({
  name: 'show-secret',
  summary: 'Shows details for a specific secret.',
  usage: '<ID>|<name>',
  details: `Shows what is known of a secret. --reveal shows its content, for administrators of the model: that of the
newest revision, or of the one that --revision names. --revisions lists all revisions.`,
  examples: [
    'show-secret my-secret',
    'show-secret 9m4e2mr0ui3e8a215n4g',
    'show-secret secret:9m4e2mr0ui3e8a215n4g --revision 2 --reveal',
    'show-secret 9m4e2mr0ui3e8a215n4g --revisions',
  ],
  seeAlso: ['secrets', 'add-secret', 'update-secret', 'remove-secret'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    reveal: bool('--reveal', 'Reveal secret values, applicable to yaml or json formats only'),
    revisions: bool('--revisions', 'Show the secret revisions metadata'),
    revision: int('-r, --revision', 'Show only the specified revision'),
  },
  async run(context, { model, format, reveal, revisions, revision }, [argument, ...args], given) {
    if (!argument) throw new UsageError('missing secret ID');
    noMoreArgs(args);
    if (reveal && revisions) throw new UsageError('specify either --revisions or --reveal but not both');
    if (given.has('revision') && revision < 1) throw new UsageError('revision must be a positive number');
    if (given.has('revision') && revisions)
      throw new UsageError('specify either --revisions or --revision but not both');
    const { uri, label } = secretOf(argument);
    const { connection, modelUuid } = await context.openModel(model);
    const { results } = await call(connection, 'Secrets', 'ListSecrets', {
      'show-secrets': reveal,
      filter: {
        ...(uri === '' ? { label, 'owner-tag': modelTag(modelUuid) } : { uri }),
        ...defined({ revision: given.has('revision') ? revision : undefined }),
      },
    });
    const [secret] = results;
    if (!secret) throw notFound('secret', argument);
    if (given.has('revision') && !secret.revisions.some((one) => one.revision === revision))
      throw notFound('secret revision', `${secretId(secret)}/${revision}`);
    const shown = describeSecret(secret, { withRevisions: revisions, asJson: format === 'json' });
    await context.write(render(format, { [secretId(secret)]: shown }));
  },
});
