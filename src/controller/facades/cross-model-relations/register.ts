import { checkLimit, limits } from '../../../core/limits.ts';
import { JujuError } from '../../../core/errors.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import { macaroonToJson } from '../../../kit/macaroon/encode.ts';
import type { crossModelRelations as spec } from '../../../wire/facades/cross-model-relations.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOf, shownBy } from './relation.ts';

type Params = ParamsOf<typeof spec, 'RegisterRemoteRelations'>;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const roles: readonly RemoteEndpoint['role'][] = ['provider', 'requirer', 'peer'];

/** Makes the offering sides of relations, each once, in the name of the user whom the offer's macaroon names. */
export async function registerRemoteRelations(
  call: Call,
  { relations }: Params,
): Promise<ResultOf<typeof spec, 'RegisterRemoteRelations'>> {
  const results = await bulk(call, relations, async (one) => {
    const offer = one['offer-uuid'];
    const token = uuidOf('relation token', one['relation-token']);
    const consent = call.offerMacaroons.check(shownBy(call, one), { model: call.modelUuid, offer });
    await modelOf(call).register({
      token,
      applicationToken: uuidOf('application token', one['application-token']),
      model: parseTagOf('model', one['source-model-tag']),
      offerUuid: offer,
      offerEndpoint: one['local-endpoint-name'],
      endpoint: endpointOf(one['remote-endpoint']),
      user: consent.user,
    });
    const macaroon = call.offerMacaroons.mint({ ...consent, relation: token });
    return { result: { 'relation-token': offer, macaroon: macaroonToJson(macaroon) } };
  });
  return { results };
}

function endpointOf({
  name,
  role,
  interface: of,
  limit,
}: Params['relations'][number]['remote-endpoint']): RemoteEndpoint {
  const known = roles.find((one) => one === role);
  if (!known) throw new JujuError('not valid', `role "${role.slice(0, 100)}" of an endpoint not valid`);
  for (const text of [name, of]) {
    checkLimit(limits.endpointName, text.length);
    if (!/^[A-Za-z0-9_.-]+$/.test(text))
      throw new JujuError('not valid', `name "${text}" of an endpoint or an interface not valid`);
  }
  return { name, role: known, interface: of, limit };
}

function uuidOf(what: string, text: string): string {
  if (!uuidPattern.test(text)) throw new JujuError('not valid', `${what} "${text.slice(0, 100)}" not valid`);
  return text;
}
