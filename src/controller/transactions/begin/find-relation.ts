import type { RelationDoc, RelationEndpoint } from '../../../core/relation/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { inferEndpoints } from '../../../core/relation/infer-endpoints.ts';
import { relationKey } from '../../../core/relation/key.ts';
import { relatable } from './add-relation.ts';
import { mustGet, type View } from '../tx.ts';

/**
 * Finds a relation by its id or by its two endpoints as users write them: `a[:x] b[:y]`.
 * Errors: `not found`, `bad request`; those of inferEndpoints.
 */
export function findRelation(
  view: View,
  { endpoints, id }: { readonly endpoints?: readonly string[]; readonly id?: number },
): RelationDoc {
  if (id === undefined) return findByEndpoints(view, endpoints ?? []);
  const relation = view.get('relation', String(id));
  if (!relation) throw notFound('relation', String(id));
  return relation;
}

function findByEndpoints(view: View, texts: readonly string[]): RelationDoc {
  const [a, b] = texts;
  if (a === undefined || b === undefined || texts.length !== 2)
    throw new JujuError('bad request', 'a relation must involve two applications');
  for (const text of texts) {
    const name = text.split(':')[0]!;
    if (!view.get('remote-application', name)) mustGet(view, 'application', name);
  }
  // Existing relations decide first: where one relation exists, the inference of endpoints may find several possible
  // ones.
  const matches = [...view.find('relation', 'application', a.split(':')[0]!)].filter(
    ({ endpoints: [left, right] }) =>
      right &&
      ((matchesEndpoint(left, a) && matchesEndpoint(right, b)) ||
        (matchesEndpoint(left, b) && matchesEndpoint(right, a))),
  );
  if (matches.length === 1) return matches[0]!;
  const key = relationKey(inferEndpoints(texts, (name) => relatable(view, name)));
  const found = [...view.find('relation', 'key', key)][0];
  if (!found) throw new JujuError('not found', `relation "${key}" not found`);
  return found;
}

function matchesEndpoint(end: RelationEndpoint | undefined, text: string): boolean {
  const [application, endpoint] = text.split(':');
  return end?.application === application && (endpoint === undefined || end?.name === endpoint);
}
