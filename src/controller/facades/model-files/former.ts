import type { Entities, Kind } from '../../../core/kinds.ts';
import type { Applier } from '../../../core/model-file/ownership.ts';
import { offerAccessId } from '../../../core/offer-access/document.ts';
import type { View } from '../../transactions/tx.ts';

/** Returns documents as they were; `now`: the newest state. Relations and offers that are made again have other ids. */
export function formerIn(past: View, now: () => View): NonNullable<Applier['former']> {
  return ({ space, kind, id, doc }) =>
    past.in(space).get(kind, formerId(kind, doc, { past: past.in(space), now }) ?? id);
}

function formerId(
  kind: Kind,
  doc: object,
  { past, now }: { readonly past: View; readonly now: () => View },
): string | undefined {
  switch (kind) {
    case 'relation': {
      const { key } = doc as Entities['relation'];
      const was = [...past.find('relation', 'key', key)].find(({ life }) => life === 'alive');
      return was && String(was.id);
    }
    case 'offer-access': {
      const { model, offer: uuid, user } = doc as Entities['offer-access'];
      const [offer] = now().in(model).find('offer', 'uuid', uuid);
      const was = offer && past.in(model).get('offer', offer.name);
      return was && offerAccessId({ offer: was.uuid, user });
    }
    default:
      return undefined;
  }
}
