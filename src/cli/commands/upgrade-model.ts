import { JujuError } from '../../core/errors.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { checkUpgradeFlags, requestUpgrade, upgradeFlags } from '../upgrades.ts';

export const upgradeModel = command({
  name: 'upgrade-model',
  summary: 'Upgrades Juju on all machines in a model.',
  details: `Agents of a model keep their program when the controller gets another one. The command has them take that of the
controller, one machine first. Given again, it tells how far they are; when a machine went back to the program that it
had, which one and why. With --reset-previous-upgrade, agents that went back are asked again.

The model "controller" is upgraded by upgrade-controller.`,
  examples: ['upgrade-model', 'upgrade-model -m mymodel --dry-run', 'upgrade-model --reset-previous-upgrade'],
  seeAlso: ['upgrade-controller', 'version', 'show-model'],
  flags: {
    ...modelFlags,
    ...upgradeFlags,
  },
  async run(context, { model, ...flags }, args) {
    noMoreArgs(args);
    checkUpgradeFlags(flags);
    const { controller, model: name, uuid } = await resolveModel(context.client, model);
    if (name.slice(name.indexOf('/') + 1) === 'controller')
      throw new JujuError('', 'use upgrade-controller to upgrade the controller model');
    const { connection } = await context.openController(controller);
    await requestUpgrade(context, connection, { ...flags, uuid });
  },
});
