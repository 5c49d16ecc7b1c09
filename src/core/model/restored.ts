/** What a model remembers of the last restore of a backup (backups.md#after-a-restore). */
import type { ModelDoc } from './document.ts';
import { mergedModelConfig } from './config.ts';
import type { ModelSettings } from './config-schema.ts';

export interface Restored {
  /** Id of the restore, by which agents tell one from another. */
  readonly id: string;
  /** Time of the backup, RFC 3339. */
  readonly backup: string;
  /** Time of the restore, RFC 3339. */
  readonly at: string;
  /**
   * `held`: nothing that is newer than the backup ends, and no hook runs, until an operator accepts the restore;
   * `keep`: it was accepted, and units go on where their agents are; `rerun`: accepted, and units go on where the
   * backup has them.
   */
  readonly state: 'held' | 'keep' | 'rerun';
  /** Number of the first task since the restore; absent for a restore by an earlier build. */
  readonly firstTask?: number;
  /** How an operator has accepted the restore, while units go over one batch after another; `state` comes last. */
  readonly accepting?: 'keep' | 'rerun';
  /** Whether the cloud has named its instances often enough since the restore to know which are newer. */
  readonly listed?: true;
  /** Volumes of the cloud that the backup does not know, and their number; the first of them. */
  readonly volumes?: { readonly count: number; readonly ids: readonly string[] };
}

/** A restore that a model has still to wait for; `skipped`: by how much its numbers go on later. */
export type RestoreNote = Pick<Restored, 'at' | 'backup' | 'id'> & { readonly skipped: number };

/** Whether the model waits for an operator to accept its restore. */
export function isHeld(model: Pick<ModelDoc, 'life' | 'restored'> | undefined): boolean {
  return model?.life === 'alive' && model.restored?.state === 'held';
}

/** The restore, by its id, before which a task was there, that may have run since the backup was made. */
export function restoreAfter(task: string, restored: Restored | undefined): string | undefined {
  return restored && Number(task) < (restored.firstTask ?? 0) ? restored.id : undefined;
}

/** The harvest mode in force: nothing is stopped while the model waits for an operator. */
export function harvestModeOf(model: ModelDoc | undefined): ModelSettings['provisioner-harvest-mode'] {
  return isHeld(model) ? 'none' : mergedModelConfig(model?.config ?? {})['provisioner-harvest-mode'];
}
