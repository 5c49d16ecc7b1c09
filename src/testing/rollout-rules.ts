/** Invariants of rolling refreshes, stated apart from the product's rules. */
import type { ApplicationDoc } from '../core/application/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { Rollout } from '../core/rollout/rollout.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import type { Commit, Reader } from '../store/store.ts';

type View = Reader<Entities>;

/** Checks that only units of a roll-out are released, to its charm, and no more units than are allowed at a time. */
export function checkRollouts(view: View, must: (holds: unknown, text: () => string) => void): void {
  const released = new Map<string, number>();
  for (const { name, application, released: charm, takenAt } of view.list('unit')) {
    must(charm !== undefined || takenAt === undefined, () => `unit ${name} took a charm for no roll-out`);
    if (charm === undefined) continue;
    released.set(application, (released.get(application) ?? 0) + 1);
    const doc = view.get('application', application);
    if (doc?.life !== 'alive') continue;
    must(
      doc.rollout && doc.rollout.state !== 'aborted' && doc.charmUrl === charm,
      () => `unit ${name} is released to ${charm}, its application has ${doc.charmUrl}`,
    );
  }
  for (const [name, count] of released) {
    const most = view.get('application', name)?.rollout?.maxUnavailable ?? '';
    // Units may have gone since a share of them was released.
    if (most === '' || most.endsWith('%')) continue;
    must(count <= Number(most), () => `${count} units of ${name} are released at a time, ${most} may be`);
  }
}

/**
 * Yields sentences about wrong changes of one commit: units take only the charm that they are released to, and a batch
 * waits for the previous one.
 */
export function* wrongRolloutSteps(
  { changes, at }: Pick<Commit<Entities>, 'changes' | 'at'>,
  view: View,
): Iterable<string> {
  const batches = new Set<string>();
  for (const { kind, id, before, after, space } of changes) {
    if (kind !== 'application' || space !== view.space) continue;
    const [was, is] = [before, after].map((doc) => (doc as ApplicationDoc | undefined)?.rollout);
    if (was?.state === 'rolling' && is?.state === 'stopped') yield* wronglyStopped(is, view);
    if (was?.state === 'rolling' && !is) yield* wronglyEnded(before as ApplicationDoc, was, view);
    if (was && is && is.kind === was.kind && is.batch > was.batch && was.batch > 0) batches.add(id);
  }
  for (const { kind, before, after, space } of changes) {
    if (kind !== 'unit' || space !== view.space || !before || !after) continue;
    const [was, is] = [before, after] as [UnitDoc, UnitDoc];
    const application = view.get('application', is.application);
    if (application?.rollout && was.charmUrl !== is.charmUrl && is.released !== is.charmUrl)
      yield `unit ${is.name} takes ${is.charmUrl} in a roll-out that has not released it`;
    const version = application?.charmModifiedVersion ?? 0;
    const isModified =
      is.charmModifiedVersion === version && is.charmModifiedVersion !== was.charmModifiedVersion;
    if (
      application?.rollout?.resources &&
      was.charmModifiedVersion !== undefined &&
      isModified &&
      !is.released
    )
      yield `unit ${is.name} takes resources of version ${version} in a roll-out that has not released it`;
    const hasTaken = was.charmUrl !== is.charmUrl || isModified;
    if (hasTaken && was.released !== undefined && is.released !== undefined && is.takenAt !== at)
      yield `unit ${is.name} took ${is.charmUrl} at ${at}, and says ${is.takenAt}`;
    if (!batches.has(is.application) || was.released === undefined || is.released !== undefined) continue;
    if (is.life !== 'alive') continue;
    const status = (what: string): string | undefined => view.get('status', `${what}:${is.name}`)?.status;
    const states = [status('unit-agent'), status('workload')];
    const isBehind = application?.rollout?.resources && is.charmModifiedVersion !== version;
    if (is.charmUrl !== application?.charmUrl || isBehind || states.join() !== 'idle,active')
      yield `the next batch of ${is.application} did not wait for unit ${is.name}, which has ${is.charmUrl} and is ${states.join(', ')}`;
  }
}

/** Yields a sentence for a roll-out that stops for what happened before its unit took the new charm. */
function* wronglyStopped({ problem, since }: Rollout, view: View): Iterable<string> {
  const unit = view.get('unit', problem?.unit ?? '');
  const status = unit && view.get('status', `unit-agent:${unit.name}`);
  if (unit?.takenAt !== undefined && status && status.since > since && status.since <= unit.takenAt)
    yield `a roll-out stopped for an error of ${unit.name} at ${status.since}, which took ${unit.charmUrl} later`;
}

/** Yields a sentence for a roll-out that has ended before each unit had its charm and resources. */
function* wronglyEnded(before: ApplicationDoc, { resources }: Rollout, view: View): Iterable<string> {
  const { name, charmUrl, charmModifiedVersion = 0 } = before;
  if (view.get('application', name)?.life !== 'alive') return;
  for (const unit of view.find('unit', 'application', name)) {
    if (unit.life !== 'alive' || unit.machine === undefined) continue;
    const hasContents = !resources || unit.charmModifiedVersion === charmModifiedVersion;
    if (unit.charmUrl !== charmUrl || !hasContents)
      yield `the roll-out of ${name} ended before unit ${unit.name} had ${charmUrl}, version ${charmModifiedVersion}`;
  }
}
