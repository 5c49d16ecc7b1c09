import { call } from '../../client/calls.ts';
import { modelTag } from '../../wire/tags.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { requestUpgrade, upgradeFlags } from '../upgrades.ts';

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
    resetPreviousUpgrade: bool('--reset-previous-upgrade', 'Clear the previous (incomplete) upgrade status'),
  },
  async run(context, { model, resetPreviousUpgrade, ...flags }, args) {
    noMoreArgs(args);
    if (resetPreviousUpgrade && flags.agentVersion)
      throw new UsageError('--reset-previous-upgrade and --agent-version cannot be used together');
    const { controller, uuid } = await resolveModel(context.client, model);
    const { connection } = await context.openController(controller);
    if (resetPreviousUpgrade)
      await call(connection, 'ModelUpgrader', 'AbortModelUpgrade', { 'model-tag': modelTag(uuid) });
    await requestUpgrade(context, connection, { ...flags, uuid });
  },
});
