import { JujuError } from '../../../core/errors.ts';
import type { modelArrivals as spec } from '../../../wire/facades/model-arrivals.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { giveUpArrival } from '../../migration/give-up-arrival.ts';
import { activate, arrivalOf } from '../../transactions/remote/arrivals.ts';

type None = Record<string, never>;

export async function activateArrived(call: Call, params: ParamsOf<typeof spec, 'Activate'>): Promise<None> {
  await call.store.change((tx) => activate(tx.in(''), params, params.documents), call.by);
  return {};
}

/** Tells whether the adopter (workers) has taken over the machines: it does so by itself. */
export function adoptResources(call: Call, params: ParamsOf<typeof spec, 'AdoptResources'>): None {
  const { state, problem = 'the machines are being taken over' } = arrivalOf(call.read().in(''), params);
  if (state !== 'here' && state !== 'destroyed') throw new JujuError('try again', problem);
  return {};
}

export async function abort(call: Call, params: ParamsOf<typeof spec, 'Abort'>): Promise<None> {
  await giveUpArrival(call, params);
  return {};
}
