/** The subnets of a model's cloud, as subnets of the model (networks.md#subnets). */
import { networkOf } from '../../../core/cidr.ts';
import { JujuError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { timeLimit } from '../../../kit/clock.ts';
import type { Call } from '../../facade.ts';
import { noteSubnet } from '../../transactions/agent/note-subnets.ts';

/** Time limit in milliseconds for the cloud's answer. */
const cloudMs = 30_000;
/** Time in milliseconds that the making of a model waits for its subnets. */
const newModelMs = 1_000;

/** Notes the subnets of the cloud's networks in the model. Errors: '' with the cloud's message. */
export async function loadSubnets(call: Call, modelUuid: string): Promise<void> {
  const cidrs = await subnetsOfCloud(call, modelUuid);
  // The cloud's list is input from outside.
  const valid = cidrs.flatMap((cidr) => networkOf(cidr) ?? []).slice(0, limits.subnets.max);
  if (valid.length === 0) return;
  await call.store.change((tx) => {
    // The model may be gone by the time that the cloud answers.
    if (tx.get('model', modelUuid)) for (const cidr of valid) noteSubnet(tx.in(modelUuid), cidr);
  }, call.by);
}

/**
 * Notes the subnets of a new model. A cloud that does not answer soon is waited for in the background; one that does
 * not answer at all is asked again by `reload-spaces`.
 */
export async function loadSubnetsOfNewModel(call: Call, modelUuid: string): Promise<void> {
  const { clock, log } = call.services;
  const patience = new AbortController();
  const loaded = loadSubnets(call, modelUuid).catch((error: unknown) =>
    log.warning('the subnets of the cloud are not known to the model: reload-spaces asks for them again', {
      model: modelUuid,
      error: String(error),
    }),
  );
  const over = clock.sleep(newModelMs, patience.signal).catch(() => undefined);
  await Promise.race([loaded, over]);
  patience.abort();
}

async function subnetsOfCloud({ services, store }: Call, modelUuid: string): Promise<readonly string[]> {
  const { networks } = services.environ(modelUuid, store.read());
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
