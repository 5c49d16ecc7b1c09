import { expect, test } from 'vitest';
import { charms } from '../../testing/bundle/plan-lines.ts';
import { applied, changeLines, emptyLive, lineOf, planFile } from '../../testing/model-file/world.ts';
import { changesOf } from './changes.ts';
import type { LiveModel } from './plan.ts';
import { planDocument } from './plan-document.ts';
import { stepsBefore } from './step-order.ts';

const shop = {
  settings: { 'update-status-hook-interval': '2m' },
  constraints: 'mem=1G',
  access: { bob: 'write' },
  'storage-pools': { fast: { provider: 'tmpfs', attributes: { size: '1' } } },
  secrets: { pw: { description: 'password', content: { key: { env: 'PW' } }, grants: ['blog'] } },
  applications: {
    db: {
      charm: './mysql',
      num_units: 2,
      options: { port: 1 },
      constraints: 'mem=2G',
      offers: { data: { endpoints: ['db'] } },
    },
    blog: { charm: './wordpress', num_units: 1, expose: true, after: { db: 'active' } },
  },
  relations: [['blog:db', 'db:db']],
};
type Shop = typeof shop;

const checksums = { pw: 'one' };
const made = (): LiveModel => applied(emptyLive, planFile(shop, emptyLive, { checksums }));
const withSums = (live: LiveModel): LiveModel => ({
  ...live,
  secrets: Object.fromEntries(
    Object.entries(live.secrets).map(([name, one]) => [name, { ...one, checksum: 'one' }]),
  ),
});

test('the plan for an empty model has everything, what others need first', () => {
  const plan = planFile(shop, emptyLive, { checksums });
  expect(changeLines(plan, emptyLive)).toEqual([
    'add setting update-status-hook-interval',
    'change model constraints constraints',
    'add storage-pool fast',
    'add access bob',
    'add secret pw',
    'add application db',
    'add application blog',
    'add offer data',
    'add relation blog:db db:db',
    'add unit blog/0',
    'add unit db/0',
    'add unit db/1',
  ]);
  expect(plan.waits).toEqual([
    {
      application: 'blog',
      missing: [{ endpoint: '', interface: '', applications: ['db'], health: 'active' }],
    },
  ]);
  expect(
    planDocument(plan, { live: emptyLive, model: 'admin/shop', file: 'shop', revision: 3 }).machines,
  ).toEqual([
    { for: 'blog/0', base: 'ubuntu@24.04', constraints: 'mem=1024M', waits: true },
    { for: 'db/0', base: 'ubuntu@24.04', constraints: 'mem=2048M', waits: false },
    { for: 'db/1', base: 'ubuntu@24.04', constraints: 'mem=2048M', waits: false },
  ]);
});

test('the plan for a model that is as the file says has no step', () => {
  const live = withSums(made());
  expect(planFile(shop, live, { checksums, prune: true })).toMatchObject({
    steps: [],
    unpruned: [],
    differences: [],
    refused: [],
    waits: [],
    machines: [],
  });
});

