/** The way to a model that has gone to another controller, which the one that it has left tells (migration.md#redirect). */
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import { readRedirection } from '../../wire/redirection.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { checkAlias, checkWays } from '../other-controllers.ts';
import { followOffers } from '../transactions/remote/follow-offers.ts';
import type { Tx } from '../transactions/tx.ts';

/**
 * Records the controller that an error of a login names, for all that one model has consumed of another one. Returns
 * false when the error names no other controller. Errors: of the answer's check, `not valid`, `quota limit exceeded`;
 * `model migration in progress`.
 */
export async function followModel(
  store: Store<Entities>,
  of: { readonly consumer: string; readonly model: string; readonly from: string },
  error: unknown,
): Promise<boolean> {
  const told = readRedirection(error);
  if (!told) return false;
  const { addresses, caCert, alias, controllerTag } = told;
  checkWays({ addresses, caCert });
  checkAlias(alias);
  const to: ExternalControllerDoc = {
    uuid: parseTagOf('controller', controllerTag),
    alias,
    addresses,
    caCert,
  };
  if (to.uuid === of.from) return false;
  await store.change((root) => {
    const tx = root.in(of.consumer);
    // What is on another controller has its macaroons already.
    followOffers(tx, { ...of, to: knownOr(tx, to), mint: () => '' });
  }, 'remote-relations');
  return true;
}

/**
 * The controller as the model knows it already, if it does: one controller may not change the way to another one, with
 * which it would get the macaroons for that one's offers. Errors: `not valid`.
 */
function knownOr(tx: Tx, to: ExternalControllerDoc): ExternalControllerDoc {
  const known = tx.get('external-controller', to.uuid);
  if (!known) return to;
  const { told, ...given } = known;
  const isSame = [given.caCert, told?.caCert].some((one) => one?.trim() === to.caCert.trim());
  if (isSame) return given;
  throw new JujuError(
    'not valid',
    `controller ${to.uuid}, to which the model of the offer has gone, is known with another CA certificate: consume the offer again`,
  );
}
