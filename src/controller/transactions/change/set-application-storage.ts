import { JujuError } from '../../../core/errors.ts';
import { checkStorage } from '../../../core/storage/check-storage.ts';
import type { StorageDirective } from '../../../core/storage/directive.ts';
import { storageSpecs } from '../../../core/storage/spec.ts';
import { poolsOf, type StorageRules } from '../begin/add-storage.ts';
import { refuseUnitsInContainers } from '../begin/storage-in-containers.ts';
import { refuseDuringRollout } from '../../../core/rollout/rollout.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Changes the storage that new units of an application get; existing units keep theirs. Storages that are not named
 * stay as they are. Errors: `not found`; '' for an application that is not alive, and while a roll-out goes on; those
 * of checkStorage.
 */
export function setApplicationStorage(
  tx: Tx,
  args: {
    readonly application: string;
    readonly storage: Readonly<Record<string, StorageDirective>>;
    readonly rules: StorageRules;
  },
): void {
  const application = mustGet(tx, 'application', args.application);
  if (application.life !== 'alive')
    throw new JujuError('', `application "${args.application}" is ${application.life}`);
  refuseDuringRollout(application);
  const charm = mustGet(tx, 'charm', application.charmUrl);
  const { providers, preferred } = args.rules;
  const pools = poolsOf(tx, providers, preferred);
  const storage = checkStorage(storageSpecs(charm.meta.storage), args.storage, pools, application.storage);
  if (Object.keys(storage).length === 0) return;
  refuseUnitsInContainers(tx, { ...application, storage });
  tx.put('application', application.name, { ...application, storage });
}
