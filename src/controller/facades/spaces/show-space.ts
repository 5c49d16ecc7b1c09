import { spacesOfMachine } from '../../../core/network/address-space.ts';
import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import type { View } from '../../transactions/tx.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { itemError } from '../shared/bulk.ts';
import { pauseOf } from '../shared/pause.ts';
import { describeSpace, spaceNamed } from '../shared/spaces.ts';

export async function showSpace(
  call: Call,
  params: ParamsOf<typeof spec, 'ShowSpace'>,
): Promise<ResultOf<typeof spec, 'ShowSpace'>> {
  const view = call.read();
  const results: ResultOf<typeof spec, 'ShowSpace'>['results'][number][] = [];
  let machines: ReadonlyMap<string, number> | undefined;
  const applicationsBySpace = new Map<string, string[]>();
  for (const { name, endpointBindings } of view.list('application'))
    for (const space of new Set(Object.values(endpointBindings))) {
      const names = applicationsBySpace.get(space);
      if (names) names.push(name);
      else applicationsBySpace.set(space, [name]);
    }
  for (const names of applicationsBySpace.values()) names.sort();
  const size = new AnswerSize();
  const pause = pauseOf(call);
  for (const { tag } of params.entities) {
    await pause();
    try {
      const name = parseTagOf('space', tag);
      const named = spaceNamed(view, name);
      const applications = applicationsBySpace.get(name) ?? [];
      size.add(1 + applications.length + view.count('subnet', 'space', name));
      const space = describeSpace(view, named);
      machines ??= await machinesBySpace(call, view);
      results.push({
        space,
        applications,
        'machine-count': machines.get(name) ?? 0,
      });
    } catch (error) {
      const space = { id: '', name: '', subnets: [] };
      results.push({ space, applications: [], 'machine-count': 0, error: itemError(call, error) });
    }
  }
  return { results };
}

/** The number of machines with an address in each space. */
async function machinesBySpace(call: Call, view: View): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const pause = pauseOf(call);
  for (const { addresses } of view.list('machine')) {
    await pause();
    for (const space of spacesOfMachine(addresses, (cidr) => view.get('subnet', cidr)))
      counts.set(space, (counts.get(space) ?? 0) + 1);
  }
  return counts;
}
