/** Offers in a bundle: those that it makes, and those of other models that it consumes. */
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { JujuError } from '../../core/errors.ts';
import { formatOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import type { RemoteEndpoint } from '../../core/remote-application/document.ts';
import { offerToConsume } from '../offers.ts';
import type { ControllerSession, OpenController } from '../sessions.ts';

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
 * Endpoints of the offers that the bundle consumes and the model has not consumed. Errors: those of offerToConsume,
 * which name the saas.
 */
export async function endpointsOfSaas(
  { saas = {} }: Bundle,
  { saas: known }: Pick<BundleModel, 'saas'>,
  {
    session,
    openController,
  }: { readonly session: ControllerSession; readonly openController: OpenController },
): Promise<BundleModel['saas']> {
  const found: Record<string, readonly RemoteEndpoint[]> = {};
  for (const [name, { url }] of Object.entries(saas)) {
    if (Object.hasOwn(known, name)) continue;
    try {
      found[name] = (await offerToConsume(openController, session, url)).offer.endpoints ?? [];
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      throw new JujuError(error.code, `saas "${name}": ${error.message}`, { cause: error });
    }
  }
  return found;
}
