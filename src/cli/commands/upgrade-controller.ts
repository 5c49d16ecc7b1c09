import { JujuError } from '../../core/errors.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { checkUpgradeFlags, requestUpgrade, upgradeFlags } from '../upgrades.ts';

export const upgradeController = command({
  name: 'upgrade-controller',
  summary: 'Upgrades Juju on a controller.',
  details: `A controller has the version of the program that runs it: installing another one and starting the controller
with it upgrades it, and its agents follow, one machine of a model first. The command tells whether the version that is
asked for is the one that runs, and how far the agents of the controller's own model are; it changes nothing.`,
  examples: ['upgrade-controller --dry-run', 'upgrade-controller --agent-version 3.6.28'],
  seeAlso: ['upgrade-model', 'version'],
  flags: {
    ...controllerFlags,
    ...upgradeFlags,
    buildAgent: bool(
      '--build-agent',
      'Build a local version of the agent binary; not supported by this controller',
    ),
  },
  async run(context, { controller: name, buildAgent, ...flags }, args) {
    noMoreArgs(args);
    checkUpgradeFlags(flags);
    if (buildAgent) throw new JujuError('not supported', 'building an agent for a controller not supported');
    const { connection, controller } = await context.openController(name);
    if (connection.login.user?.controllerAccess !== 'superuser')
      throw new JujuError(
        'unauthorized access',
        'upgrade not possible with controller access below superuser',
      );
    const { uuid } = await resolveModel(context.client, `${controller}:controller`);
    await requestUpgrade(context, connection, { ...flags, uuid });
  },
});
