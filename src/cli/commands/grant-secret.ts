import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import type { CommandContext } from '../context.ts';
import { secretOf } from '../secret-content.ts';

export const grantSecret = command({
  name: 'grant-secret',
  summary: 'Grants access to a secret.',
  usage: '<ID>|<name> <application>[,<application>...]',
  details: `Lets applications read a secret of the model. A charm learns of it by a configuration option that holds its
URI.`,
  examples: ['grant-secret my-secret ubuntu-k8s', 'grant-secret secret:9m4e2mr0ui3e8a215n4g mediawiki,mysql'],
  seeAlso: ['revoke-secret', 'add-secret'],
  flags: modelFlags,
  run: (context, { model }, args) => change(context, model, args, 'grant'),
});

export const revokeSecret = command({
  name: 'revoke-secret',
  summary: 'Revokes access to a secret.',
  usage: '<ID>|<name> <application>[,<application>...]',
  details: 'Takes from applications the right to read a secret of the model.',
  examples: [
    'revoke-secret my-secret ubuntu-k8s',
    'revoke-secret secret:9m4e2mr0ui3e8a215n4g mediawiki,mysql',
  ],
  seeAlso: ['grant-secret'],
  flags: modelFlags,
  run: (context, { model }, args) => change(context, model, args, 'revoke'),
});

async function change(
  context: CommandContext,
  model: string,
  [argument, names, ...args]: readonly string[],
  what: 'grant' | 'revoke',
): Promise<void> {
  if (!argument) throw new UsageError('missing secret URI');
  if (!names) throw new UsageError('missing application name');
  noMoreArgs(args);
  const secret = secretOf(argument);
  const applications = names.split(',').filter((name) => name !== '');
  const { connection } = await context.openModel(model);
  const method = what === 'grant' ? 'GrantSecret' : 'RevokeSecret';
  const { results } = await call(connection, 'Secrets', method, { ...secret, applications });
  const problems = results.flatMap(({ error }) => (error ? [error.message] : []));
  if (problems.length > 0) throw new Error(`failed to ${what} secret: ${problems.join(', ')}`);
}
