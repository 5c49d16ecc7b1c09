import { hasSpace } from '../../../core/network/address-space.ts';
import type { modelFiles as spec } from '../../../wire/facades/model-files.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { spacesOfMachines } from '../../transactions/shared/machine-spaces.ts';
import { currentModel } from '../shared/model.ts';
import { pauseOf } from '../shared/pause.ts';

type Missing = ResultOf<typeof spec, 'MissingAddresses'>['missing'][number];

/** Returns a machine for each application and space; applications and spaces that are not there miss nothing. */
export async function missingAddresses(
  call: Call,
  { applications }: ParamsOf<typeof spec, 'MissingAddresses'>,
): Promise<ResultOf<typeof spec, 'MissingAddresses'>> {
  const { uuid } = currentModel(call);
  const view = call.read().in(uuid);
  const asked = new Map<string, Set<string>>();
  for (const { application, spaces } of applications) {
    const known = asked.get(application) ?? new Set();
    for (const space of spaces) if (hasSpace(space, (name) => view.get('space', name))) known.add(space);
    asked.set(application, known);
  }
  const pause = pauseOf(call);
  const missing: Missing[] = [];
  for (const [application, spaces] of asked)
    for (const [machine, has] of spacesOfMachines(view, application)) {
      if (spaces.size === 0) break;
      for (const space of spaces)
        if (!has.has(space)) {
          spaces.delete(space);
          missing.push({ application, space, machine });
        }
      await pause();
    }
  return { missing };
}
