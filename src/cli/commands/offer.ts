import { isOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import { offerEndpoints } from '../../operate/offers.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { command, controllerFlags, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

export const offer = command({
  name: 'offer',
  summary: 'Offer application endpoints for use in other models.',
  usage: '[<model name>.]<application name>:<endpoint name>[,...] [<offer name>]',
  details: `Applications of other models, also of other controllers, can then be integrated with these endpoints: by users
who may consume the offer, see "grant". Without a name, the offer has that of the application. An offer that exists gets
these endpoints in place of those that it has.`,
  examples: [
    'offer mysql:db',
    'offer mymodel.mysql:db',
    'offer db2:db hosted-db2',
    'offer db2:db,log hosted-db2',
  ],
  seeAlso: ['consume', 'integrate', 'offers', 'remove-offer', 'grant'],
  completes: ['application'],
  flags: { ...modelFlags, ...controllerFlags },
  async run(context, { model, controller }, args) {
    const [text, name = '', ...moreArgs] = args;
    if (!text) throw new UsageError('an offer must at least specify application endpoint');
    noMoreArgs(moreArgs);
    const colon = text.lastIndexOf(':');
    const endpoints = text
      .slice(colon + 1)
      .split(',')
      .filter((one) => one !== '');
    if (colon < 0 || endpoints.length === 0)
      throw new UsageError('endpoints must conform to format "<application-name>:<endpoint-name>[,...]"');
    const named = isOfferUrl(text.slice(0, colon)) ? parseOfferUrl(text.slice(0, colon)) : undefined;
    const application = named ? named.offer : text.slice(0, colon);
    const inModel = named && `${named.owner === '' ? '' : `${named.owner}/`}${named.model}`;
    const target = await resolveModel(context.client, withController(controller, inModel ?? model));
    const session = await context.openController(target.controller);
    await offerEndpoints(session, target.uuid, { name: name || application, application, endpoints });
    const where = `${target.model}.${name || application}`;
    context.info(`Application "${application}" endpoints [${endpoints.join(', ')}] available at "${where}"`);
  },
});

/**
 * Adds the named controller to a model's name ('' = the current controller); a model that names its controller stays as
 * it is.
 */
function withController(controller: string, model: string): string {
  return controller === '' || model.includes(':') ? model : `${controller}:${model}`;
}
