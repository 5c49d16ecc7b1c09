/** Pools that a bundle's storage names: the model has to have them before the first change. */
import { allOk, call } from '../../client/calls.ts';
import type { BundleStep } from '../../core/bundle/step.ts';
import { JujuError } from '../../core/errors.ts';
import type { ModelSession } from '../sessions.ts';

/**
 * Checks that the model has the pools, or will have them: `made`. Errors: `not found`, with the application and the
 * storage.
 */
export async function checkPools(
  { connection }: ModelSession,
  steps: readonly BundleStep[],
  made: readonly string[] = [],
): Promise<void> {
  const wanted = steps.flatMap((step) =>
    step.kind === 'deploy'
      ? Object.entries(step.storage ?? {}).flatMap(([name, { pool }]) =>
          pool === undefined ? [] : [{ application: step.application, name, pool }],
        )
      : [],
  );
  if (wanted.length === 0) return;
  const { results } = await call(connection, 'Storage', 'ListPools', { filters: [{}] });
  allOk(results, () => 'storage pools');
  const pools = results.flatMap((one) => one['storage-pools'] ?? []);
  const known = new Set([...made, ...pools.map(({ name }) => name)]);
  for (const { application, name, pool } of wanted)
    if (!known.has(pool))
      throw new JujuError(
        'not found',
        `application "${application}": storage "${name}": pool "${pool}" not found`,
      );
}
