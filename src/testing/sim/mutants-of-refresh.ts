/** Bugs in refreshes of charms. */
import type { Command, Step } from './script.ts';
import type { Mutant } from './mutant.ts';

const by = { by: 'alice', model: 0 } as const;
const step = (atMs: number, command: Command): Step => ({ atMs, ...by, ...command });
const refresh = (peer: boolean): Command => ({ do: 'refresh', application: 'db', forceUnits: false, peer });
const fail = (value: string): Command => ({ do: 'config', application: 'db', option: 'fail', value });

/** A unit whose hook has failed is left behind by its application. */
const leftBehind: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 2 }),
  step(90_000, fail('config-changed')),
  step(120_000, refresh(false)),
  step(150_000, refresh(true)),
];
/** Refreshes, one after the other. */
const repeated: readonly Step[] = [
  step(0, { do: 'deploy', application: 'db', units: 2 }),
  ...[90_000, 150_000, 210_000].map((atMs, n) => step(atMs, refresh(n % 2 === 0))),
];

export const mutantsOfRefresh: readonly Mutant[] = [
  {
    name: 'units see the options of a charm that they do not run yet',
    file: 'agent/unit/remote-view.ts',
    find: `return older && Object.hasOwn(older, charmUrl) ? (older[charmUrl] ?? application) : application;`,
    replace: `return application;`,
    steps: leftBehind,
  },
  {
    name: 'a charm goes while units still run it',
    file: 'controller/transactions/end/forget-older-charm.ts',
    find: `([url]) => url !== charmUrl && tx.count('unit', 'charm', charmOfUnits(name, url)) > 0,`,
    replace: `([url]) => url === '',`,
    steps: leftBehind,
  },
  {
    name: 'config-changed does not follow upgrade-charm',
    file: 'core/unit/advance.ts',
    find: `return queueHook(finished, { kind: 'config-changed' });`,
    replace: `return finished;`,
    steps: repeated,
    hours: 0.1,
  },
];
