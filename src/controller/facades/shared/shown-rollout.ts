import type { ApplicationDoc } from '../../../core/application/document.ts';
import { planRollout } from '../../../core/rollout/plan-rollout.ts';
import { rolloutSnapshot } from '../../../core/rollout/snapshot.ts';
import { rolloutWords } from '../../../core/rollout/words.ts';
import { charmOfUnits, modifiedUnits } from '../../../core/unit/document.ts';
import type { ShownRollout } from '../../../wire/facades/rollout.ts';
import type { View } from '../../transactions/tx.ts';

const unitsMax = 20;

/** The application's roll-out as members of a result; empty when there is none. */
export function shownRollout(
  view: View,
  application: ApplicationDoc,
  present: (machine: string) => boolean,
): { rollout?: ShownRollout } {
  const { name, charmUrl, rollout } = application;
  if (!rollout) return {};
  const { kind, state, batch, maxUnavailable, waitFor, before, since } = rollout;
  const snapshot = rolloutSnapshot(view, { ...application, rollout }, present);
  return {
    rollout: {
      kind,
      state,
      from: before.charmUrl,
      to: charmUrl,
      ...(rollout.resources && { resources: [...rollout.resources.names] }),
      batch,
      units: snapshot.batch.slice(0, unitsMax).map((unit) => unit.name),
      upgraded: rollout.resources
        ? view.count('unit', 'modified', modifiedUnits(name, application.charmModifiedVersion ?? 0))
        : view.count('unit', 'charm', charmOfUnits(name, charmUrl)),
      total: view.count('unit', 'application', name),
      'max-unavailable': maxUnavailable,
      'wait-for': waitFor,
      message: rolloutWords(snapshot, planRollout(snapshot)),
      since,
    },
  };
}
