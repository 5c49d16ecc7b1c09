/** Models that the played one shares offers with. */
import type { OfferingModel } from '../controller/offering-model.ts';

/** Other models are not played: what they share stays as it is. */
export function unreachable(model: OfferingModel): OfferingModel {
  const fail = (): Promise<never> =>
    Promise.reject(new Error('the offering model is not part of the forecast'));
  return {
    ...model,
    register: fail,
    publish: fail,
    units: fail,
    read: fail,
    revisions: fail,
    offerStatus: fail,
    watch: () => () => undefined,
    watchOffers: () => () => undefined,
  };
}
