import { allOk, call } from '../client/calls.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';

/** Suspends or resumes relations, given by their ids. */
export async function suspendRelations(
  context: CommandContext,
  model: string,
  {
    ids,
    suspended,
    message = '',
  }: { readonly ids: readonly string[]; readonly suspended: boolean; readonly message?: string },
): Promise<void> {
  const all = ids.flatMap((one) => one.split(','));
  if (all.length === 0) throw new UsageError('no relation ids specified');
  const invalid = all.find((one) => !/^\d{1,15}$/.test(one));
  if (invalid !== undefined) throw new UsageError(`relation ID "${invalid}" not valid`);
  const { connection } = await context.openModel(model);
  const { results } = await call(connection, 'Application', 'SetRelationsSuspended', {
    args: all.map((id) => ({ 'relation-id': Number(id), suspended, message })),
  });
  allOk(results, (n) => `relation ${all[n]}`);
}