const edits: readonly [string, (file: Shop) => object, readonly string[]][] = [
  [
    'a setting',
    (f) => ({ ...f, settings: { 'update-status-hook-interval': '3m' } }),
    ['change setting update-status-hook-interval value'],
  ],
  [
    'another setting',
    (f) => ({ ...f, settings: { ...f.settings, 'automatically-retry-hooks': false } }),
    ['add setting automatically-retry-hooks'],
  ],
  [
    'the constraints of the model',
    (f) => ({ ...f, constraints: 'mem=4G' }),
    ['change model constraints constraints'],
  ],
  ['less access', (f) => ({ ...f, access: { bob: 'read' } }), ['change access bob access']],
  [
    'a pool',
    (f) => ({ ...f, 'storage-pools': { fast: { provider: 'tmpfs' } } }),
    ['change storage-pool fast attributes.size'],
  ],
  [
    'the description of a secret',
    (f) => ({ ...f, secrets: { pw: { ...f.secrets.pw, description: 'new' } } }),
    ['change secret pw description'],
  ],
  [
    'a right to read a secret',
    (f) => ({ ...f, secrets: { pw: { ...f.secrets.pw, grants: ['blog', 'db'] } } }),
    ['change secret pw grants.db'],
  ],
  ['more units', (f) => change(f, 'db', { num_units: 3 }), ['add unit db/2']],
  ['fewer units', (f) => change(f, 'db', { num_units: 0 }), ['remove unit db/0', 'remove unit db/1']],
  ['no number of units', (f) => change(f, 'db', { num_units: undefined }), []],
  ['an option', (f) => change(f, 'db', { options: { port: 2 } }), ['change application db options.port']],
  ['constraints', (f) => change(f, 'db', { constraints: 'mem=9G' }), ['change application db constraints']],
  ['another base', (f) => change(f, 'db', { base: 'ubuntu@22.04' }), ['change application db base']],
  [
    'sources of an exposed application',
    (f) =>
      change(f, 'blog', {
        expose: false,
        'exposed-endpoints': { '': { 'expose-to-cidrs': ['10.0.0.0/8'] } },
      }),
    ['change application blog exposed'],
  ],
  [
    'an offer',
    (f) => change(f, 'db', { offers: { data: { endpoints: ['db'], acl: { eve: 'read' } } } }),
    ['change offer data access.eve'],
  ],
  [
    'another application',
    (f) => ({ ...f, applications: { ...f.applications, site: { charm: './web', num_units: 1 } } }),
    ['add application site', 'add unit site/0'],
  ],
];

function change(file: Shop, application: keyof Shop['applications'], values: object): object {
  return {
    ...file,
    applications: { ...file.applications, [application]: { ...file.applications[application], ...values } },
  };
}

test.each(edits)('a file with %s has a plan of that change only', (_, edit, lines) => {
  const live = withSums(made());
  const edited = edit(shop);
  const plan = planFile(edited, live, { checksums });
  expect(changeLines(plan, live)).toEqual(lines);
  expect(plan.unpruned).toEqual([]);
  const after = withSums(applied(live, plan));
  expect(changeLines(planFile(edited, after, { checksums, prune: true }), after)).toEqual([]);
});

const removals: readonly [string, (file: Shop) => object, readonly string[]][] = [
  ['setting', (f) => ({ ...f, settings: {} }), ['remove setting update-status-hook-interval']],
  ['model constraints', (f) => ({ ...f, constraints: undefined }), ['change model constraints constraints']],
  ['access', (f) => ({ ...f, access: {} }), ['remove access bob']],
  ['pool', (f) => ({ ...f, 'storage-pools': {} }), ['remove storage-pool fast']],
  ['secret', (f) => ({ ...f, secrets: {} }), ['remove secret pw']],
  [
    'right to read a secret',
    (f) => ({ ...f, secrets: { pw: { ...f.secrets.pw, grants: [] } } }),
    ['change secret pw grants.blog'],
  ],
  ['option', (f) => change(f, 'db', { options: {} }), ['change application db options.port']],
  ['constraints', (f) => change(f, 'db', { constraints: undefined }), ['change application db constraints']],
  ['exposure', (f) => change(f, 'blog', { expose: false }), ['change application blog exposed']],
  ['offer', (f) => change(f, 'db', { offers: {} }), ['remove offer data']],
  ['relation', (f) => ({ ...f, relations: [] }), ['remove relation blog:db db:db']],
  [
    'application',
    (f) => ({ ...f, applications: { db: f.applications.db }, relations: [], secrets: {} }),
    ['remove relation blog:db db:db', 'remove application blog', 'remove secret pw'],
  ],
];

test.each(removals)(
  'a file without its %s removes that with prune, if the file made it',
  (_, edit, lines) => {
    const live = withSums(made());
    const edited = edit(shop);
    const unpruned = planFile(edited, live, { checksums });
    expect(changeLines(unpruned, live)).toEqual([]);
    expect(changesOf(unpruned.unpruned, live, unpruned).map(lineOf)).toEqual(lines);
    const pruned = planFile(edited, live, { checksums, prune: true });
    expect(changeLines(pruned, live)).toEqual(lines);
    const after = withSums(applied(live, pruned));
    expect(changeLines(planFile(edited, after, { checksums, prune: true }), after)).toEqual([]);
    const notOwned = { ...live, owned: new Set<string>() };
    expect(planFile(edited, notOwned, { checksums, prune: true }).steps).toEqual([]);
  },
);

