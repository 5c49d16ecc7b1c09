import { JujuError } from '../../../core/errors.ts';
import type { modelArrivals as spec } from '../../../wire/facades/model-arrivals.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { giveUpArrival } from '../../migration/give-up-arrival.ts';
import { activate, arrivalOf } from '../../transactions/remote/arrivals.ts';

type None = Record<string, never>;

/** Time for which a take-over of machines is waited for. The controller that asks waits longer for the answer. */
const takeOverMs = 30_000;

export async function activateArrived(call: Call, params: ParamsOf<typeof spec, 'Activate'>): Promise<None> {
  await call.store.change((tx) => activate(tx.in(''), params, params.documents), call.by);
  return {};
}

/**
 * Waits until the adopter (workers) has taken over the machines, which it does by itself. Errors: `try again` with why
 * it has not yet.
 */
export async function adoptResources(
  call: Call,
  params: ParamsOf<typeof spec, 'AdoptResources'>,
): Promise<None> {
  const before = arrivalOf(call.read().in(''), params);
  if (before.state === 'adopting' && before.problem === undefined) await changeOfArrival(call, params.model);
  const { state, problem = 'the machines are being taken over' } = arrivalOf(call.read().in(''), params);
  if (state !== 'here' && state !== 'destroyed') throw new JujuError('try again', problem);
  return {};
}

async function changeOfArrival({ services }: Call, model: string): Promise<void> {
  const changed = Promise.withResolvers<void>();
  const stop = services.dispatch.on('', `arrival ${model}`, () => changed.resolve());
  const ended = new AbortController();
  const patience = services.clock.sleep(takeOverMs, ended.signal).catch(() => undefined);
  try {
    await Promise.race([changed.promise, patience]);
  } finally {
    stop();
    ended.abort();
  }
}

export async function abort(call: Call, params: ParamsOf<typeof spec, 'Abort'>): Promise<None> {
  await giveUpArrival(call, params);
  return {};
}
