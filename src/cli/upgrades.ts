/** Shared part of upgrade-model and upgrade-controller (controller-settings.md#models). */
import { hasCode } from '../core/errors.ts';
import type { Connection } from '../client/connection.ts';
import { call, errorOf } from '../client/calls.ts';
import { modelTag } from '../wire/tags.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './errors.ts';
import { bool, duration, text, type FlagValues } from './flags.ts';

export const upgradeFlags = {
  agentStream: text('--agent-stream', 'Check this agent stream for upgrades'),
  agentVersion: text('--agent-version', 'Upgrade to specific version'),
  dryRun: bool('--dry-run', "Don't change anything, just report what would be changed"),
  ignoreAgentVersions: bool(
    '--ignore-agent-versions',
    "Don't check if all agents have already reached the current version",
  ),
  resetPreviousUpgrade: bool('--reset-previous-upgrade', 'Clear the previous (incomplete) upgrade status'),
  timeout: duration('--timeout', 'Timeout before upgrade is aborted', '10m0s'),
  yes: bool('-y, --yes', 'Answer yes to confirmation prompts'),
};

/** Checks the flags. Errors: UsageError for flags that contradict each other. */
export function checkUpgradeFlags(
  flags: Pick<FlagValues<typeof upgradeFlags>, 'agentVersion' | 'resetPreviousUpgrade'>,
): void {
  if (flags.resetPreviousUpgrade && flags.agentVersion)
    throw new UsageError('--reset-previous-upgrade and --agent-version cannot be used together');
}

/** Upgrades a model, or says that there is nothing to do. Errors: the controller's refusal. */
export async function requestUpgrade(
  context: CommandContext,
  connection: Connection,
  flags: {
    readonly uuid: string;
    readonly agentVersion: string;
    readonly ignoreAgentVersions: boolean;
    readonly dryRun: boolean;
    readonly resetPreviousUpgrade: boolean;
  },
): Promise<void> {
  if (flags.resetPreviousUpgrade && !flags.dryRun)
    await call(connection, 'ModelUpgrader', 'AbortModelUpgrade', { 'model-tag': modelTag(flags.uuid) });
  const { error, 'chosen-version': version } = await call(connection, 'ModelUpgrader', 'UpgradeModel', {
    'model-tag': modelTag(flags.uuid),
    'target-version': flags.agentVersion || '0.0.0',
    'ignore-agent-versions': flags.ignoreAgentVersions,
    'dry-run': flags.dryRun,
  });
  if (!error) {
    context.info(`best version:\n    ${version}`);
    return context.write(
      flags.dryRun
        ? `upgrade to this version by running\n    ${context.lineFor('upgrade-model')}\n`
        : `started upgrade to ${version}\n`,
    );
  }
  if (!hasCode(errorOf(error), 'already exists')) throw errorOf(error);
  context.info(error.message);
}
