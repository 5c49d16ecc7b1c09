import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { checkUpgradeFlags, requestUpgrade, upgradeFlags } from '../upgrades.ts';

export const upgradeModel = command({
  name: 'upgrade-model',
  summary: 'Upgrades Juju on all machines in a model.',
  details: `A model of grigri has the version of its controller, and its agents take the controller's program by themselves,
one machine first. The command tells how far they are; when a machine went back to the program that it had, which one and
why. With --reset-previous-upgrade, agents that went back are asked again.`,
  examples: ['upgrade-model', 'upgrade-model -m mymodel --dry-run', 'upgrade-model --reset-previous-upgrade'],
  seeAlso: ['upgrade-controller', 'version', 'show-model'],
  flags: {
    ...modelFlags,
    ...upgradeFlags,
  },
  async run(context, { model, ...flags }, args) {
    noMoreArgs(args);
    checkUpgradeFlags(flags);
    const { controller, uuid } = await resolveModel(context.client, model);
    const { connection } = await context.openController(controller);
    await requestUpgrade(context, connection, { ...flags, uuid });
  },
});
