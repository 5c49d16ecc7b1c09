import { accessOf, type Grantee } from '../../../core/access/access-of.ts';
import { reaches, type LevelOf } from '../../../core/access/levels.ts';
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import type { OfferDoc } from '../../../core/offer/document.ts';
import { formatOfferUrl, parseOfferUrl } from '../../../core/offer/url.ts';
import type { Call } from '../../facade.ts';
import { callerName, callingUser, modelAccess, type State } from '../shared/model-access.ts';

/** An offer with its model, and what the asking user may do with it. */
export interface FoundOffer {
  readonly model: ModelDoc;
  readonly offer: OfferDoc;
  readonly level: LevelOf<'offer'> | '';
}

/** The model of an owner; '' = the caller. */
export function modelNamed(
  call: Call,
  owner: string,
  name: string,
  state: State = call.read(),
): ModelDoc | undefined {
  const [model] = state.in('').find('model', 'name', `${owner || callerName(call)}/${name}`);
  return model;
}

/** An offer of a model, with the level of access that a user has to it. */
export function withLevel(
  call: Call,
  model: ModelDoc,
  offer: OfferDoc,
  { user, state = call.read() }: { readonly user?: Grantee | undefined; readonly state?: State } = {},
): FoundOffer {
  const of = user ?? callingUser(call, state);
  const object = { kind: 'offer', id: offer.uuid, model: model.uuid } as const;
  return { model, offer, level: of ? accessOf(state.in(''), of, object) : '' };
}

/**
 * Finds an offer by its URL, for a user (default: the caller) who needs a level of access to it. Errors: `not valid`;
 * `not found`, which also hides offers that the user may not read; `unauthorized access`; `not supported` for an offer
 * of another controller.
 */
export function findOffer(
  call: Call,
  text: string,
  {
    needed,
    user,
    state = call.read(),
  }: {
    readonly needed: LevelOf<'offer'>;
    readonly user?: Grantee | undefined;
    readonly state?: State;
  },
): FoundOffer {
  const url = parseOfferUrl(text);
  if (url.controller !== '')
    throw new JujuError('not supported', 'query for non-local application offers not supported');
  if (url.endpoint !== '')
    throw new JujuError('not valid', `saas application "${text}" shouldn't include endpoint`);
  const owner = url.owner || callerName(call);
  const missing = new JujuError(
    'not found',
    `application offer "${formatOfferUrl({ ...url, owner })}" not found`,
  );
  const model = modelNamed(call, owner, url.model, state);
  const offer = model && state.in(model.uuid).get('offer', url.offer);
  if (!offer) throw missing;
  const found = withLevel(call, model, offer, { user, state });
  if (found.level === '') throw missing;
  if (!reaches('offer', found.level, needed)) throw permissionDenied();
  return found;
}

/** Finds the model of an offer's URL for a user with access to it. Errors: `not valid`; `not found`. */
export function modelOfUrl(
  call: Call,
  text: string,
  state: State = call.read(),
): { readonly model: ModelDoc; readonly offer: string } {
  const url = parseOfferUrl(text);
  const owner = url.owner || callerName(call);
  const model = modelNamed(call, owner, url.model, state);
  if (!model || modelAccess(call, model.uuid, state) === '')
    throw new JujuError('not found', `model "${owner}/${url.model}" not found`);
  return { model, offer: url.offer };
}
