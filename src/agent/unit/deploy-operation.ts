import { JujuError } from '../../core/errors.ts';
import { isHeld } from '../../core/rollout/rollout.ts';
import { finishDeploy, startDeploy } from '../../core/unit/advance.ts';
import type { ApplicationRecord } from '../../wire/agent-records.ts';
import type { UnitWorld } from './world.ts';

/**
 * Deploys the charm that the unit is to run over the content of the charm folder (unit-agent.md#upgrade). A deployment
 * that has begun is finished, also by the next agent: a folder with files of two charms is never run.
 */
export async function deployOperation(
  world: UnitWorld,
  op: { readonly charmUrl: string; readonly upgrade: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { unit, mirror, api, state, statuses, host, timers, log } = world;
  const record = mirror.unit(unit);
  const application = mirror.application(record?.application ?? '');
  const files = application && filesOf(application, op.charmUrl);
  if (!record || !files) return;
  const isKept = isHeld(application, record);
  const { charmModifiedVersion = isKept ? state.local.charmModifiedVersion : 0 } = isKept
    ? record
    : application;
  const charm = { url: op.charmUrl, name: files.charmName, sha256: files.charmSha256 };
  if (op.upgrade || state.local.charmUrl !== '') {
    // Half an upgrade must be finished, even when the application goes back to the charm that it had.
    const begins = state.local.op.kind !== 'deploy';
    state.set(startDeploy(state.local, op.charmUrl, op.upgrade));
    await state.save(signal);
    const { op: begun } = state.local;
    if (begins && begun.kind === 'deploy' && !begun.failed)
      await statuses.setAgent('executing', 'upgrading charm', signal);
  }
  const { charmModifiedVersion: told = charmModifiedVersion } = record;
  if (record.charmUrl !== charm.url || told !== charmModifiedVersion)
    await api.call('SetUnitCharm', { unit, charmUrl: charm.url, charmModifiedVersion }, { signal });
  try {
    await host.deploy(charm, signal);
  } catch (error) {
    if (isLasting(error)) {
      const what = op.upgrade ? 'upgrade failed' : 'cannot deploy charm';
      await statuses.setAgent('error', `${what}: ${error.message}`, signal, { charm: op.charmUrl });
    }
    throw error;
  }
  log.info('deployed charm', { charm: op.charmUrl });
  state.set(finishDeploy(state.local, { charmUrl: charm.url, charmModifiedVersion }, op.upgrade));
  timers.retryNow();
}

/**
 * Returns the files of the application's charm, or of the charm that a roll-out keeps the unit on; undefined = the
 * charm is neither any more.
 */
function filesOf(
  application: ApplicationRecord,
  charmUrl: string,
): { readonly charmName: string; readonly charmSha256: string } | undefined {
  return application.charmUrl === charmUrl ? application : application.older?.[charmUrl];
}

/** Whether the error is about the archive or the disk, and not about a lost connection. */
function isLasting(error: unknown): error is Error {
  if (error instanceof JujuError) return error.code !== 'try again';
  return error instanceof Error && diskErrors.has((error as NodeJS.ErrnoException).code ?? '');
}

const diskErrors = new Set([
  'EACCES',
  'EBUSY',
  'EDQUOT',
  'EEXIST',
  'EIO',
  'EISDIR',
  'ENAMETOOLONG',
  'ENOSPC',
  'ENOTDIR',
  'ENOTEMPTY',
  'EPERM',
  'EROFS',
]);
