import type { Refs } from '../impediments.ts';
import { scopeId } from '../scope/document.ts';

/**
 * The entities that have to go before the unit is in no scope of the application's relations any more: the unit itself,
 * or each of those relations. Keys are `<kind> <id>`; none when the unit is in no such scope. `dying`: ids of relations
 * that end.
 */
export function scopeBlockers(
  refs: Refs,
  { application, unit }: { readonly application: string; readonly unit: string },
  dying: ReadonlySet<string>,
): string[] {
  const relations = [...refs.find('relation', 'application', application)]
    .map(({ id }) => String(id))
    .filter((relation) => !dying.has(relation) && refs.get('scope', scopeId({ relation, unit })));
  return relations.length > 0 ? [`unit ${unit}`, ...relations.map((id) => `relation ${id}`)] : [];
}
