import type { CharmMeta } from '../charm/metadata.ts';
import { JujuError } from '../errors.ts';

/** What `deploy --require` names must be the charm's own. Errors: `not valid`, with what could be named. */
export function checkRequired(meta: Pick<CharmMeta, 'name' | 'endpoints'>, asked: readonly string[]): void {
  const requires = Object.values(meta.endpoints).flatMap(({ name, role }) =>
    role === 'requirer' ? [name] : [],
  );
  const wrong = asked.find((name) => !requires.includes(name));
  if (wrong === undefined) return;
  const has = requires.length > 0 ? `it has ${requires.join(', ')}` : 'it has none';
  throw new JujuError('not valid', `charm "${meta.name}" has no requires endpoint "${wrong}": ${has}`);
}
