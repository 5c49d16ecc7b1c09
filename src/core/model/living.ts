import type { Impediment, Referring, Refs } from '../impediments.ts';
import type { LivingSpec } from '../living.ts';

export const model: LivingSpec = {
  impediments,
  count: (_uuid, refs) =>
    refs.count('application') + refs.count('unit') + refs.count('machine') + refs.count('storage'),
  refusal: () => undefined,
  clearedWith: () => [],
};

/** A model waits until no application, unit, machine or storage is in it. */
function* impediments(_uuid: string, refs: Refs<Referring>): Iterable<Impediment> {
  for (const { name } of refs.list('application'))
    yield {
      kind: 'application',
      entity: { kind: 'application', id: name },
      text: `model has application "${name}"`,
    };
  for (const { id } of refs.list('machine'))
    yield { kind: 'machine', entity: { kind: 'machine', id }, text: `model has machine ${id}` };
  for (const { name } of refs.list('unit'))
    if (refs.count('application') === 0)
      yield { kind: 'unit', entity: { kind: 'unit', id: name }, text: `model has unit "${name}"` };
  for (const { id } of refs.list('storage')) yield { kind: 'storage', text: `model has storage "${id}"` };
}
