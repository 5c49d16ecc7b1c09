import type { EntityRef } from '../entity-ref.ts';
import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';
import type { Refusal } from '../removal/refusal.ts';

export const relation: LivingSpec = {
  impediments,
  count: (id, refs) => refs.count('scope', 'relation', id),
  refusal,
  clearedWith,
};

/** A relation waits until every unit has left its scope. */
function* impediments(id: string, refs: Refs<Referring>): Iterable<Impediment> {
  const key = refs.get('relation', id)?.key ?? id;
  for (const { unit } of refs.find('scope', 'relation', id))
    yield {
      kind: 'scope',
      entity: { kind: 'unit', id: unit },
      text: `unit "${unit}" is in the scope of relation "${key}"`,
    };
}

function refusal(id: string, refs: Refs): Refusal | undefined {
  const doc = refs.get('relation', id);
  if (!doc) return { code: 'not found', message: `relation "${id}" not found` };
  if (doc.endpoints.length > 1) return undefined;
  return { code: '', message: `cannot destroy relation "${doc.key}": is a peer relation` };
}

function clearedWith(id: string, refs: Refs): EntityRef[] {
  const { endpoints = [] } = refs.get('relation', id) ?? {};
  return endpoints.map(({ application }) => ({ kind: 'application', id: application }));
}
