/** Shared part of grant-secret and revoke-secret. */
import { call } from '../client/calls.ts';
import type { CommandContext } from './context.ts';
import { noMoreArgs, UsageError } from './errors.ts';
import { secretOf } from './secret-content.ts';

/** Grants or revokes the right of applications to read a secret, by the arguments of the command. */
export async function changeAccess(
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
