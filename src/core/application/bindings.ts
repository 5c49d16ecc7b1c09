/** Endpoints and the spaces that they are bound to. */
import type { CharmMeta } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError, notFound } from '../errors.ts';

/** The only space that exists. */
export const defaultSpace = 'alpha';

type Bound = Pick<CharmMeta, 'name' | 'endpoints' | 'extraBindings'>;

/** Names that can be bound, besides '' for all endpoints. */
export function bindable({ endpoints, extraBindings }: Bound): string[] {
  return [...Object.keys(endpoints), ...extraBindings];
}

/** Checks the bindings of a deploy. Errors: `not valid` (endpoint), `not found` (space). */
export function checkBindings(
  bindings: Readonly<Record<string, string>>,
  charm: Bound,
): Record<string, string> {
  const endpointNames = bindable(charm);
  const checked: Record<string, string> = { '': defaultSpace };
  for (const [endpoint, space] of Object.entries(bindings)) {
    if (endpoint !== '' && !endpointNames.includes(endpoint))
      throw new JujuError('not valid', `unknown endpoint "${endpoint}" of charm "${charm.name}" in bindings`);
    if (space !== '') checkSpace(space);
    checked[endpoint] = space || defaultSpace;
  }
  return checked;
}

/** Checks the constraint `spaces`, including negated ones (`^dmz`). Errors: `not found`. */
export function checkSpaces({ spaces = [] }: Constraints): void {
  for (const space of spaces) checkSpace(space.replace(/^\^/, ''));
}

function checkSpace(space: string): void {
  if (space !== defaultSpace) throw notFound('space', space);
}
