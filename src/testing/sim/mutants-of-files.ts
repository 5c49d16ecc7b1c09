/** Bugs in applies of model files and in reverts. */
import type { SimApplication, SimFile } from '../file-rules.ts';
import { guest } from './access.ts';
import type { FileCommand } from './file-commands.ts';
import type { Mutant } from './mutant.ts';
import type { Command, Step } from './script.ts';

const db: SimApplication = { charm: '/db-1000', num_units: 1 };
const web: SimApplication = { charm: '/web-1000', num_units: 1 };
const apply = (
  atMs: number,
  file: Omit<SimFile, 'name' | 'default-base'>,
  how: Partial<Extract<FileCommand, { do: 'apply' }>> & { readonly by?: 'alice' | 'bob' } = {},
): Step => {
  const { by = 'alice', ...rest } = how;
  const name = by === 'alice' ? 'alpha' : 'beta';
  const command = { do: 'apply', prune: true, parallel: 1, ...rest } as const;
  return { atMs, by, model: 0, ...command, file: { name, 'default-base': 'ubuntu@24.04', ...file } };
};
const byHand = (atMs: number, command: Command): Step => ({ atMs, by: guest, model: 0, ...command });
const mayChange: Step = { atMs: 0, by: 'bob', model: 0, do: 'grant', access: 'admin' };

/** Script in which a file that names two applications comes upon what somebody else has made for these. */
const besideOthers: readonly Step[] = [
  mayChange,
  byHand(2_000, { do: 'deploy', application: 'db', units: 1 }),
  apply(15_000, { applications: { db: { ...db, options: { n: 7 }, charm: '/db-1001' }, web } }),
  byHand(40_000, { do: 'integrate', ends: ['web:db', 'db:server'] }),
  apply(60_000, { applications: { web } }),
];

/** Script in which an apply's client is killed, and somebody applies another file soon after. */
const killed: readonly Step[] = [20, 60, 120, 200, 300].flatMap((killMs, n) => [
  apply(2_000 + n * 20_000, { applications: { db: { ...db, options: { n } }, web } }, { killMs }),
  apply(
    12_000 + n * 20_000,
    { applications: { cache: { charm: '/cache-1000', num_units: n % 2 } } },
    { by: 'bob' },
  ),
]);

/** Script in which writes fail while steps are carried out. */
const failing: readonly Step[] = [
  { atMs: 1_000, trouble: 'disk-error', rate: 0.1, forMs: 200_000 },
  ...Array.from({ length: 10 }, (_, n) =>
    apply(2_000 + n * 15_000, {
      applications: { db: { ...db, options: { n } }, web: { ...web, options: { n }, expose: n % 2 === 0 } },
      relations: n % 2 === 0 ? [['web:db', 'db:server']] : [],
    }),
  ),
];

/** Script in which the application that a gate waits for comes with the same file. */
const gated: readonly Step[] = [
  apply(2_000, { applications: { db, web: { ...web, after: { db: 'active' } } } }),
];

/** Script in which a unit goes by hand, and a file then asks for as many as there were. */
const unitGoes: readonly Step[] = [
  mayChange,
  apply(2_000, { applications: { db: { ...db, num_units: 2 } } }),
  byHand(90_000, { do: 'config', application: 'db', option: 'slow', value: '20' }),
  byHand(150_000, { do: 'remove-unit', application: 'db', pick: 0, fresh: false }),
  apply(160_000, { applications: { db: { ...db, num_units: 2 } } }),
];

/** Script in which the model is changed again and again while files are planned. */
const changing: readonly Step[] = [
  mayChange,
  byHand(1_000, { do: 'deploy', application: 'cache', units: 1 }),
  ...Array.from({ length: 200 }, (_, n) =>
    byHand(10_000 + n * 150, { do: 'config', application: 'cache', option: 'n', value: String(n) }),
  ),
  ...Array.from({ length: 6 }, (_, n) =>
    apply(11_000 + n * 4_000, { applications: { db: { ...db, options: { n } } } }),
  ),
];

export const mutantsOfFiles: readonly Mutant[] = [
  {
    name: 'prune takes relations that somebody else has made',
    file: 'core/model-file/plan-removals.ts',
    find: `    .filter((ends) => owns(owned, 'relation', relationName(ends)))\n`,
    replace: ``,
    steps: [...besideOthers.slice(0, -1), apply(60_000, { applications: { db, web } })],
  },
  {
    name: 'an application that a file has changed is taken for one that it made',
    file: 'core/model-file/ownership.ts',
    find: `const madeBy = before ? (before as Made).madeBy : makerOf(change, applier);`,
    replace: `const madeBy = makerOf(change, applier);`,
    steps: besideOthers,
  },
  {
    name: 'what a file set in the application of somebody else stays there for ever',
    file: 'core/model-file/plan-resets.ts',
    find: ` || !owns(live.owned, 'application', name)`,
    replace: ``,
    steps: besideOthers,
  },
  {
    name: 'an application of a file is deployed before its gate is set',
    file: 'core/bundle/plan-bundle.ts',
    find: `      after: bundleApplication.after,\n`,
    replace: ``,
    steps: gated,
  },
  {
    name: 'a model is held for ever by a client that was killed',
    file: 'controller/server/connection-resources.ts',
    find: `this.applier.close();`,
    replace: ``,
    steps: killed,
  },
  {
    name: 'an apply whose step has failed says that it did all',
    file: 'operate/model-file/apply-model.ts',
    find: `if (failures.length > 0)`,
    replace: `if (failures.length > 1)`,
    steps: failing,
  },
  {
    name: 'a plan is carried out although the model was changed meanwhile',
    file: 'controller/facades/model-files/refuse-changed.ts',
    find: `throw staleness(revision, commit);`,
    replace: `break;`,
    steps: changing,
  },
  {
    name: 'a unit that is being removed counts as one that the file asks for',
    file: 'core/bundle/bundle-model.ts',
    find: `all.filter(({ dying }) => !dying)`,
    replace: `all`,
    steps: unitGoes,
  },
];
