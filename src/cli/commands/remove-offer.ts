import { allOk, call } from '../../client/calls.ts';
import { command, controllerFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { openOffers } from '../offers.ts';
import { confirm, mustAsk, promptFlags } from '../prompts.ts';

export const removeOffer = command({
  name: 'remove-offer',
  summary: 'Removes one or more offers specified by their URL.',
  usage: '<offer-url> ...',
  details: `An offer that has relations is only removed with --force, which removes these, too. An offer of the current
model may be given by its name.`,
  examples: [
    'remove-offer fred/prod.hosted-mysql',
    'remove-offer hosted-mysql',
    'remove-offer prod.hosted-mysql --force -y',
  ],
  seeAlso: ['find-offers', 'offer', 'offers'],
  flags: {
    ...modelFlags,
    ...controllerFlags,
    ...promptFlags,
    force: bool('--force', 'Remove the offer as well as any relations to the offer'),
  },
  async run(context, flags, texts) {
    if (texts.length === 0) throw new UsageError('no offers specified');
    const { session, urls } = await openOffers(context, flags, texts);
    if (flags.force && mustAsk(flags)) {
      context.io.stderr.write(
        `WARNING! This command will remove offers: ${urls.join(', ')}\nThis includes all relations to those offers.\n`,
      );
      await confirm(context, 'offer removal');
    }
    const { results } = await call(session.connection, 'ApplicationOffers', 'DestroyOffers', {
      'offer-urls': [...urls],
      force: flags.force,
    });
    allOk(results, (n) => urls[n]!);
  },
});
