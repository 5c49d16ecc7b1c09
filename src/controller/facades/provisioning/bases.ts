import type { provisioning as spec } from '../../../wire/facades/provisioning.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { basesOfCloud } from '../shared/base-for.ts';

export async function bases(call: Call): Promise<ResultOf<typeof spec, 'Bases'>> {
  const found = await basesOfCloud(call);
  return { known: found !== undefined, bases: (found ?? []).map((base) => ({ ...base })) };
}
