/** Which units take the application's charm, and what keeps some of them from it, for `refresh --dry-run`. */
import type { ApplicationDoc } from '../application/document.ts';
import { defined } from '../defined.ts';
import type { Refs } from '../impediments.ts';
import { charmOfUnits } from '../unit/document.ts';
import { batchUnit } from './snapshot.ts';

export interface Taker {
  readonly name: string;
  /** The charm that it runs. */
  readonly charmUrl: string;
  /** Why it does not take the charm by itself, as a phrase about the unit. */
  readonly waits?: string;
}

/** Alive units that run another charm than the application's, the oldest of each charm first. */
export function takersOf(
  refs: Refs,
  { name, older = {}, forceCharm }: Pick<ApplicationDoc, 'name' | 'older' | 'forceCharm'>,
  present: (machine: string) => boolean,
): Taker[] {
  return Object.keys(older).flatMap((charmUrl) =>
    [...refs.find('unit', 'charm', charmOfUnits(name, charmUrl))]
      .filter(({ life }) => life === 'alive')
      .map((unit): Taker => {
        const { error, attributes } = batchUnit(unit, refs, present);
        const waits =
          unit.machine === undefined
            ? 'has no machine yet'
            : error && !forceCharm && error.hook !== 'install'
              ? `is in error: ${error.message}`
              : attributes['agent-status'] === 'lost'
                ? 'has an agent that is lost'
                : undefined;
        return { name: unit.name, charmUrl, ...defined({ waits }) };
      }),
  );
}
