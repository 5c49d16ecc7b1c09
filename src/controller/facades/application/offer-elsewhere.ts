/** Offers of other controllers, as clients tell of them (offers.md#other-controllers). */
import { X509Certificate } from 'node:crypto';
import { JujuError } from '../../../core/errors.ts';
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { isEndpointName } from '../../../core/names.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import { macaroonToJson } from '../../../kit/macaroon/encode.ts';
import { bakeryFromJson } from '../../../kit/macaroon/slices.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import type { consumeOffer } from '../../transactions/begin/consume-offer.ts';
import { callerName } from '../shared/model-access.ts';

type Wanted = ParamsOf<typeof spec, 'Consume'>['args'][number];
type Consumed = Parameters<typeof consumeOffer>[1];

/**
 * What a client says of an offer of another controller; undefined for one of this. Errors: `not valid`; `quota limit
 * exceeded`.
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
  checkLimit(limits.controllerAddresses, addresses.length);
  for (const address of addresses) {
    checkLimit(limits.controllerAddress, address.length);
    if (!isAddress(address))
      throw new JujuError('not valid', `address "${address}" of a controller is not HOST:PORT`);
  }
  if (addresses.length === 0)
    throw new JujuError('not valid', 'another controller is reached by an address, and none is given');
  checkLimit(limits.caCertificate, caCert.length);
  if (!isCertificate(caCert))
    throw new JujuError('not valid', 'the CA certificate of the other controller is no certificate in PEM');
  return { uuid: parseTagOf('controller', told['controller-tag']), alias, addresses, caCert };
}

function isAddress(text: string): boolean {
  const [, host = '', port = ''] = /^([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/.exec(text) ?? [];
  return host !== '' && Number(port) > 0 && Number(port) < 65_536;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
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
