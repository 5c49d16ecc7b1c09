/** The parts of a bundle that are about other models: what it consumes, and what its applications offer. */
import { isLevel, ladders, type LevelOf } from '../access/levels.ts';
import { notValid } from '../errors.ts';
import { isApplicationName, isEndpointName } from '../names.ts';
import { parseOfferUrl } from '../offer/url.ts';
import { isUserName } from '../user/document.ts';
import type { Bundle, BundleApplication } from './bundle.ts';
import { expected, type Section } from './section.ts';

/** The section `saas`: name → where the offer is. */
export function parseSaas(section: Section): Pick<Bundle, 'saas'> {
  const saas = section.sections().map(([name, one]) => {
    if (!isApplicationName(name)) one.problem(nameHint);
    const url = one.text('url') ?? '';
    one.attempt(() => {
      if (parseOfferUrl(url).endpoint !== '')
        throw notValid(`an endpoint belongs into relations, not into the URL of an offer: "${url}"`);
    }, 'url');
    one.reportRest();
    return [name, { url }] as const;
  });
  return saas.length === 0 ? {} : { saas: Object.fromEntries(saas) };
}

/** An application's section `offers`: name → endpoints, and who may do what with it. */
export function parseOffers(section: Section): Pick<BundleApplication, 'offers'> {
  const offers = section.sections().map(([name, one]) => {
    if (!isApplicationName(name)) one.problem(nameHint);
    const endpoints = one.texts('endpoints');
    if (endpoints.length === 0) one.problem('at least one endpoint is required', 'endpoints');
    const wrong = endpoints.find((endpoint) => !isEndpointName(endpoint));
    if (wrong !== undefined) one.problem(expected('names of endpoints', wrong), 'endpoints');
    const acl = parseAcl(one.section('acl'));
    one.reportRest();
    return [name, { endpoints, acl }] as const;
  });
  return offers.length === 0 ? {} : { offers: Object.fromEntries(offers) };
}

function parseAcl(section: Section): Record<string, LevelOf<'offer'>> {
  return Object.fromEntries(
    Object.entries(section.textMap()).flatMap(([user, access]) => {
      if (!user.split('@', 2).every(isUserName)) section.problem(`"${user}" is not a valid user name`);
      if (isLevel('offer', access)) return [[user, access]];
      section.problem(expected(`one of ${ladders.offer.join(', ')}`, access), user);
      return [];
    }),
  );
}

const nameHint = 'not a valid name: use lowercase letters, digits and hyphens';