test('a relation that goes makes room for one with the same endpoint', () => {
  const one = { mysql: { charm: './mysql' }, other: { charm: './mysql' }, blog: { charm: './wordpress' } };
  const file = (db: string): object => ({ applications: one, relations: [['blog:db', `${db}:db`]] });
  const live = applied(emptyLive, planFile(file('mysql'), emptyLive));
  expect(changeLines(planFile(file('other'), live, { prune: true }), live)).toEqual([
    'remove relation blog:db mysql:db',
    'add relation blog:db other:db',
  ]);
});

test('contents of secrets are compared by their checksums, and never in a plan', () => {
  const live = withSums(made());
  const plan = planFile(shop, live, { checksums: { pw: 'two' } });
  expect(changeLines(plan, live)).toEqual(['change secret pw content']);
  expect(JSON.stringify(plan)).not.toContain('two');
  expect(changeLines(planFile(shop, live, {}), live)).toEqual([]);
});

test('an application with a charm of another name is refused, and replaced when that is asked for', () => {
  const live = withSums(made());
  const file = change(shop, 'db', { charm: './web', num_units: 1, options: {}, offers: {} }) as Shop;
  const edited = { ...file, relations: [] };
  const differs = {
    ...charms,
    db: { ...charms['mysql']!, differs: true as const },
    blog: charms['wordpress']!,
  };
  const why = 'its charm is ./mysql, and ./web has another name';
  const plan = planFile(edited, live, { checksums, charms: differs });
  expect(plan.refused).toEqual([{ application: 'db', why }]);
  const replaced = planFile(edited, live, { checksums, prune: true, replaced: { db: why } });
  expect(replaced.refused).toEqual([]);
  expect(changesOf(replaced.steps, live, replaced).map(lineOf)).toEqual([
    'replace application db',
    'add unit db/2',
  ]);
  expect(changesOf(replaced.steps, live, replaced)[0]).toMatchObject({
    why,
    values: { charm: { to: './web' } },
  });
});

test('units that are being removed are not removed again', () => {
  const live = withSums(made());
  const [first, second] = live.bundle.units['db']!;
  const units = { ...live.bundle.units, db: [first!, { ...second!, dying: true as const }] };
  const dying = { ...live, bundle: { ...live.bundle, units } };
  expect(changeLines(planFile(change(shop, 'db', { num_units: 1 }), dying, { checksums }), dying)).toEqual(
    [],
  );
});

test('a unit that goes is not said to stay where it is', () => {
  const file = (units: number): object => ({
    applications: { db: { charm: './mysql', num_units: units, to: ['0'] } },
    machines: { '0': {} },
  });
  const live = applied(emptyLive, planFile(file(1), emptyLive));
  const [first] = live.bundle.units['db']!;
  const units = { db: [first!, { name: 'db/1', machine: '5' }] };
  const more = { ...live, bundle: { ...live.bundle, units } };
  const differences = (count: number): string[] =>
    planFile(file(count), more).differences.map(({ text }) => text);
  expect(differences(2)).toEqual([expect.stringContaining('db/1 stays on machine 5')]);
  expect(differences(1)).toEqual([]);
});

test('a unit that is being removed does not count: another is added, and none where the file leaves the number to others', () => {
  const live = withSums(made());
  const [first, second] = live.bundle.units['db']!;
  const units = { ...live.bundle.units, db: [{ ...first!, dying: true as const }, second!] };
  const dying = { ...live, bundle: { ...live.bundle, units } };
  const lines = (file: object): string[] => changeLines(planFile(file, dying, { checksums }), dying);
  expect(lines(shop)).toEqual(['add unit db/2']);
  expect(lines(change(shop, 'db', { num_units: 1 }))).toEqual([]);
  expect(lines(change(shop, 'db', { num_units: undefined }))).toEqual([]);
});

