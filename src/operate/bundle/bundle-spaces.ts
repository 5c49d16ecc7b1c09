/** Spaces that a file names: the controller has to have them before the first change. */
import { call } from '../../client/calls.ts';
import type { NamedSpace } from '../../core/bundle/spaces-named.ts';
import { JujuError } from '../../core/errors.ts';
import type { ModelSession } from '../sessions.ts';

/** Checks that the spaces are there. Errors: `not found`, with all that are not, and where they are named. */
export async function checkSpaces({ connection }: ModelSession, named: readonly NamedSpace[]): Promise<void> {
  if (named.length === 0) return;
  const known = await spaceNames({ connection });
  const unknown = named.filter(({ space }) => !known.has(space));
  const problems = new Set(unknown.map(({ where, space }) => `${where}: space "${space}" not found`));
  if (problems.size > 0) throw new JujuError('not found', [...problems].join('; '));
}

export async function spaceNames({
  connection,
}: Pick<ModelSession, 'connection'>): Promise<ReadonlySet<string>> {
  const { results } = await call(connection, 'Spaces', 'ListSpaces', {});
  return new Set(results.map(({ name }) => name));
}
