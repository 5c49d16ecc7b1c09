/** Bugs about units that wait for requirements of their applications. */
import {
  beside,
  chain,
  circle,
  killedBeforePlacing,
  modelChangesItsMind,
  waitingOrphan,
} from './mutant-scripts.ts';
import type { Mutant } from './mutant.ts';

export const mutantsOfRequirements: readonly Mutant[] = [
  {
    name: 'units of an application that waits get machines',
    file: 'controller/transactions/begin/add-units.ts',
    find: `if (!application.pending) return placeUnits(`,
    replace: `return placeUnits(`,
  },
  {
    name: 'a subordinate is placed though it waits for another relation',
    file: 'controller/transactions/agent/enter-scope.ts',
    find: `application.pending || principal.machine === undefined`,
    replace: `principal.machine === undefined`,
    steps: beside,
  },
  {
    name: 'applications that require one that waits now are not settled',
    file: 'core/requirements/settle.ts',
    find: `for (const { application } of needs) queue.push(application);`,
    replace: `void needs;`,
    steps: chain,
  },
  {
    name: 'applications that require one that is deployable now are not settled',
    file: 'core/requirements/settle.ts',
    find: `          queue.push(need.application);`,
    replace: ``,
    steps: chain,
  },
  {
    name: 'applications that require each other wait forever',
    file: 'core/requirements/settle.ts',
    find: `if (unsure.size === 0) return;`,
    replace: `return;`,
    steps: circle,
  },
  {
    name: 'a change of require-endpoints in the model is not settled',
    file: 'controller/transactions/set/set-model-config.ts',
    find: `isSame ? [] :`,
    replace: `true ? [] :`,
    steps: modelChangesItsMind,
  },
  {
    name: 'units that were to be placed when the controller was killed are forgotten',
    file: 'controller/workers/unit-placer.ts',
    find: `new DirtyIds(() => [...view.list('application')].map(({ name }) => name))`,
    replace: `new DirtyIds(() => [])`,
    steps: killedBeforePlacing,
  },
  {
    name: 'a subordinate that waits stays when nothing holds it',
    file: 'controller/workers/cleaner.ts',
    find: `orphansOf(view, name).map(`,
    replace: `orphansOf(view, name).filter(({ unplaced }) => !unplaced).map(`,
    steps: waitingOrphan,
  },
];
