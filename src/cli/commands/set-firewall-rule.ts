import { JujuError } from '../../core/errors.ts';
import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { firewallNotice, firewallServices } from '../firewall-services.ts';
import { text } from '../flags.ts';
import { warnOfKept } from '../known-settings.ts';
import { printRequirements } from '../requirements.ts';

export const setFirewallRule = command({
  name: 'set-firewall-rule',
  summary: 'Sets a firewall rule.',
  usage: '<service-name> --allowlist <cidr>[,<cidr>...]',
  details: `Sets which addresses may reach a well known service of a model: ssh, or juju-application-offer.

Deprecated: these are the settings ssh-allow and saas-ingress-allow of the model.`,
  examples: ['set-firewall-rule ssh --allowlist 192.168.1.0/24'],
  seeAlso: ['firewall-rules', 'model-config'],
  flags: { ...modelFlags, allowlist: text('--allowlist, --whitelist', 'List of subnets to allowlist') },
  async run(context, { model, allowlist }, args) {
    const [name, ...moreArgs] = args;
    if (name === undefined) throw new UsageError('no well known service specified');
    noMoreArgs(moreArgs);
    if (allowlist === '') throw new UsageError('no allowlist subnets specified');
    const known = firewallServices.find(({ service }) => service === name);
    if (!known) throw new JujuError('not valid', `known service "${name}" not valid`);
    context.warning(firewallNotice);
    warnOfKept(context, [known.setting]);
    const { connection } = await context.openModel(model);
    const answer = await call(connection, 'ModelConfig', 'ModelSet', {
      config: { [known.setting]: allowlist },
    });
    await printRequirements(context, 'text', answer.requirements);
  },
});
