/** Offers: making them, giving access to them, and consuming those of any controller. */
import { call, only, type ResultOf } from '../client/calls.ts';
import { JujuError } from '../core/errors.ts';
import { formatOfferUrl, parseOfferUrl, type OfferUrl } from '../core/offer/url.ts';
import { modelTag, userTag } from '../wire/tags.ts';
import type { ControllerSession, ModelSession, OpenController } from './sessions.ts';

/** Makes or changes an offer of endpoints of an application, under their own names. Errors: the controller's. */
export async function offerEndpoints(
  { connection, user }: ControllerSession,
  model: string,
  offer: { readonly name: string; readonly application: string; readonly endpoints: readonly string[] },
): Promise<void> {
  const { results } = await call(connection, 'ApplicationOffers', 'Offer', {
    Offers: [
      {
        'model-tag': modelTag(model),
        'offer-name': offer.name,
        'application-name': offer.application,
        'application-description': '',
        endpoints: Object.fromEntries(offer.endpoints.map((one) => [one, one])),
        'owner-tag': userTag(user),
      },
    ],
  });
  only(results);
}

/** Grants access to an offer; a user who has as much keeps it. Errors: the controller's. */
export async function grantOffer(
  { connection }: ControllerSession,
  url: string,
  { user, access }: { readonly user: string; readonly access: string },
): Promise<void> {
  const { results } = await call(connection, 'ApplicationOffers', 'ModifyOfferAccess', {
    changes: [{ 'user-tag': userTag(user), action: 'grant', access, 'offer-url': url }],
  });
  const [{ error } = {}] = results;
  // The user who makes an offer is its admin already, and most bundles grant that again.
  if (error && !/user already has "\w+" access or greater$/.test(error.message)) only(results);
}

/**
 * Converts the URL that a user gives to the form that the controller knows: with the owner that is meant, and without
 * the controller. Errors: `not valid`; `not supported` for an offer of another controller than the session's.
 */
export function ownUrl(
  text: string,
  { controller, user }: Pick<ControllerSession, 'controller' | 'user'>,
): OfferUrl {
  const url = parseOfferUrl(text);
  if (url.controller !== '' && url.controller !== controller)
    throw new JujuError(
      'not supported',
      `offer "${text}" is of controller "${url.controller}": only those of this one, "${controller}", can be used`,
    );
  return { ...url, controller: '', owner: url.owner || user };
}

/**
 * Gets the details that a model needs to consume an offer of any controller that the client knows; an offer whose URL
 * names no controller is of the session's. Errors: `not found`.
 */
export async function offerToConsume(
  openController: OpenController,
  session: ControllerSession,
  text: string,
): Promise<OfferToConsume> {
  const source = await openController(parseOfferUrl(text).controller || session.controller);
  const url = formatOfferUrl(ownUrl(text, source));
  const asked = { 'offer-urls': { 'offer-urls': [url], 'bakery-version': 3 } };
  const { results } = await call(source.connection, 'ApplicationOffers', 'GetConsumeDetails', asked);
  const { offer, macaroon, 'external-controller': told } = only(results);
  if (!offer) throw new JujuError('not found', `application offer "${url}" not found`);
  const isElsewhere = source.connection.login.controllerTag !== session.connection.login.controllerTag;
  const { controller } = source;
  return {
    url,
    controller,
    offer,
    ...(isElsewhere &&
      told && { elsewhere: { macaroon, told: { ...told, 'controller-alias': controller } } }),
  };
}

type Told = ResultOf<'ApplicationOffers', 'GetConsumeDetails'>['results'][number];

interface OfferToConsume {
  /** URL of the offer at its controller. */
  readonly url: string;
  /** The offer's controller, as the client knows it. */
  readonly controller: string;
  readonly offer: NonNullable<Told['offer']>;
  /** Answer of the offer's controller, when that is not the session's. */
  readonly elsewhere?: {
    readonly macaroon: unknown;
    readonly told: NonNullable<Told['external-controller']>;
  };
}

/** Consumes an offer in the session's model, under a name (default: the offer's), which it returns. */
export async function consumeOffer(
  openController: OpenController,
  session: ModelSession,
  { text, alias = '' }: { readonly text: string; readonly alias?: string },
): Promise<{ readonly name: string; readonly url: string }> {
  const { url, controller, offer, elsewhere } = await offerToConsume(openController, session, text);
  const name = alias || offer['offer-name'];
  const { users: _users, endpoints = [], ...details } = offer;
  const consumed = await call(session.connection, 'Application', 'Consume', {
    args: [
      {
        ...details,
        'offer-url': `${controller}:${offer['offer-url']}`,
        endpoints: endpoints.map((one) => ({ ...one })),
        'application-alias': name,
        ...(elsewhere && {
          macaroon: elsewhere.macaroon,
          'external-controller': { ...elsewhere.told, addrs: [...elsewhere.told.addrs] },
        }),
      },
    ],
  });
  only(consumed.results);
  return { name, url };
}
