/** Upgrades of a model: of the program that its agents are to have (docs/upgrades.md). */
import { JujuError, notValid } from '../errors.ts';
import type { AgentUpgrade } from '../machine/program.ts';
import { compareVersions, isVersion } from '../juju-version.ts';

/** A program of agents, and Juju's version of it. */
export interface ModelProgram {
  /** SHA-256 of the program in hex. */
  readonly build: string;
  readonly version: string;
}

/** Version by which a client asks for the newest one. */
const newest = '0.0.0';

/** The version that a model shows: that of its agents' program. `controller`: that of the controller. */
export function modelVersion(
  model: { readonly program?: ModelProgram } | undefined,
  controller: string,
): string {
  return model?.program?.version ?? controller;
}

/** The version to which a model could be upgraded; '' = none. */
export function availableVersion(
  model: { readonly program?: ModelProgram } | undefined,
  controller: { readonly version: string; readonly agentBuild?: string },
): string {
  const { program } = model ?? {};
  const { agentBuild, version } = controller;
  return program && agentBuild !== undefined && program.build !== agentBuild ? version : '';
}

/** What is known when an upgrade is asked for. */
interface UpgradeRequest {
  /** The version that is asked for; '' or 0.0.0 = the newest. */
  readonly target: string;
  /** Whether agents may be without the model's present program. */
  readonly ignoreAgents: boolean;
  /** Program of the model; absent = the controller's. */
  readonly program?: ModelProgram | undefined;
  readonly controller: { readonly version: string; readonly agentBuild?: string };
  /** How far the agents are with the model's program; absent = they keep what they have. */
  readonly agents?: AgentUpgrade | undefined;
}

/**
 * The program that the model's agents are to have from now on: the controller's. Errors: `already exists` when there is
 * nothing to do; `upgrade in progress`; `not found`; `not valid`; '' for a version that cannot be, and for an upgrade
 * that has stopped.
 */
export function planModelUpgrade(request: UpgradeRequest): ModelProgram {
  const { target, program, controller, agents, ignoreAgents } = request;
  const { version, agentBuild } = controller;
  checkTarget(target, version, program?.version ?? version);
  if (agentBuild === undefined || !program || program.build === agentBuild)
    throw agentUpgradeRefusal(agents) ?? new JujuError('already exists', 'no upgrades available');
  // An upgrade that has stopped may need nothing but another program.
  const isUnderWay = agents !== undefined && agents.others > 0 && agents.failed.length === 0;
  if (isUnderWay && !ignoreAgents)
    throw new JujuError(
      'upgrade in progress',
      `some agents have not upgraded to the present program of the model: ${agents.changed} have it, ${agents.others} do not; to upgrade all the same: --ignore-agent-versions`,
    );
  return { build: agentBuild, version };
}

/** Refuses versions to which a model cannot be upgraded. Errors: those of planModelUpgrade. */
function checkTarget(target: string, controller: string, present: string): void {
  if (target === '' || target === newest) return;
  if (!isVersion(target)) throw notValid(`invalid version "${target}"`);
  if (compareVersions(target, controller) > 0)
    throw new JujuError(
      '',
      `cannot upgrade to a version "${target}" greater than that of the controller "${controller}"`,
    );
  if (compareVersions(target, present) < 0) throw new JujuError('', 'downgrade not supported');
  if (compareVersions(target, controller) === 0) return;
  if (compareVersions(target, present) === 0) throw new JujuError('already exists', 'no upgrades available');
  throw new JujuError(
    'not found',
    `no matching agent versions available: this controller has ${controller}, not ${target}`,
  );
}

/** Says how far the agents are; undefined when all have the model's program. */
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
