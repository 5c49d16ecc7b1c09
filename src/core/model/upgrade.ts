import { JujuError, notValid } from '../errors.ts';
import type { AgentUpgrade } from '../machine/program.ts';
import { compareVersions, isVersion } from '../juju-version.ts';

/** Version by which a client asks for the newest one. */
const newest = '0.0.0';

/**
 * The answer to a request for an upgrade of a model (controller-settings.md#models): always a refusal, since models
 * have the controller's version, and their agents follow by themselves. `target`: the version that is asked for, or
 * 0.0.0 for the newest; `agents`: how far they are, absent = they keep what they have.
 */
export function modelUpgradeRefusal({
  target,
  controller,
  agents,
}: {
  readonly target: string;
  readonly controller: string;
  readonly agents?: AgentUpgrade | undefined;
}): JujuError {
  if (target !== '' && !isVersion(target)) return notValid(`invalid version "${target}"`);
  const order = target === '' || target === newest ? 0 : compareVersions(target, controller);
  if (order === 0)
    return agentUpgradeRefusal(agents) ?? new JujuError('already exists', 'no upgrades available');
  return order > 0
    ? new JujuError(
        '',
        `cannot upgrade to a version "${target}" greater than that of the controller "${controller}"`,
      )
    : new JujuError('', 'downgrade not supported');
}

/** Says how far the agents are; undefined when all have the controller's program. */
function agentUpgradeRefusal(agents: AgentUpgrade | undefined): JujuError | undefined {
  if (!agents) return undefined;
  const { changed, others, failed, asked } = agents;
  const [first] = failed;
  if (first)
    return new JujuError(
      '',
      `the upgrade of agents has stopped at machine ${first.machine}, which goes on with the program that it had: ${first.message}; ${changed} have the new one, ${others} do not; to try again: upgrade-model --reset-previous-upgrade`,
    );
  if (others === 0) return undefined;
  const waits = asked.length > 0 ? `; it waits for machine ${asked.slice(0, 5).join(', ')}` : '';
  return new JujuError(
    'upgrade in progress',
    `agents are being upgraded: ${changed} have the new program, ${others} do not yet${waits}`,
  );
}
