import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { consumeOffer } from '../../operate/offers.ts';

export const consume = command({
  name: 'consume',
  summary: 'Add a remote offer to the model.',
  usage: '<remote offer path> [<local application name>]',
  details: `Makes an application of another model known in this one, under the name of the offer or the given one, so
that applications can be integrated with it. The model may be on another controller that the client knows. "integrate"
does the same when it is given the path of an offer.`,
  examples: [
    'consume othermodel.mysql',
    'consume fred/othermodel.mysql sql',
    'consume othercontroller:fred/othermodel.mysql',
  ],
  seeAlso: ['integrate', 'offer', 'remove-saas', 'find-offers'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [text, alias = '', ...moreArgs] = args;
    if (!text) throw new UsageError('no remote offer specified');
    noMoreArgs(moreArgs);
    const session = await context.openModel(model);
    const { name, url } = await consumeOffer((controller) => context.openController(controller), session, {
      text,
      alias,
    });
    context.info(`Added ${url} as ${name}`);
  },
});
