/** Offers in a bundle: those that it makes, and those of other models that it consumes. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import { ownValue } from '../../core/bundle/own.ts';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { JujuError } from '../../core/errors.ts';
import { formatOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import type { RemoteEndpoint } from '../../core/remote-application/document.ts';
import { offerToConsume } from '../offers.ts';
import type { ControllerSession, OpenController } from '../sessions.ts';

interface Means {
  readonly session: ControllerSession;
  readonly openController: OpenController;
}

/** The bundle with whole URLs of offers: a controller or owner that is left out is this controller or this user. */
export function withWholeUrls(
  bundle: Bundle,
  { controller, user }: Pick<ControllerSession, 'controller' | 'user'>,
): Bundle {
  if (!bundle.saas) return bundle;
  const saas = Object.entries(bundle.saas).map(([name, { url: text }]) => {
    const url = parseOfferUrl(text);
    const whole = { ...url, controller: url.controller || controller, owner: url.owner || user };
    return [name, { url: formatOfferUrl(whole) }] as const;
  });
  return { ...bundle, saas: Object.fromEntries(saas) };
}

/**
 * The bundle with the model's URLs of the offers that the model has consumed under other ones, as with another name of
 * their controller. Errors: `already exists` when the model has another offer under the name; those of offerToConsume.
 */
export async function withConsumedUrls(
  bundle: Bundle,
  { state, saas: known, consumed = {} }: Pick<BundleModel, 'state' | 'saas' | 'consumed'>,
  means: Means,
): Promise<Bundle> {
  const saas = { ...bundle.saas };
  for (const [name, { url }] of Object.entries(saas)) {
    const has = Object.hasOwn(known, name) ? ownValue(state.saas ?? {}, name)?.url : undefined;
    const uuid = ownValue(consumed, name);
    if (has === undefined || has === url || uuid === undefined) continue;
    const { offer } = await consumable(name, url, means);
    if (offer['offer-uuid'] !== uuid)
      throw new JujuError(
        'already exists',
        `saas "${name}": the model has consumed another offer, ${has}, under this name: give ${url} another name in the file, or run remove-saas ${name} first`,
      );
    saas[name] = { url: has };
  }
  return bundle.saas ? { ...bundle, saas } : bundle;
}

/**
 * Endpoints of the offers that the bundle consumes and the model has not consumed. Errors: those of offerToConsume,
 * which name the saas.
 */
export async function endpointsOfSaas(
  { saas = {} }: Bundle,
  { saas: known }: Pick<BundleModel, 'saas'>,
  means: Means,
): Promise<BundleModel['saas']> {
  const found: Record<string, readonly RemoteEndpoint[]> = {};
  for (const [name, { url }] of Object.entries(saas))
    if (!Object.hasOwn(known, name)) found[name] = (await consumable(name, url, means)).offer.endpoints ?? [];
  return found;
}

/** Asks for the offer. Errors: those of offerToConsume, which name the saas. */
async function consumable(
  name: string,
  url: string,
  { session, openController }: Means,
): ReturnType<typeof offerToConsume> {
  try {
    return await offerToConsume(openController, session, url);
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    throw new JujuError(error.code, `saas "${name}": ${error.message}`, { cause: error });
  }
}
