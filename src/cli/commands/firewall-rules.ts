import { call } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { firewallNotice, firewallServices } from '../firewall-services.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const firewallRules = command({
  name: 'firewall-rules',
  summary: 'Prints the firewall rules.',
  details: `Lists which addresses may reach well known services of a model.

Deprecated: these are the settings ssh-allow and saas-ingress-allow of the model.`,
  examples: ['firewall-rules'],
  seeAlso: ['set-firewall-rule', 'model-config'],
  flags: { ...modelFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, format }, args) {
    noMoreArgs(args);
    context.warning(firewallNotice);
    const { connection } = await context.openModel(model);
    const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
    const rules = firewallServices.map(({ service, setting }) => ({
      'known-service': service,
      'whitelist-subnets': textOf(config[setting]?.value)
        .split(',')
        .filter((cidr) => cidr !== ''),
    }));
    await context.write(
      render(format, rules, {
        tabular: () =>
          formatSections([
            {
              rows: [
                ['Service', 'Whitelist subnets'],
                ...rules.map((rule) => [rule['known-service'], rule['whitelist-subnets'].join(',')]),
              ],
            },
          ]),
      }),
    );
  },
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
