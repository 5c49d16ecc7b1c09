import { allows } from '../../../core/access/access-of.ts';
import { permissionDenied } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { formatOfferUrl, parseOfferUrl } from '../../../core/offer/url.ts';
import type { RemoteEndpoint } from '../../../core/remote-application/document.ts';
import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { activeUser } from '../../server/access.ts';
import { consumeOffer } from '../../transactions/begin/consume-offer.ts';
import { removeSaas } from '../../transactions/end/remove-saas.ts';
import { offerElsewhere } from './offer-elsewhere.ts';
import { endpointsOfOffer } from '../shared/offer-endpoints.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { forceRequest } from '../shared/force.ts';
import { callerName } from '../shared/model-access.ts';

/**
 * Makes offered applications known in the model. What an offer of this controller has is read here, and not taken from
 * the client.
 */
export async function consume(
  call: Call,
  { args }: ParamsOf<typeof spec, 'Consume'>,
): Promise<ResultOf<typeof spec, 'Consume'>> {
  const results = await bulk(call, args, async (one) => {
    const model = parseTagOf('model', one['source-model-tag']);
    const name = one['application-alias'] || one['offer-name'];
    const url = urlOf(one['offer-url']);
    const elsewhere = offerElsewhere(call, one);
    if (elsewhere) {
      await changeModel(call, (tx) => consumeOffer(tx, { name, model, url, ...elsewhere }));
      return {};
    }
    const view = call.read().in(model);
    const [offer] = view.find('offer', 'uuid', one['offer-uuid']);
    const user = activeUser(call.read(), callerName(call));
    const mayConsume =
      offer && user && allows(view.in(''), user, { kind: 'offer', id: offer.uuid, model }, 'consume');
    if (!mayConsume) throw permissionDenied();
    const known = endpointsOfOffer(view, offer);
    const wanted = new Set((one.endpoints ?? []).map(({ name }) => name));
    const endpoints: RemoteEndpoint[] =
      wanted.size > 0 ? known.filter(({ name }) => wanted.has(name)) : known;
    await changeModel(call, (tx) =>
      consumeOffer(tx, {
        name,
        model,
        endpoints,
        offerUuid: offer.uuid,
        url,
        user: user.name,
      }),
    );
    return {};
  });
  return { results };
}

/**
 * Returns the URL as clients name it: it is shown, so it is no longer than names are. Errors: `not valid`; `quota limit
 * exceeded`.
 */
function urlOf(text: string): string {
  checkLimit(limits.recordId, text.length, 'URL of an offer');
  return formatOfferUrl(parseOfferUrl(text));
}

export async function destroyConsumedApplications(
  call: Call,
  { applications }: ParamsOf<typeof spec, 'DestroyConsumedApplications'>,
): Promise<ResultOf<typeof spec, 'DestroyConsumedApplications'>> {
  const results = await bulk(call, applications, async (one) => {
    const name = parseTagOf('application', one['application-tag']);
    await changeModel(call, (tx) => removeSaas(tx, { name, ...forceRequest(call, one) }));
    return {};
  });
  return { results };
}
