/** Offers of other controllers, as clients tell of them (offers.md#other-controllers). */
import { JujuError } from '../../../core/errors.ts';
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { isControllerName, isEndpointName } from '../../../core/names.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import { macaroonToJson } from '../../../kit/macaroon/encode.ts';
import { bakeryFromJson } from '../../../kit/macaroon/slices.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import type { consumeOffer } from '../../transactions/begin/consume-offer.ts';
import { checkWays } from '../../other-controllers.ts';
import { callerName } from '../shared/model-access.ts';

type Wanted = ParamsOf<typeof spec, 'Consume'>['args'][number];
type Consumed = Parameters<typeof consumeOffer>[1];

/**
 * Returns what a client says of another controller's offer; undefined for an offer of this one. Errors: `not valid`;
 * `quota limit exceeded`.
 */
export function offerElsewhere(
  call: Call,
  wanted: Wanted,
): (Pick<Consumed, 'offerUuid' | 'endpoints' | 'user'> & Required<Pick<Consumed, 'elsewhere'>>) | undefined {
  const told = wanted['external-controller'];
  const own = call.read().in('').get('controller', 'self')?.uuid;
  if (!told?.['controller-tag'] || parseTagOf('controller', told['controller-tag']) === own) return undefined;
  const { macaroon } = wanted;
  if (macaroon === undefined || macaroon === null)
    throw new JujuError('not valid', 'an offer of another controller is consumed with its macaroon');
  const text = JSON.stringify(macaroonToJson(bakeryFromJson(macaroon).macaroon));
  checkLimit(limits.recordId, wanted['offer-uuid'].length, 'UUID of an offer');
  return {
    offerUuid: wanted['offer-uuid'],
    endpoints: (wanted.endpoints ?? []).map(checkedEndpoint),
    user: callerName(call),
    elsewhere: { controller: controllerOf(told), macaroon: call.services.sealer.seal(text) },
  };
}

function controllerOf(told: NonNullable<Wanted['external-controller']>): ExternalControllerDoc {
  const { addrs: addresses, 'ca-cert': caCert, 'controller-alias': alias } = told;
  checkLimit(limits.recordId, alias.length, 'name of a controller');
  checkWays({ addresses, caCert });
  return {
    uuid: parseTagOf('controller', told['controller-tag']),
    // Juju's clients may know the controller by a name that is none here.
    alias: isControllerName(alias) ? alias : '',
    addresses,
    caCert,
  };
}

function checkedEndpoint({
  name,
  role,
  interface: of,
  limit,
}: NonNullable<Wanted['endpoints']>[number]): RemoteEndpoint {
  for (const text of [name, of]) {
    checkLimit(limits.endpointName, text.length);
    if (!isEndpointName(text))
      throw new JujuError('not valid', `endpoint "${name}" of the offer is not valid`);
  }
  if ((role !== 'provider' && role !== 'requirer') || limit < 0)
    throw new JujuError('not valid', `endpoint "${name}" of the offer is not valid`);
  return { name, role, interface: of, limit };
}
