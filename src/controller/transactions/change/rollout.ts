/** Rolling refreshes: their begin, their releases batch by batch, and their end (refresh.md#rolling). */
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { returnedBindings } from '../../../core/application/bindings.ts';
import { checkRefresh } from '../../../core/application/check-refresh.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { resourceId } from '../../../core/resource/document.ts';
import { planRollout, type RolloutStep } from '../../../core/rollout/plan-rollout.ts';
import {
  checkRolling,
  isUpgraded,
  nextModifiedVersion,
  type Followed,
  type Revision,
  type Rollout,
  type RollingRequest,
} from '../../../core/rollout/rollout.ts';
import { rolloutSnapshot } from '../../../core/rollout/snapshot.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { changePeers } from './change-peers.ts';
import { removeCharmIfUnused } from '../end/remove-charm.ts';
import { withOlder } from '../end/forget-older-charm.ts';
import { refreshApplication, type RefreshArgs } from './refresh-application.ts';
import { keepContent } from '../shared/past-blobs.ts';
import { settleRequirements } from '../shared/requirements.ts';
import { withRetry } from '../shared/retry-hook.ts';
import { charmMetas, knownSpaces } from '../shared/spaces.ts';
import { mustGet, type Tx } from '../tx.ts';

/**
 * Gives the application another charm, which its units take when they are released. Errors: those of refreshApplication
 * and checkRolling; '' for a dying application, and for a charm that all units follow already.
 */
export function beginRollout(
  tx: Tx,
  args: RefreshArgs & { readonly rolling: RollingRequest },
): { readonly settled: Settled } {
  const rolling = checkRolling(args.rolling);
  const application = mustGet(tx, 'application', args.application);
  const { name, rollout: aborted } = application;
  if (application.life !== 'alive') throw plain(`application "${name}" is ${application.life}`);
  const isSame = application.charmUrl === args.charmUrl;
  const goesOn = isSame ? aborted : undefined;
  if (goesOn && !goesOn.resources && Object.keys(args.resources ?? {}).length > 0)
    throw plain(
      `units of application "${name}" keep other charms since a refresh was aborted: refresh them first (refresh ${name} --switch ${args.charmUrl} --rolling)`,
    );
  // A roll-out that goes on where another was aborted returns to where the aborted one began.
  const before = goesOn?.before ?? revisionOf(tx, application);
  const { maxUnavailable, waitFor, pauseAfterCanary } = rolling;
  return refreshApplication(tx, args, (news) => {
    if (isSame && !aborted && news.length === 0)
      throw plain(`application "${name}" has charm "${args.charmUrl}" already: nothing to roll out`);
    const names = [...new Set([...(goesOn?.resources?.names ?? []), ...news])];
    const isOfResources = isSame && names.length > 0;
    return {
      kind: goesOn?.kind ?? 'refresh',
      state: 'rolling',
      maxUnavailable,
      waitFor,
      ...defined({
        pauseAfterCanary: pauseAfterCanary || undefined,
        resources: isOfResources
          ? {
              names,
              leaves: otherVersions(
                tx,
                application,
                news.length > 0 ? undefined : application.charmModifiedVersion,
              ),
            }
          : undefined,
      }),
      batch: 0,
      since: tx.now,
      before,
    };
  });
}

/**
 * Versions of resources that units of the application have, except the one that they take. Units that never were in a
 * roll-out of resources have that of their application, and are told so.
 */
function otherVersions(
  tx: Tx,
  { name, charmModifiedVersion = 0 }: ApplicationDoc,
  taken: number | undefined,
): number[] {
  const versions = new Set<number>();
  for (const unit of tx.find('unit', 'application', name)) {
    if (unit.charmModifiedVersion === undefined) tx.put('unit', unit.name, { ...unit, charmModifiedVersion });
    versions.add(unit.charmModifiedVersion ?? charmModifiedVersion);
  }
  if (taken !== undefined) versions.delete(taken);
  return [...versions];
}

/**
 * Takes the next step of the application's roll-out, if any. Idempotent. `present`: whether the agent of a machine is
 * connected.
 */
