import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { checkUpgradeFlags, requestUpgrade, upgradeFlags } from '../upgrades.ts';

export const upgradeModel = command({
  name: 'upgrade-model',
  summary: 'Upgrades Juju on all machines in a model.',
  details: `A model of grigri has the version of its controller: agents follow the controller that they talk to by
themselves. So there is nothing to upgrade, and the command says so; it is there for scripts.`,
  examples: ['upgrade-model', 'upgrade-model -m mymodel --dry-run', 'upgrade-model --agent-version 3.6.28'],
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
