import type { EntityRef } from '../entity-ref.ts';
import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';
import type { Refusal } from '../removal/refusal.ts';

export const relation: LivingSpec = {
  impediments,
  count: (id, refs) => refs.count('scope', 'local', id),
  refusal,
  clearedWith,
};

/**
 * A relation waits until every unit of this model has left its scope, and, on the consuming side, until the other side
 * knows of the end (offers.md#told-before-gone).
 */
function* impediments(id: string, refs: Refs<Referring>): Iterable<Impediment> {
  const { key = id, remote } = refs.get('relation', id) ?? {};
  for (const { unit } of refs.find('scope', 'local', id))
    yield {
      kind: 'scope',
      entity: { kind: 'unit', id: unit },
      text: `unit "${unit}" is in the scope of relation "${key}"`,
    };
  if (remote?.consumed && remote.consumed.state !== 'told')
    yield {
      kind: 'other-side',
      text: `the offering model has not yet heard of the end of relation "${key}"`,
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
