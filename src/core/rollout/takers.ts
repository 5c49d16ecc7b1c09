/** Units that take the application's charm, and what keeps some of them from it, for `refresh --dry-run`. */
import type { ApplicationDoc } from '../application/document.ts';
import { defined } from '../defined.ts';
import type { Refs } from '../impediments.ts';
import { batchUnit } from './snapshot.ts';

interface Taker {
  readonly name: string;
  /** The charm that the unit runs. */
  readonly charmUrl: string;
  /** Why the unit does not take the charm by itself, as a phrase about the unit. */
  readonly waits?: string;
}

/**
 * Alive units that run another charm than the application's, and, when the version of the application's contents
 * changes, units that have not taken that version. `before`: the version before the change.
 */
export function takersOf(
  refs: Refs,
  application: ApplicationDoc,
  before: number | undefined,
  present: (machine: string) => boolean,
): Taker[] {
  const { name, charmUrl, charmModifiedVersion } = application;
  const isModified = before !== charmModifiedVersion;
  const takers: Taker[] = [];
  for (const unit of refs.find('unit', 'application', name)) {
    if (unit.life !== 'alive') continue;
    const isBehind = isModified && (unit.charmModifiedVersion ?? before) !== charmModifiedVersion;
    if (unit.charmUrl === charmUrl && !isBehind) continue;
    const { error, attributes } = batchUnit(unit, application, refs, present);
    const waits =
      unit.machine === undefined
        ? 'has no machine yet'
        : error?.blocksCharm
          ? `is in error: ${error.message}`
          : attributes['agent-status'] === 'lost'
            ? 'has an agent that is lost'
            : undefined;
    takers.push({ name: unit.name, charmUrl: unit.charmUrl, ...defined({ waits }) });
  }
  return takers;
}