test('what a file set in an application of somebody else goes with prune once the file no longer names the application', () => {
  const live = withSums(made());
  const others = { ...live, owned: new Set([...live.owned].filter((key) => key !== 'application db')) };
  const { applications: all, relations: _, ...rest } = shop;
  const { db: __, ...applications } = all;
  const lines = changeLines(planFile({ ...rest, applications }, others, { checksums, prune: true }), others);
  expect(lines.filter((line) => / db\b/.test(line))).toContainEqual(
    expect.stringMatching(/^change application db/),
  );
  expect(lines).not.toContain('remove application db');
});

test('what a file set in things of others goes with prune once the file no longer names these', () => {
  const live = withSums(made());
  const db = live.bundle.state.applications['db']!;
  const offers = { data: { endpoints: ['db'], acl: { admin: 'admin', eve: 'read', carl: 'read' } as const } };
  const state = {
    ...live.bundle.state,
    applications: { ...live.bundle.state.applications, db: { ...db, offers } },
  };
  const machine = (annotations: Record<string, string>) =>
    ({ life: 'alive', base: { name: 'ubuntu', channel: '24.04/stable' }, annotations }) as const;
  const machines = {
    '7': machine({ rack: 'a', own: 'b' }),
    '8': machine({ rack: 'a' }),
    '9': machine({ rack: 'a' }),
  };
  const units = { ...live.bundle.units, other: [{ name: 'other/0', machine: '8' }] };
  const things = [
    'secret-description pw',
    'secret-grant pw blog',
    'offer-access data eve',
    'annotation machine 7 rack',
    'machine 8',
    'annotation machine 8 rack',
    'machine 9',
    'annotation machine 9 rack',
  ];
  const now = {
    ...live,
    bundle: { ...live.bundle, state, machines, units },
    owned: new Set(things),
  };
  const file = { applications: { blog: shop.applications.blog } };
  const lines = (owned: readonly string[]): string[] => {
    const there = { ...now, owned: new Set([...things, ...owned]) };
    return changeLines(planFile(file, there, { prune: true }), there);
  };
  // A unit of somebody else is on machine 8.
  const others = [
    'change secret pw description grants.blog',
    'change machine 7 annotations.rack',
    'change machine 8 annotations.rack',
    'change offer data access.eve',
    'remove machine 9',
  ];
  expect(lines([]).sort()).toEqual([...others].sort());
  const mine = others.filter((line) => !/ (?:pw|data) /.test(line));
  expect(lines(['secret pw', 'application db']).sort()).toEqual(
    [...mine, 'remove application db', 'remove secret pw'].sort(),
  );
});

test('an application whose gate the same plan takes away does not wait for it', () => {
  const live = withSums(made());
  const gate = { endpoint: '', interface: '', gate: { application: 'db', health: 'active' } };
  const blog = {
    subordinate: false,
    requirements: [gate],
    missing: [{ endpoint: '', interface: '', applications: ['db'], health: 'active' }],
  };
  const requirements = { ...live.bundle.requirements, blog } as LiveModel['bundle']['requirements'];
  const gated = { ...live, bundle: { ...live.bundle, requirements } };
  const waiting = (file: object, prune: boolean): string[] =>
    planFile(file, gated, { checksums, prune }).waits.map(({ application }) => application);
  const open = change(shop, 'blog', { after: undefined });
  expect(waiting(shop, true)).toEqual(['blog']);
  expect(waiting(open, false)).toEqual(['blog']);
  expect(waiting(open, true)).toEqual([]);
});

test('an application of the model waits for gates that the file gives it, unless they are open already', () => {
  const live = withSums(made());
  const after = (gates: object) => change(shop, 'db', { after: gates, num_units: 3 });
  const waiting = (file: object, now = live): unknown[] =>
    planFile(file, now, { checksums }).waits.map(({ application, missing }) => [
      application,
      missing.flatMap(({ applications, health }) => [...applications, health]),
    ]);
  // The gate of blog is open in this model.
  expect(waiting(shop)).toEqual([]);
  expect(waiting(change(shop, 'blog', { after: { db: 'active', late: 'active' } }))).toEqual([
    ['blog', ['late', 'active']],
  ]);
  const gated = after({ site: 'active' });
  expect(waiting(gated)).toEqual([
    ['blog', ['db', undefined]],
    ['db', ['site', 'active']],
  ]);
  const { machines } = planFile(gated, live, { checksums });
  expect(machines).toMatchObject([{ for: 'db/2', waits: true }]);
});

