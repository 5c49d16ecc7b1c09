/** What a model has consumed of another one that has gone to another controller (migration.md#consumers-follow). */
import { defined } from '../../../core/defined.ts';
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import { movedTo, relationMoved, type MintRight } from '../../../core/remote-application/moved.ts';
import { forgetControllerIfUnused, putController } from '../shared/external-controllers.ts';
import type { Tx } from '../tx.ts';

interface Moved {
  /** UUID of the offering model. */
  readonly model: string;
  /** UUID of the controller that had it; '' = this one. */
  readonly from: string;
  readonly to: ExternalControllerDoc;
  readonly mint: MintRight;
}

/** Records where the offers are that a model has consumed; repeated, it changes nothing. `tx`: of the consuming model. */
export function followOffers(tx: Tx, { model, from, to, mint }: Moved): void {
  const remotes = [...tx.find('remote-application', 'model', model)].filter(
    ({ saas }) => saas && (saas.elsewhere?.controller ?? '') === from,
  );
  const ends = [...tx.find('relation-end', 'controller', from)].filter((end) => end.model === model);
  if (remotes.length + ends.length === 0) return;
  putController(tx, to);
  for (const remote of remotes) {
    for (const relation of tx.find('relation', 'application', remote.name))
      tx.put('relation', String(relation.id), relationMoved(relation, remote, mint));
    tx.put('remote-application', remote.name, movedTo(remote, to, mint));
  }
  for (const end of ends) {
    const macaroon = end.macaroon ?? rightToEnd(tx, end, mint);
    tx.put('relation-end', end.token, { ...end, controller: to.uuid, ...defined({ macaroon }) });
  }
  if (from !== '') forgetControllerIfUnused(tx, from);
}

/** The right to tell the end of a relation to a model that has been on this controller. */
function rightToEnd(
  tx: Tx,
  { model, token }: { readonly model: string; readonly token: string },
  mint: MintRight,
): string | undefined {
  const there = tx.in(model);
  const [relation] = there.find('relation', 'token', token);
  const { user, offer: name = '' } = relation?.remote?.offered ?? {};
  const offer = there.get('offer', name);
  return user !== undefined && offer ? mint(model, { user, offerUuid: offer.uuid }, token) : undefined;
}
