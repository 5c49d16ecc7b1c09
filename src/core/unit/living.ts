import type { EntityRef } from '../entity-ref.ts';
import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';
import type { Refusal } from '../removal/refusal.ts';
import { defined } from '../defined.ts';

export const unit: LivingSpec = { impediments, refusal, clearedWith };

/**
 * A unit waits until its subordinates are gone, it has left the scope of each relation, and its storage is released.
 */
function* impediments(name: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const subordinate of refs.find('unit', 'principal', name))
    yield {
      kind: 'subordinate',
      entity: { kind: 'unit', id: subordinate.name },
      text: `unit "${name}" has subordinate "${subordinate.name}"`,
    };
  for (const { relation } of refs.find('scope', 'unit', name)) {
    const key = refs.get('relation', relation)?.key ?? relation;
    yield {
      kind: 'scope',
      entity: { kind: 'relation', id: relation },
      text: `unit "${name}" is in the scope of relation "${key}"`,
    };
  }
  for (const { id } of refs.find('storage', 'unit', name))
    yield { kind: 'attachment', text: `unit "${name}" has storage "${id}" attached` };
}

function refusal(name: string, refs: Refs): Refusal | undefined {
  const doc = refs.get('unit', name);
  if (!doc) return { code: 'not found', message: `unit "${name}" not found` };
  if (doc.principal === undefined) return undefined;
  return {
    code: '',
    message: `cannot destroy unit "${name}": unit is a subordinate, to remove use remove-relation. Note: this will remove all units of "${doc.application}"`,
    // The removal was requested before: repeating it needs no force and removes nothing more.
    ...defined({ passedOver: doc.life === 'alive' ? undefined : [] }),
  };
}

function clearedWith(name: string, refs: Refs): EntityRef[] {
  const doc = refs.get('unit', name);
  if (!doc) return [];
  return [
    { kind: 'application', id: doc.application },
    ...(doc.machine === undefined ? [] : [{ kind: 'machine', id: doc.machine } as const]),
    ...(doc.principal === undefined ? [] : [{ kind: 'unit', id: doc.principal } as const]),
  ];
}