test('an application that waits for another health than before waits for the new one', () => {
  const live = withSums(made());
  const gate = { endpoint: '', interface: '', gate: { application: 'db', health: 'active' } };
  const requirements = {
    ...live.bundle.requirements,
    blog: {
      subordinate: false,
      requirements: [gate],
      missing: [{ endpoint: '', interface: '', applications: ['db'], health: 'active' }],
    },
  };
  const now = { ...live, bundle: { ...live.bundle, requirements } };
  const file = change(shop, 'blog', { after: { db: 'workload-message=="up"' } });
  expect(planFile(file, now, { checksums }).waits).toEqual([
    {
      application: 'blog',
      missing: [{ endpoint: '', interface: '', applications: ['db'], health: 'workload-message=="up"' }],
    },
  ]);
});

test('a machine goes, too, when its only unit is already being removed', () => {
  const machine = { life: 'alive', base: { name: 'ubuntu', channel: '24.04/stable' }, annotations: {} };
  const unit = { name: 'db/0', machine: '0' };
  const lines = (units: LiveModel['bundle']['units']): string[] => {
    const bundle = { ...emptyLive.bundle, machines: { '0': machine }, units } as LiveModel['bundle'];
    const live = { ...emptyLive, bundle, owned: new Set(['machine 0']) };
    return changeLines(planFile({ applications: {} }, live, { prune: true }), live);
  };
  expect(lines({ db: [unit] })).toEqual([]);
  expect(lines({ db: [{ ...unit, dying: true }] })).toEqual(['remove machine 0']);
});

test('a machine that a unit which waits is to be placed on is not removed', () => {
  const machines = {
    '0': { life: 'alive', base: { name: 'ubuntu', channel: '24.04/stable' }, annotations: {} },
  };
  const file = { applications: { db: { charm: './mysql', num_units: 1 } } };
  const made = applied(emptyLive, planFile(file, emptyLive));
  const removals = (at: object): string[] => {
    const { db } = made.bundle.state.applications;
    const state = { ...made.bundle.state, applications: { db: { ...db!, ...at } } };
    const bundle = {
      ...made.bundle,
      machines,
      units: { db: [{ name: 'db/0' }] },
      state,
    } as LiveModel['bundle'];
    const live = { ...made, bundle, owned: new Set(['machine 0']) };
    return changeLines(planFile(file, live, { prune: true }), live);
  };
  expect(removals({ to: [{ on: { kind: 'machine', machine: '0' } }] })).toEqual([]);
  expect(removals({ to: [] })).toEqual(['remove machine 0']);
});

test.each<[string, object]>([
  ['has none any more', {}],
  ['has an empty list', { after: {} }],
])('gates that turn round are given up before others are set, where the file %s', (_, more) => {
  const file = (blog: object, db: object): object => ({
    applications: { blog: { charm: './wordpress', ...blog }, db: { charm: './mysql', ...db } },
  });
  const live = applied(emptyLive, planFile(file(more, { after: { blog: 'active' } }), emptyLive));
  const { steps } = planFile(file({ after: { db: 'active' } }, more), live, { prune: true });
  expect(steps.map(({ kind, ...step }) => [kind, 'application' in step && step.application])).toEqual([
    ['reset-after', 'db'],
    ['set-after', 'blog'],
  ]);
  expect(stepsBefore(steps)).toEqual([[], [0]]);
});

test('gates are set for those first that others come to wait for', () => {
  const file = (blog: string, db: string): object => ({
    applications: {
      blog: { charm: './wordpress', after: { [blog]: 'active' } },
      db: { charm: './mysql', after: { [db]: 'active' } },
      web: { charm: './web' },
    },
  });
  const live = applied(emptyLive, planFile(file('web', 'blog'), emptyLive));
  const { steps } = planFile(file('db', 'web'), live, { prune: true });
  expect(steps).toMatchObject([
    { kind: 'set-after', application: 'db', after: { web: 'active' } },
    { kind: 'set-after', application: 'blog', after: { db: 'active' } },
  ]);
  expect(stepsBefore(steps)).toEqual([[], [0]]);
});
