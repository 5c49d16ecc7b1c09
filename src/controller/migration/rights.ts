import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import type { MintRight } from '../../core/remote-application/moved.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import type { Store } from '../../store/store.ts';
import { OfferMacaroons } from '../macaroons/offer-macaroons.ts';
import type { Services } from '../services.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'agentKey' | 'clock' | 'sealer'>;
}

/** What mints macaroons for those who consume offers of this controller, once one side goes to another one. */
export function rights(needs: Needs): MintRight {
  const macaroons = new OfferMacaroons(needs);
  const { sealer } = needs.services;
  return (model, { user, offerUuid }, relation) => {
    const macaroon = macaroons.mintNow({ user, offer: offerUuid, model, ...defined({ relation }) });
    return sealer.seal(JSON.stringify(macaroonToJson(macaroon)));
  };
}
