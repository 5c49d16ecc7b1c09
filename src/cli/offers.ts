/** Offers on the command line: their URLs, and what commands show of them. */
import { call, only, type ResultOf } from '../client/calls.ts';
import { defined } from '../core/defined.ts';
import { JujuError } from '../core/errors.ts';
import { formatOfferUrl, isOfferUrl, parseOfferUrl, type OfferUrl } from '../core/offer/url.ts';
import type { ControllerSession, ModelSession } from '../operate/sessions.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { visibleLine } from '../kit/visible.ts';

export type OfferDetails = ResultOf<'ApplicationOffers', 'ListApplicationOffers'>['results'][number];

/**
 * The URL as a user gives it, with the owner that is meant and without the controller: as the controller knows it.
 * Errors: `not valid`; `not supported` for an offer of another controller than the session's.
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
 * Opens the controller of offers: the one that their URLs name, else that of `--controller`, else that of the model.
 * Those of the chosen model may be given by name alone. Returns their URLs.
 */
export async function openOffers(
  context: CommandContext,
  { model, controller }: { readonly model: string; readonly controller: string },
  texts: readonly string[],
): Promise<{ readonly session: ControllerSession; readonly urls: readonly string[] }> {
  const isModelNeeded = !texts.every(isOfferUrl);
  if (isModelNeeded && controller !== '' && model === '')
    throw new UsageError('with --controller, offers are given by their URLs: [<user>/]<model>.<offer>');
  const withModel = isModelNeeded || model !== '' ? await context.openModel(model) : undefined;
  const named = texts.map((text) => (isOfferUrl(text) ? parseOfferUrl(text).controller : '')).find(Boolean);
  const session = await context.openController(named ?? (controller || (withModel?.controller ?? '')));
  const urls = texts.map((text) =>
    isOfferUrl(text) ? formatOfferUrl(ownUrl(text, session)) : `${withModel?.model}.${text}`,
  );
  return { session, urls };
}

/**
 * What a user is told who may consume an offer of any controller that the client knows; without one in its URL, of the
 * session's. Errors: `not found`.
 */
export async function offerToConsume(
  context: CommandContext,
  session: ControllerSession,
  text: string,
): Promise<OfferToConsume> {
  const source = await context.openController(parseOfferUrl(text).controller || session.controller);
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
  /** As its controller knows it. */
  readonly url: string;
  /** The offer's controller, as the client knows it. */
  readonly controller: string;
  readonly offer: NonNullable<Told['offer']>;
  /** Set when its controller is not the session's: what that one told. */
  readonly elsewhere?: {
    readonly macaroon: unknown;
    readonly told: NonNullable<Told['external-controller']>;
  };
}

/** Consumes an offer in the session's model, under a name (default: the offer's), which it returns. */
export async function consumeOffer(
  context: CommandContext,
  session: ModelSession,
  { text, alias = '' }: { readonly text: string; readonly alias?: string },
): Promise<{ readonly name: string; readonly url: string }> {
  const { url, controller, offer, elsewhere } = await offerToConsume(context, session, text);
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

/** A filter of offers; what is not given matches all. */
export function offerFilter(
  wanted: Partial<{
    owner: string;
    model: string;
    offer: string;
    application: string;
    interface: string;
    connectedUsers: readonly string[];
    allowedUsers: readonly string[];
  }>,
) {
  const { interface: name = '' } = wanted;
  return {
    'owner-name': wanted.owner ?? '',
    'model-name': wanted.model ?? '',
    'offer-name': wanted.offer ?? '',
    'application-name': wanted.application ?? '',
    'application-description': '',
    'application-user': '',
    endpoints: name === '' ? [] : [{ interface: name, role: '', name: '' }],
    'connected-users': [...(wanted.connectedUsers ?? [])],
    'allowed-users': [...(wanted.allowedUsers ?? [])],
  };
}

type Endpoints = Readonly<Record<string, { readonly interface: string; readonly role: string }>>;

export function endpointsOf({ endpoints = [] }: Pick<OfferDetails, 'endpoints'>): Endpoints {
  return Object.fromEntries(
    endpoints
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, interface: of, role }) => [name, { interface: of, role }]),
  );
}

export function usersOf({ users = [] }: Pick<OfferDetails, 'users'>) {
  const shown = users.map(({ user, access, 'display-name': name }) => [
    user,
    { ...defined({ 'display-name': name || undefined }), access },
  ]);
  return shown.length === 0 ? undefined : (Object.fromEntries(shown) as Record<string, { access: string }>);
}

/** Access of the user who asks. */
export function accessOf({ users = [] }: Pick<OfferDetails, 'users'>, user: string): string {
  return users.find((one) => one.user === user)?.access ?? 'admin';
}

/** Rows of a table, one for each endpoint; the cells before it are shown once. */
export function endpointRows(before: readonly string[], endpoints: Endpoints, after: readonly string[] = []) {
  const all = Object.entries(endpoints);
  if (all.length === 0) return [[...before, '', '', '', ...after]];
  return all.map(([name, { interface: of, role }], n) => [
    ...before.map((cell) => (n === 0 ? visibleLine(cell) : '')),
    name,
    of,
    role,
    ...after.map((cell) => (n === 0 ? cell : '')),
  ]);
}
