/** Offers on the command line: their URLs, and what commands show of them. */
import { call, only, type ResultOf } from '../client/calls.ts';
import { defined } from '../core/defined.ts';
import { JujuError } from '../core/errors.ts';
import { formatOfferUrl, isOfferUrl, parseOfferUrl, type OfferUrl } from '../core/offer/url.ts';
import type { ControllerSession, ModelSession } from '../operate/sessions.ts';
import type { CommandContext } from './context.ts';
import { visibleLine } from '../kit/visible.ts';

export type OfferDetails = ResultOf<'ApplicationOffers', 'ListApplicationOffers'>['results'][number];

/**
 * The URL as a user gives it, with the owner that is meant and without the controller: as the controller knows it.
 * Errors: `not valid`; `not supported` for an offer of another controller.
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

/** Opens the controller of offers, and returns their URLs; those of the chosen model may be given by name alone. */
export async function openOffers(
  context: CommandContext,
  model: string,
  texts: readonly string[],
): Promise<{ readonly session: ControllerSession; readonly urls: readonly string[] }> {
  const withModel = texts.every(isOfferUrl) && model === '' ? undefined : await context.openModel(model);
  const named = texts.map((text) => (isOfferUrl(text) ? parseOfferUrl(text).controller : '')).find(Boolean);
  const session = await context.openController(withModel?.controller ?? named ?? '');
  const urls = texts.map((text) =>
    isOfferUrl(text) ? formatOfferUrl(ownUrl(text, session)) : `${withModel?.model}.${text}`,
  );
  return { session, urls };
}

/** What a user is told who may consume an offer. Errors: `not found`; `not supported` (another controller). */
export async function offerToConsume(
  context: CommandContext,
  session: ControllerSession,
  text: string,
): Promise<{ readonly url: string; readonly offer: OfferToConsume }> {
  const url = formatOfferUrl(ownUrl(text, session));
  const { connection } = await context.openController(session.controller);
  const asked = { 'offer-urls': { 'offer-urls': [url] } };
  const { results } = await call(connection, 'ApplicationOffers', 'GetConsumeDetails', asked);
  const { offer } = only(results);
  if (!offer) throw new JujuError('not found', `application offer "${url}" not found`);
  return { url, offer };
}

type OfferToConsume = NonNullable<
  ResultOf<'ApplicationOffers', 'GetConsumeDetails'>['results'][number]['offer']
>;

/** Consumes an offer in the session's model, under a name (default: the offer's), which it returns. */
export async function consumeOffer(
  context: CommandContext,
  session: ModelSession,
  { text, alias = '' }: { readonly text: string; readonly alias?: string },
): Promise<{ readonly name: string; readonly url: string }> {
  const { url, offer } = await offerToConsume(context, session, text);
  const name = alias || offer['offer-name'];
  const { users: _users, endpoints = [], ...details } = offer;
  const consumed = await call(session.connection, 'Application', 'Consume', {
    args: [
      {
        ...details,
        'offer-url': `${session.controller}:${offer['offer-url']}`,
        endpoints: endpoints.map((one) => ({ ...one })),
        'application-alias': name,
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
