/** URLs of offers: `[controller:][owner/]model.offer[:endpoint]` (offers.md#urls). */
import { JujuError } from '../errors.ts';

export interface OfferUrl {
  /** Name of the controller; '' = none was named. */
  readonly controller: string;
  /** Name of the model's owner; '' = the caller. */
  readonly owner: string;
  readonly model: string;
  readonly offer: string;
  /** Name of the endpoint; '' = none was named. */
  readonly endpoint: string;
}

/** Whether a text can only be an offer's URL, and no name of an application or a model. */
export function isOfferUrl(text: string): boolean {
  return text.includes('.');
}

/** Parses the URL of an offer. Errors: `not valid`. */
export function parseOfferUrl(text: string): OfferUrl {
  const invalid = (): JujuError =>
    new JujuError(
      'not valid',
      `application offer URL has invalid form, must be [<user/]<model>.<appname>: "${text}"`,
    );
  const parts = text.split(':');
  if (parts.length > 3) throw invalid();
  let [controller = '', path = '', endpoint = ''] = parts.length === 3 ? parts : ['', ...parts];
  // Names of controllers may have a dot, those of endpoints have none: of two parts with one the second is the path.
  if (parts.length === 2 && endpoint.includes('.')) [controller, path, endpoint] = [path, endpoint, ''];
  const slash = path.indexOf('/');
  const owner = slash < 0 ? '' : path.slice(0, slash);
  const rest = path.slice(slash + 1);
  const dot = rest.indexOf('.');
  if (dot < 0 || rest.includes('/') || (slash >= 0 && owner === '')) throw invalid();
  const model = rest.slice(0, dot);
  const offer = rest.slice(dot + 1);
  if (model === '') throw new JujuError('not valid', 'application offer URL is missing model');
  if (offer === '') throw new JujuError('not valid', 'application offer URL is missing application');
  if (offer.includes('.') || (parts.length > 1 && parts.some((part) => part === ''))) throw invalid();
  return { controller, owner, model, offer, endpoint };
}

/** The URL without endpoint; `owner` stands in for an owner that was not named. */
export function formatOfferUrl({ controller, owner, model, offer }: Omit<OfferUrl, 'endpoint'>): string {
  return `${controller === '' ? '' : `${controller}:`}${owner}/${model}.${offer}`;
}
