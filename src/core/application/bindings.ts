/** Endpoints and the spaces that they are bound to. */
import type { CharmMeta } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError, notFound } from '../errors.ts';

/** The only space that there is. */
export const defaultSpace = 'alpha';

type Bound = Pick<CharmMeta, 'name' | 'endpoints' | 'extraBindings'>;

/** What has a binding beside '', which stands for all. */
export function bindable({ endpoints, extraBindings }: Bound): string[] {
  return [...Object.keys(endpoints), ...extraBindings];
}

/** Checks what a deploy asks for. Errors: `not valid` (endpoint), `not found` (space). */
export function checkBindings(
  bindings: Readonly<Record<string, string>>,
  charm: Bound,
): Record<string, string> {
  const known = bindable(charm);
  const checked: Record<string, string> = { '': defaultSpace };
  for (const [endpoint, space] of Object.entries(bindings)) {
    if (endpoint !== '' && !known.includes(endpoint))
      throw new JujuError('not valid', `unknown endpoint "${endpoint}" of charm "${charm.name}" in bindings`);
    if (space !== '') checkSpace(space);
    checked[endpoint] = space || defaultSpace;
  }
  return checked;
}

/** Of the constraint `spaces`, also of those to be avoided (`^dmz`). Errors: `not found`. */
export function checkSpaces({ spaces = [] }: Constraints): void {
  for (const space of spaces) checkSpace(space.replace(/^\^/, ''));
}

function checkSpace(space: string): void {
  if (space !== defaultSpace) throw notFound('space', space);
}
