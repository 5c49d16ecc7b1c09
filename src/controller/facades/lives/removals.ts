import { nameOf } from '../../../core/explain/explanation.ts';
import { pendingRemovals } from '../../../core/explain/pending-removals.ts';
import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { explainViewOf } from '../shared/explain-view.ts';

/** Maximum number of listed removals: nobody reads a longer list. */
const listedMax = 1000;

export function removals(call: Call): ResultOf<typeof spec, 'Removals'> {
  const view = explainViewOf(call);
  const { removals: found, total } = pendingRemovals(view, listedMax);
  return {
    now: view.now,
    removals: found.map(({ entity, waitsFor, ...rest }) => ({
      ...entity,
      name: nameOf(entity, view),
      ...rest,
      'waits-for': waitsFor,
    })),
    total,
  };
}
