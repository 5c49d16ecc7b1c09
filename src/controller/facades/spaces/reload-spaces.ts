import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import { timeLimit } from '../../../kit/clock.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { networkOf } from '../../../core/cidr.ts';
import { JujuError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { noteSubnet, noteSubnets } from '../../transactions/agent/note-subnets.ts';
import { changeModel } from '../shared/change-model.ts';
import { pauseOf } from '../shared/pause.ts';

/** Number of machines that are looked at in one change. */
const batch = 500;
/** Time limit in milliseconds for the cloud's answer: a user waits for it. */
const cloudMs = 30_000;

/**
 * Notes the subnets of the cloud, and those of all machines again: what the model could not hold earlier, or an older
 * version did not note. Errors: '' with the cloud's message.
 */
export async function reloadSpaces(call: Call): Promise<ResultOf<typeof spec, 'ReloadSpaces'>> {
  const cidrs = await subnetsOfCloud(call);
  // What the cloud lists is outside input.
  const valid = cidrs.flatMap((cidr) => networkOf(cidr) ?? []).slice(0, limits.subnets.max);
  if (valid.length > 0)
    await changeModel(call, (tx) => {
      for (const cidr of valid) noteSubnet(tx, cidr);
    });
  const ids = [...call.read().list('machine')].map(({ id }) => id);
  const pause = pauseOf(call);
  for (let start = 0; start < ids.length; start += batch) {
    await pause();
    await changeModel(call, (tx) => {
      for (const id of ids.slice(start, start + batch)) {
        const machine = tx.get('machine', id);
        if (machine) noteSubnets(tx, machine);
      }
    });
  }
  return {};
}

async function subnetsOfCloud(call: Call): Promise<readonly string[]> {
  const { services } = call;
  const { networks } = services.environ(call.modelUuid, call.read());
  if (!networks) return [];
  const limit = timeLimit(services.clock, cloudMs);
  try {
    return await networks.subnets(limit.signal);
  } catch (error) {
    throw new JujuError('', `cannot list the cloud's networks: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    limit.done();
  }
}
