/** Offers on the command line: their URLs, and what commands show of them. */
import type { ResultOf } from '../client/calls.ts';
import { defined } from '../core/defined.ts';
import { formatOfferUrl, isOfferUrl, parseOfferUrl } from '../core/offer/url.ts';
import { ownUrl } from '../operate/offers.ts';
import type { ControllerSession } from '../operate/sessions.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { visibleLine } from '../kit/visible.ts';

export type OfferDetails = ResultOf<'ApplicationOffers', 'ListApplicationOffers'>['results'][number];

/**
 * Opens the controller of offers: the controller that their URLs name, otherwise that of `--controller`, otherwise that
 * of the model. Offers of the chosen model may be given by name alone. Returns their URLs.
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

/** Returns a filter of offers; members that are not given match all. */
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

/** Returns the access of the user who asks. */
export function accessOf({ users = [] }: Pick<OfferDetails, 'users'>, user: string): string {
  return users.find((one) => one.user === user)?.access ?? 'admin';
}

/** Returns rows of a table, one for each endpoint; the cells before it are shown once. */
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
