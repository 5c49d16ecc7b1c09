import { endpointsOf } from '../../../core/charm/metadata.ts';
import type { OfferDoc } from '../../../core/offer/document.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import type { View } from '../../transactions/tx.ts';

/** The endpoints under their names in the offer. */
export function endpointsOfOffer(view: View, { application: name, endpoints }: OfferDoc): RemoteEndpoint[] {
  const application = view.get('application', name);
  const charm = application && view.get('charm', application.charmUrl);
  const known = charm ? endpointsOf(charm.meta) : {};
  return Object.entries(endpoints).flatMap(([alias, endpoint]) => {
    const found = Object.hasOwn(known, endpoint) ? known[endpoint] : undefined;
    if (!found) return [];
    return [{ name: alias, role: found.role, interface: found.interface, limit: found.limit }];
  });
}
