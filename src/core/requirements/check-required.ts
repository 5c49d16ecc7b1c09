import type { CharmMeta } from '../charm/metadata.ts';
import { JujuError } from '../errors.ts';
import { cut } from '../limits.ts';

/**
 * Refuses `deploy --require` names that are not endpoints of the charm. Errors: `not valid`, with the possible names.
 */
export function checkRequired(meta: Pick<CharmMeta, 'name' | 'endpoints'>, names: readonly string[]): void {
  const requires = Object.values(meta.endpoints).flatMap(({ name, role }) =>
    role === 'requirer' ? [name] : [],
  );
  const wrong = names.find((name) => !requires.includes(name));
  if (wrong === undefined) return;
  const available = requires.length > 0 ? `it has ${requires.join(', ')}` : 'it has none';
  throw new JujuError(
    'not valid',
    `charm "${meta.name}" has no requires endpoint "${cut({ max: 100 }, wrong)}": ${available}`,
  );
}
