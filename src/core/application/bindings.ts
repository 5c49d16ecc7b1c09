/** Endpoints and the spaces that they are bound to (networks.md#bindings). */
import type { CharmMeta } from '../charm/metadata.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError, notFound } from '../errors.ts';
import { defaultSpace } from '../space/document.ts';

/** Spaces of the model. */
export interface KnownSpaces {
  readonly has: (space: string) => boolean;
  /** The space of endpoints that nobody bound: the model's default-space. */
  readonly fallback: string;
}

type Bound = Pick<CharmMeta, 'name' | 'endpoints' | 'extraBindings'>;

/** Names that can be bound, besides '' for all endpoints. */
export function bindable({ endpoints, extraBindings }: Bound): string[] {
  return [...Object.keys(endpoints), ...extraBindings];
}

/**
 * Checks the bindings of a deploy. A client does not know the spaces: the controller checks them.
 * Errors: `not valid` (endpoint), `not found` (space).
 */
export function checkBindings(
  bindings: Readonly<Record<string, string>>,
  charm: Bound,
  spaces?: KnownSpaces,
): Record<string, string> {
  const endpointNames = bindable(charm);
  const fallback = spaces?.fallback ?? defaultSpace;
  const checked: Record<string, string> = { '': bindings[''] || fallback };
  for (const [endpoint, space] of Object.entries(bindings)) {
    if (endpoint !== '' && !endpointNames.includes(endpoint))
      throw new JujuError('not valid', `unknown endpoint "${endpoint}" of charm "${charm.name}" in bindings`);
    if (space !== '' && spaces && !spaces.has(space)) throw notFound('space', space);
    checked[endpoint] = space || checked['']!;
  }
  return checked;
}

/** Checks the constraint `spaces`, including negated ones (`^dmz`). Errors: `not found`. */
export function checkSpaces({ spaces = [] }: Constraints, has: KnownSpaces['has']): void {
  for (const text of spaces) {
    const space = text.replace(/^\^/, '');
    if (!has(space)) throw notFound('space', space);
  }
}
