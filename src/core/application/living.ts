import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';
import { relation } from '../relation/living.ts';
import type { Refusal } from '../removal/refusal.ts';

export const application: LivingSpec = {
  impediments,
  count: (name, refs) => refs.count('unit', 'application', name),
  refusal,
  clearedWith: () => [],
};

/**
 * An application waits until its units are gone, its offers have no user and its relations are empty. An empty relation
 * goes together with the application; one with units of other applications goes when they have left.
 */
function* impediments(name: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const unit of refs.find('unit', 'application', name))
    yield {
      kind: 'unit',
      entity: { kind: 'unit', id: unit.name },
      text: `application "${name}" has unit "${unit.name}"`,
    };
  for (const offer of refs.find('offer', 'application', name))
    if (refs.count('relation', 'offer', offer.name) > 0)
      yield { kind: 'offer', text: `application "${name}" is used through offer "${offer.name}"` };
  for (const { id } of refs.find('relation', 'application', name))
    yield* relation.impediments(String(id), refs);
}

function refusal(name: string, refs: Refs): Refusal | undefined {
  if (!refs.get('application', name))
    return { code: 'not found', message: `application "${name}" not found` };
  let used = 0;
  for (const offer of refs.find('offer', 'application', name))
    if (refs.count('relation', 'offer', offer.name) > 0) used++;
  if (used === 0) return undefined;
  const offers = `${used} offer${used === 1 ? '' : 's'}`;
  return { code: '', message: `cannot destroy application "${name}": application is used by ${offers}` };
}