export function advanceRollout(
  tx: Tx,
  args: { readonly application: string; readonly present: (machine: string) => boolean },
): RolloutStep['kind'] {
  const application = tx.get('application', args.application);
  const { rollout } = application ?? {};
  if (!application || !rollout) return 'rest';
  const step = planRollout(rolloutSnapshot(tx, { ...application, rollout }, args.present));
  const { name } = application;
  switch (step.kind) {
    case 'wait':
    case 'rest':
      break;
    case 'stop': {
      const { unit, message } = step;
      putRollout(tx, application, { ...rollout, state: 'stopped', problem: { unit, message } });
      break;
    }
    case 'pause':
      putRollout(tx, application, { ...rollout, state: 'paused' });
      break;
    case 'release': {
      unmark(tx, name);
      for (const unit of step.units)
        tx.put('unit', unit, { ...mustGet(tx, 'unit', unit), released: application.charmUrl });
      if (application.forceCharm) retryHooks(tx, name);
      const { resumed: _, ...rest } = rollout;
      putRollout(tx, application, { ...rest, batch: rollout.batch + 1, since: tx.now });
      break;
    }
    case 'finish': {
      unmark(tx, name);
      const { rollout: _, forceCharm: __, ...rest } = application;
      tx.put('application', name, rest);
      const { meta } = mustGet(tx, 'charm', application.charmUrl);
      if (application.life === 'alive') changePeers(tx, name, meta, { ends: true });
      removeCharmIfUnused(tx, rollout.before.charmUrl);
    }
  }
  return step.kind;
}

/**
 * refresh --resume: goes on after the canary, or tries a failed batch again: failed hooks of its units are run again.
 * Errors: `not found`; '' when nothing is paused or stopped.
 */
export function resumeRollout(tx: Tx, name: string): void {
  const { application, rollout } = rolloutOf(tx, name);
  if (rollout.state === 'rolling') throw plain(`the ${rollout.kind} of application "${name}" is going on`);
  if (rollout.state === 'aborted')
    throw plain(
      `the ${rollout.kind} of application "${name}" was aborted: begin another (refresh ${name} --switch ${application.charmUrl} --rolling)`,
    );
  const { problem: _, pauseAfterCanary, ...rest } = rollout;
  const isStopped = rollout.state === 'stopped';
  putRollout(tx, application, {
    ...rest,
    state: 'rolling',
    since: tx.now,
    ...(isStopped && { resumed: true as const, ...defined({ pauseAfterCanary }) }),
  });
  if (isStopped) retryHooks(tx, name);
}

/**
 * refresh --abort: units keep the charm that they run, until the next refresh; new units get the application's charm.
 * Errors: `not found`; '' when it is aborted already.
 */
export function abortRollout(tx: Tx, name: string): void {
  const { application, rollout } = rolloutOf(tx, name);
  if (rollout.state === 'aborted')
    throw plain(`the ${rollout.kind} of application "${name}" is aborted already`);
  unmark(tx, name);
  const { problem: _, ...rest } = rollout;
  putRollout(tx, application, { ...rest, state: 'aborted' });
}

/**
 * refresh --rollback: the application is what it was before, and units that run the new charm return to the one before
 * in batches, the unfinished batch first. Errors: `not found`; '' for a roll-out that is a rollback already; those of
 * checkRefresh, such as a relation that only the new charm has.
 */
