/** Macaroons that another controller gives in the place of those of an earlier release (offers.md#offer-macaroons). */
import type { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { macaroonFromJson, macaroonToJson } from '../../kit/macaroon/encode.ts';
import type { Store } from '../../store/store.ts';
import { renewed } from '../macaroons/offer-macaroons.ts';
import type { Services } from '../services.ts';
import { replaceMacaroon } from '../transactions/remote/remote-side.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'sealer'>;
  /** UUID of the consuming model. */
  readonly modelUuid: string;
  /** UUID of the other controller's model. */
  readonly model: string;
}

/**
 * Keeps the macaroon that an answer has in the place of one, if it has one. Returns the one that is kept, sealed.
 * Errors: `not valid` for what is no macaroon; `quota limit exceeded`.
 */
export async function keepRenewed(
  { store, services, modelUuid, model }: Needs,
  sealed: string,
  { info }: JujuError,
): Promise<string> {
  const given = info?.[renewed];
  if (given === undefined) return sealed;
  const text = JSON.stringify(macaroonToJson(macaroonFromJson(given)));
  checkLimit(limits.macaroonBytes, text.length);
  const kept = services.sealer.seal(text);
  await store.change((root) => replaceMacaroon(root.in(modelUuid), model, sealed, kept), 'remote-relations');
  return kept;
}
