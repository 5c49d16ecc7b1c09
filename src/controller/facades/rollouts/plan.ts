/**
 * Changes that a refresh or a rollback would make: it is carried out in a transaction that is rolled back
 * (refresh.md#dry-run).
 */
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { refreshChanges, type RefreshedState } from '../../../core/application/refresh-changes.ts';
import { charmFiles, parseCharm } from '../../../core/charm/parse-charm.ts';
import { planBatches } from '../../../core/rollout/plan-batches.ts';
import type { RollingRequest } from '../../../core/rollout/rollout.ts';
import { rolloutSnapshot } from '../../../core/rollout/snapshot.ts';
import { takersOf } from '../../../core/rollout/takers.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import type { RefreshPlan, rollouts as spec } from '../../../wire/facades/rollouts.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { checkActions } from '../../charms/read-charm-archive.ts';
import { addCharm } from '../../transactions/begin/add-charm.ts';
import { refreshApplication } from '../../transactions/change/refresh-application.ts';
import { announceResources, setResourceContent } from '../../transactions/shared/resources.ts';
import { beginRollout, rollBack } from '../../transactions/change/rollout.ts';
import { mustGet, type Tx, type View } from '../../transactions/tx.ts';
import { refreshArgs } from '../application/set-charm.ts';
import { rehearse } from '../shared/change-model.ts';
import { requirementsChange } from '../shared/requirements-change.ts';

type Params = ParamsOf<typeof spec, 'Plan'>;

export function plan(call: Call, params: Params): Promise<RefreshPlan> {
  const { application, rolling, 'charm-files': files } = params;
  const argsOf = refreshArgs(call, params);
  // Files with other names are ignored: a client may send all that it has.
  const charm = files && parseCharm(Object.fromEntries(charmFiles.map((name) => [name, files[name]])));
  if (charm) checkActions(charm);
  return rehearsed(call, application, (tx) => {
    const { revision = 0 } = params;
    const charmUrl = charm
      ? addCharm(tx, { charm, version: '', sha256: '', size: 0, revision }).url
      : params['charm-url'];
    const resources = announced(tx, { ...params, charmUrl });
    const args = { ...argsOf(tx), charmUrl, resources };
    return rolling
      ? beginRollout(tx, { ...args, rolling: rollingOf(rolling) })
      : refreshApplication(tx, args);
  });
}

export function planRollback(
  call: Call,
  { application }: ParamsOf<typeof spec, 'PlanRollback'>,
): Promise<RefreshPlan> {
  return rehearsed(call, application, (tx) => rollBack(tx, application));
}

export function rollingOf(
  params: Pick<ParamsOf<typeof spec, 'Begin'>, 'max-unavailable' | 'wait-for' | 'pause-after-canary'>,
): RollingRequest {
  return {
    maxUnavailable: params['max-unavailable'],
    waitFor: params['wait-for'],
    pauseAfterCanary: params['pause-after-canary'],
  };
}

function rehearsed(
  call: Call,
  name: string,
  change: (tx: Tx) => { readonly settled: Settled },
): Promise<RefreshPlan> {
  const present = (machine: string): boolean => call.services.presence.isPresent(call.modelUuid, machine);
  return rehearse(call, (tx): RefreshPlan => {
    const before = stateOf(tx, name);
    const { charmModifiedVersion: version } = before.application;
    const { settled } = change(tx);
    const after = stateOf(tx, name);
    const { application } = after;
    return {
      application: name,
      charm: application.charmUrl,
      changes: refreshChanges(before, after),
      units: takersOf(tx, application, version, present).map(({ charmUrl, ...unit }) => ({
        ...unit,
        charm: charmUrl,
      })),
      ...leftStorage(tx, after),
      ...plannedRollout(tx, name),
      ...requirementsChange(tx, [name], settled),
    };
  });
}

/** Storage that units keep although the charm does not declare it (refresh.md#rolled-parts). */
function leftStorage(view: View, { application, charm }: AppliedState): Pick<RefreshPlan, 'storage'> {
  const storage: NonNullable<RefreshPlan['storage']> = [];
  for (const unit of view.find('unit', 'application', application.name))
    for (const { id, name } of view.find('storage', 'unit', unit.name))
      if (!Object.hasOwn(charm.meta.storage, name)) storage.push({ id, unit: unit.name });
  return storage.length > 0 ? { storage } : {};
}

type AppliedState = RefreshedState & { readonly application: ApplicationDoc };

function plannedRollout(tx: Tx, name: string): Pick<RefreshPlan, 'rollout'> {
  const application = mustGet(tx, 'application', name);
  const { rollout } = application;
  if (!rollout) return {};
  const snapshot = rolloutSnapshot(tx, { ...application, rollout }, () => true);
  const { kind, maxUnavailable, waitFor } = rollout;
  // A rollback releases units of the failed batch when it begins.
  const first = snapshot.batch.map((unit) => unit.name);
  const batches = [...(first.length > 0 ? [{ units: first, pauses: false }] : []), ...planBatches(snapshot)];
  return {
    rollout: {
      kind,
      'max-unavailable': maxUnavailable,
      'wait-for': waitFor,
      batches: batches.map(({ units, pauses }) => ({ units: [...units], pauses })),
    },
  };
}

/** Announces resources and records their contents as if they were uploaded. Errors: `not found` (resource). */
function announced(
  tx: Tx,
  { application, charmUrl, resources = {} }: Pick<Params, 'application' | 'resources'> & { charmUrl: string },
): Record<string, string> {
  const names = Object.keys(resources);
  const ids = announceResources(tx, { application, charmUrl, names });
  const pending = names.map((name, i) => [name, ids[i]!] as const);
  for (const [name, pendingId] of pending) {
    const { fingerprint, size } = resources[name]!;
    // No blob is looked at: the fingerprint stands for the content.
    const content = { fingerprint, sha256: fingerprint, size, username: '' };
    setResourceContent(tx, { application, name, pendingId }, content);
  }
  return Object.fromEntries(pending);
}

/** The application as it is now, apart from later changes in the transaction. */
function stateOf(view: View, name: string): AppliedState {
  const application = mustGet(view, 'application', name);
  return {
    application,
    charm: mustGet(view, 'charm', application.charmUrl),
    resources: [...view.find('resource', 'application', name)],
  };
}
