/** The way to a model that has gone to another controller, which the one that it has left tells (migration.md#redirect). */
import type { ExternalControllerDoc } from '../../core/external-controller/document.ts';
import type { Entities } from '../../core/kinds.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import type { Store } from '../../store/store.ts';
import { readRedirection } from '../../wire/redirection.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { checkWays } from '../other-controllers.ts';
import { followOffers } from '../transactions/remote/follow-offers.ts';

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
  checkLimit(limits.recordId, alias.length, 'name of a controller');
  const to: ExternalControllerDoc = {
    uuid: parseTagOf('controller', controllerTag),
    alias,
    addresses,
    caCert,
  };
  if (to.uuid === of.from) return false;
  await store.change(
    // What is on another controller has its macaroons already.
    (root) => followOffers(root.in(of.consumer), { ...of, to, mint: () => '' }),
    'remote-relations',
  );
  return true;
}
