import type { EntityRef } from '../entity-ref.ts';
import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';
import type { Refusal } from '../removal/refusal.ts';

export const machine: LivingSpec = { impediments, count: countContents, refusal, clearedWith };

/**
 * Number of units and containers on the machine: a machine may have thousands. A subordinate has its principal there.
 */
export function countContents(id: string, refs: Refs<Referring>): number {
  return refs.count('unit', 'machine', id) + refs.count('machine', 'parent', id);
}

/**
 * A machine waits until its units and containers are gone and storage that outlives it is detached; a machine that runs
 * the controller never goes. Subordinates are not listed: they are impediments of their principal.
 */
function* impediments(id: string, refs: Refs<Referring>): Iterable<Impediment> {
  if (refs.get('machine', id)?.isController)
    yield { kind: 'controller', text: `machine ${id} runs the only controller` };
  for (const { name, principal } of refs.find('unit', 'machine', id))
    if (principal === undefined)
      yield {
        kind: 'unit',
        entity: { kind: 'unit', id: name },
        text: `machine ${id} has unit "${name}" assigned`,
      };
  for (const container of refs.find('machine', 'parent', id))
    yield {
      kind: 'container',
      entity: { kind: 'machine', id: container.id },
      text: `machine ${id} is hosting container "${container.id}"`,
    };
  for (const { id: storage, detachable, instance } of refs.find('storage', 'machine', id))
    if (detachable && instance !== undefined)
      yield { kind: 'attachment', text: `machine ${id} has storage "${storage}" attached` };
}

function refusal(id: string, refs: Refs): Refusal | undefined {
  const doc = refs.get('machine', id);
  if (!doc) return { code: 'not found', message: `machine ${id} not found` };
  if (doc.isController)
    return { code: '', message: `cannot remove machine ${id}: it runs the only controller` };
  const found = machineRemovalImpediments(refs, id);
  const [first] = found;
  if (!first) return undefined;
  return {
    code: first.kind === 'unit' ? 'machine has assigned units' : 'machine is hosting containers',
    message: found.map(({ text }) => text).join('; '),
    passedOver: found,
  };
}

/**
 * The impediments for which `remove-machine` refuses. Units that are dying, or whose application is, are not among
 * them: the machine only waits for those.
 */
export function machineRemovalImpediments(refs: Refs<Referring>, id: string): Impediment[] {
  return [...impediments(id, refs)].filter(({ kind, entity }) => {
    if (kind === 'attachment') return false;
    if (kind !== 'unit' || !entity) return true;
    const unit = refs.get('unit', entity.id);
    return unit?.life === 'alive' && refs.get('application', unit.application)?.life === 'alive';
  });
}

function clearedWith(id: string, refs: Refs): EntityRef[] {
  const { parent } = refs.get('machine', id) ?? {};
  return parent === undefined ? [] : [{ kind: 'machine', id: parent }];
}