export function rollBack(tx: Tx, name: string): { readonly settled: Settled } {
  const { application, rollout } = rolloutOf(tx, name);
  const { before } = rollout;
  if (rollout.kind === 'rollback')
    throw plain(
      `the rollback of application "${name}" to ${application.charmUrl} is ${rollout.state} already`,
    );
  const to = mustGet(tx, 'charm', before.charmUrl);
  const from = mustGet(tx, 'charm', application.charmUrl);
  checkRefresh(
    { config: {}, endpointBindings: {}, force: true, forceBase: true },
    {
      application,
      // Storage that units have got from the new charm stays theirs: data must not keep anybody from a charm that
      // works.
      from: { ...from, meta: { ...from.meta, storage: {} } },
      to,
      relations: [...tx.find('relation', 'application', name)],
      spaces: knownSpaces(tx),
    },
  );
  const leaves = revisionOf(tx, application);
  const { resources, charmModifiedVersion: _, ...revision } = before;
  const { charmModifiedVersion: version } = application;
  const returned: Followed = {
    charmUrl: to.url,
    charmModifiedVersion: before.charmModifiedVersion ?? version ?? 0,
    rollout: rollout.resources ? 'resources' : true,
  };
  const batch = [...tx.find('unit', 'batch', name)];
  unmark(tx, name);
  const released = batch.filter((unit) => !isUpgraded(returned, unit));
  for (const { name: unit } of released)
    tx.put('unit', unit, { ...mustGet(tx, 'unit', unit), released: to.url });
  retryHooks(tx, name);
  for (const doc of leaves.resources) {
    keepContent(tx, doc);
    tx.remove('resource', resourceId(doc));
  }
  for (const doc of resources) tx.put('resource', resourceId(doc), doc);
  const { storage: __, rollout: ___, ...rest } = application;
  const urls = [from.url, ...Object.keys(application.older ?? {})];
  const bound = { charm: to.meta, leaves: charmMetas(tx, urls) };
  const { maxUnavailable, waitFor } = rollout;
  tx.put(
    'application',
    name,
    withOlder(tx, {
      ...rest,
      ...revision,
      endpointBindings: returnedBindings(before.endpointBindings, application.endpointBindings, bound),
      charmModifiedVersion: returned.charmModifiedVersion!,
      highestModifiedVersion: nextModifiedVersion(application) - 1,
      older: { ...application.older, [application.charmUrl]: application.config },
      // A unit whose upgrade has failed takes the earlier charm at once.
      forceCharm: true,
      rollout: {
        kind: 'rollback',
        state: 'rolling',
        maxUnavailable,
        waitFor,
        batch: released.length > 0 ? 1 : 0,
        since: tx.now,
        ...defined({
          resources: rollout.resources && {
            names: rollout.resources.names,
            leaves: otherVersions(tx, application, returned.charmModifiedVersion),
          },
        }),
        before: leaves,
      },
    }),
  );
  if (application.life === 'alive') changePeers(tx, name, to.meta, { ends: false });
  return { settled: settleRequirements(tx, [name]) };
}

/** Present state of the application, for a later rollback. */
function revisionOf(tx: Tx, application: ApplicationDoc): Revision {
  const { name, charmUrl, charmModifiedVersion = 0, charmOrigin, config, endpointBindings } = application;
  const { trust, base, storage } = application;
  return {
    charmUrl,
    charmModifiedVersion,
    charmOrigin,
    config,
    endpointBindings,
    trust,
    base,
    ...defined({ storage }),
    resources: [...tx.find('resource', 'application', name)],
  };
}

function rolloutOf(tx: Tx, name: string): { application: ApplicationDoc; rollout: Rollout } {
  const application = mustGet(tx, 'application', name);
  const { rollout } = application;
  if (!rollout) throw new JujuError('not found', `application "${name}" has no rolling refresh`);
  return { application, rollout };
}

function putRollout(tx: Tx, application: ApplicationDoc, rollout: Rollout): void {
  tx.put('application', application.name, { ...application, rollout });
}

/** Requests a retry of the batch's failed hooks, also where the model retries no hooks. */
function retryHooks(tx: Tx, application: string): void {
  for (const unit of tx.find('unit', 'batch', application)) {
    const retried = withRetry(tx, unit);
    if (retried !== unit) tx.put('unit', unit.name, retried);
  }
}

/** Ends the current batch: its units that have not taken the charm are held again. */
function unmark(tx: Tx, application: string): void {
  for (const { released: _, takenAt: __, ...unit } of tx.find('unit', 'batch', application))
    tx.put('unit', unit.name, unit satisfies UnitDoc);
}

function plain(message: string): JujuError {
  return new JujuError('', message);
}
