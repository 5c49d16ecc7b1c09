/** Bugs about applications that come after others. */
import type { Mutant } from './mutant.ts';
import type { Step } from './script.ts';

const alice = { by: 'alice', model: 0 } as const;
const gated: Step = {
  atMs: 0,
  ...alice,
  do: 'deploy',
  application: 'web',
  units: 1,
  after: { db: 'active' },
};
const db = (atMs: number, units: number): Step => ({
  atMs,
  ...alice,
  do: 'deploy',
  application: 'db',
  units,
});

/** Script in which units of the application that is waited for become healthy one after the other. */
const oneByOne: readonly Step[] = [
  gated,
  db(2_000, 2),
  { atMs: 1_000, trouble: 'boot-slow', rate: 0.5, forMs: 60_000 },
];
/** Script in which the controller is killed while the gate is closed. */
const killed: readonly Step[] = [
  gated,
  db(40_000, 1),
  { atMs: 39_900, trouble: 'crash-after-durable', rate: 1, forMs: 300 },
];

export const mutantsOfGates: readonly Mutant[] = [
  {
    name: 'a gate opens when the first unit is healthy',
    file: 'controller/workers/gate-keeper.ts',
    find: `if (healthy.size === 0 || unhealthy.size > 0) continue;`,
    replace: `if (healthy.size === 0) continue;`,
    steps: oneByOne,
  },
  {
    name: 'a gate opens on an application that has no units',
    file: 'controller/workers/gate-keeper.ts',
    find: `if (healthy.size === 0 || unhealthy.size > 0) continue;`,
    replace: `if (unhealthy.size > 0) continue;`,
  },
  {
    name: 'gates that were closed when the controller was killed are forgotten',
    file: 'controller/workers/gate-keeper.ts',
    find: `[...view.find('application', 'pending', 'pending')].map(({ name }) => name),`,
    replace: `[],`,
    steps: killed,
  },
  {
    name: 'reports of units do not open gates',
    file: 'controller/workers/gate-keeper.ts',
    find: `if (kind === 'unit-agent' || kind === 'workload') this.#unitChanged(entity);`,
    replace: `void entity;`,
    steps: oneByOne,
  },
  {
    name: 'an application whose gate is closed is deployed',
    file: 'controller/transactions/shared/requirements.ts',
    find: `[...requirements(application, charm.meta), ...gateRequirements(application.after)]`,
    replace: `requirements(application, charm.meta)`,
  },
];
