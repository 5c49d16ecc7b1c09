import { modelStatus as shownStatus } from '../../migration/model-status.ts';
import type { client as spec, FullStatus } from '../../../wire/facades/client.ts';
import type {
  FilesystemDetails,
  StorageDetails,
  VolumeDetails,
} from '../../../wire/facades/storage-details.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { scheduleId } from '../../../core/backup-schedule/document.ts';
import { scheduleTrouble } from '../../../core/backup-schedule/schedule.ts';
import { restoreRemark } from '../../../core/explain/restore.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { isHeld } from '../../../core/model/restored.ts';
import { otherBases } from '../../../core/machine/other-bases.ts';
import type { Status } from '../../../core/status.ts';
import { cloudTag } from '../../../wire/tags.ts';
import { JujuError } from '../../../core/errors.ts';
import { applicationStatuses } from './status/applications.ts';
import { sortedStorage } from '../shared/sorted-storage.ts';
import { filesystemDetails, storageDetails, volumeDetails } from '../shared/storage-view.ts';
import { straysOf } from '../shared/strays.ts';
import { select } from './status/filter.ts';
import { machineStatuses } from './status/machines.ts';
import { offerStatuses, remoteApplicationStatuses } from './status/offers.ts';
import { relationStatuses } from './status/relations.ts';
import { detailed } from './status/detailed.ts';
import { modelEnding } from './status/ending.ts';
import { statusScope, type StatusScope } from './status/scope.ts';
import { defined } from '../../../core/defined.ts';

/** Returns the status of a model, or of the entities that the patterns match with all that belongs to them. */
export function fullStatus(
  call: Call,
  params: ParamsOf<typeof spec, 'FullStatus'>,
): Promise<ResultOf<typeof spec, 'FullStatus'>> {
  const withStorage = params['include-storage'] === true;
  const { problem } = call.store;
  return statusOfModel(statusScope(call), call.modelUuid, {
    patterns: params.patterns,
    withStorage,
    ...defined({ problem }),
  });
}

/** Returns the status of the scope's model, at the scope's time. */
export async function statusOfModel(
  scope: StatusScope,
  uuid: string,
  {
    patterns,
    withStorage,
    problem,
  }: {
    readonly patterns: readonly string[];
    readonly withStorage: boolean;
    /** Reason why the controller stores nothing. */
    readonly problem?: string;
  },
): Promise<FullStatus> {
  const selection = await select(scope, patterns);
  const machines = await machineStatuses(scope, selection);
  const applications = await applicationStatuses(scope, selection);
  const relations = await relationStatuses(scope, selection);
  const remotes = await remoteApplicationStatuses(scope, selection);
  const offers = await offerStatuses(scope, selection);
  const storage = withStorage ? await storageStatuses(scope) : {};
  return {
    // The model's status comes after all others: it tells what is cut in them.
    model: modelStatus(scope, uuid, problem),
    machines,
    applications,
    'remote-applications': remotes,
    offers,
    relations,
    'controller-timestamp': scope.now,
    branches: {},
    ...(patterns.length === 0 && scope.view.count('stray') > 0 ? { strays: straysOf(scope.view) } : {}),
    ...storage,
  };
}

/** All storage of the model: patterns do not limit it. */
async function storageStatuses(
  scope: StatusScope,
): Promise<Required<Pick<FullStatus, 'storage' | 'filesystems' | 'volumes'>>> {
  const storage: StorageDetails[] = [];
  const filesystems: FilesystemDetails[] = [];
  const volumes: VolumeDetails[] = [];
  for (const doc of sortedStorage(scope.view)) {
    await scope.pause();
    storage.push(scope.details.of(storageDetails(doc)));
    filesystems.push(...[filesystemDetails(doc) ?? []].flat().map((one) => scope.details.of(one)));
    volumes.push(...[volumeDetails(doc) ?? []].flat().map((one) => scope.details.of(one)));
  }
  return { storage, filesystems, volumes };
}

function statusWithRemark(scope: StatusScope, model: ModelDoc): Status {
  const { life, createdAt } = model;
  const status = modelEnding(scope, life, shownStatus(scope.view, createdAt));
  if (status.message !== '') return status;
  const held = isHeld(model) && model.restored ? `hooks ${restoreRemark(model.restored.backup)}` : '';
  const schedule = scope.view.get('backup-schedule', scheduleId);
  const backups = schedule ? scheduleTrouble(schedule, Date.parse(scope.now)) : '';
  const urgent = [held, backups].filter((one) => one !== '').join('; ');
  return { ...status, message: urgent || scope.details.remark || otherBases(scope.view.list('machine')) };
}

function modelStatus(scope: StatusScope, uuid: string, problem: string | undefined): FullStatus['model'] {
  const { view, version } = scope;
  const model = view.in('').get('model', uuid);
  if (!model) throw new JujuError('model not found', `unknown model: "${uuid}"`);
  return {
    name: model.name,
    type: 'iaas',
    'cloud-tag': cloudTag(model.cloud),
    ...defined({ region: model.region || undefined }),
    version,
    'available-version': scope.availableVersion,
    'model-status':
      problem === undefined
        ? detailed(statusWithRemark(scope, model))
        : detailed({ status: 'error', message: `read-only: ${problem}`, since: scope.now }),
    'meter-status': { color: '', message: '' },
    sla: 'unsupported',
  };
}
