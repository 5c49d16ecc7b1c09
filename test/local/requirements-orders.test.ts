/**
 * Deployments of a blog, its database, and the logs of both at a logging master, deployed in each of the 24 orders (or
 * in 8 of them, as a part): all orders end in the same state, which is the state without requirements, and nothing is
 * deployed before what it requires exists.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawPart, partOf, sayPart } from '../part.ts';
import { root, startWorld, type World } from '../world.ts';

const applications = ['wordpress', 'mysql', 'logging', 'rsyslog'] as const;
type Application = (typeof applications)[number];
const relations: readonly (readonly [Application, Application])[] = [
  ['wordpress', 'mysql'],
  ['logging', 'wordpress'],
  ['logging', 'mysql'],
  ['logging', 'rsyslog'],
];
/** Conditions for placing a unit: each entry is one relation, whose other end must have all its own requirements. */
const requirements: Readonly<Partial<Record<Application, readonly Readonly<Record<string, Application>>[]>>> =
  {
    wordpress: [{ 'wordpress:db mysql:db': 'mysql' }],
    logging: [
      {
        'logging:logging-directory wordpress:logging-dir': 'wordpress',
        'logging:logging-directory mysql:logging-dir': 'mysql',
      },
      { 'logging:logging-master rsyslog:syslog': 'rsyslog' },
    ],
  };
const patienceMs = 240_000;
/** Number of models at a time: machines wait for the disk as much as for a core. */
const atOnce = 4;

let world: World;

beforeAll(async () => {
  world = await startWorld('orders', { patienceMs });
});
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
});

interface Order {
  readonly model: string;
  readonly flags: readonly string[];
  readonly deploys: readonly Application[];
  /** Whether relations are made last, in reverse order, and not as soon as both ends exist. */
  readonly late: boolean;
}
const orders: readonly Order[] = permutations(applications).flatMap((deploys, n): Order[] => [
  { model: `order-${n}`, flags: [], deploys, late: n % 3 === 0 },
  // Requirements are off, as in Juju: nothing waits, in whatever order the commands come.
  ...(n % 12 === 4
    ? [{ model: `none-${n}`, flags: ['--config', 'require-endpoints=none'], deploys, late: true }]
    : []),
]);

const part = partOf();
const drawn = drawPart(part, orders, { count: 8, nameOf: ({ model }) => model });
if (part !== undefined) console.log(sayPart(part, drawn, orders, 'orders'));

test(
  'all orders of deploying four applications end in the same state',
  async () => {
    expect(orders.filter(({ flags }) => flags.length === 0)).toHaveLength(24);
    const ends = new Map<string, unknown>();
    const left = [...drawn];
    const work = async (): Promise<void> => {
      for (let order = left.shift(); order; order = left.shift())
        ends.set(order.model, await carryOut(order));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const [first] = ends.values();
    for (const [model, end] of ends) expect(end, model).toEqual(first);
    expect(first).toMatchObject({
      wordpress: { status: 'active', units: { 'wordpress/0': { machine: 'its own' } } },
      mysql: { status: 'active', units: { 'mysql/0': { machine: 'its own' } } },
      logging: {
        status: 'active',
        units: { 'logging of mysql/0': { status: 'active' }, 'logging of wordpress/0': { status: 'active' } },
      },
      rsyslog: { status: 'active' },
    });
  },
  20 * 60_000,
);

/** Carries out an order. Returns the model's final state, after checking that it works. */
async function carryOut({ model, flags, deploys, late }: Order): Promise<unknown> {
  await world.addModel(model, ...flags);
  const messages: string[] = [];
  const say = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await world.run(args, { model });
    expect(code, `${model}: ${args.join(' ')}: ${stderr}`).toBe(0);
    messages.push(stderr);
  };
  const deployed = new Set<Application>();
  const asked = new Set<string>();
  for (const name of deploys) {
    await say('deploy', join(root, 'examples', name));
    deployed.add(name);
    if (late) continue;
    for (const [one, other] of relations)
      if (deployed.has(one) && deployed.has(other) && !asked.has(`${one} ${other}`)) {
        asked.add(`${one} ${other}`);
        await say('integrate', one, other);
      }
  }
  if (late) for (const [one, other] of relations.toReversed()) await say('integrate', one, other);
  await say('expose', 'wordpress');

  const end = await settled(model);
  const page = await show(model);
  expect(page, model).toMatch(
    /<article>Welcome to A blog<\/article>[^]*visitor number 1, served by wordpress\/0/,
  );
  await logged(model, [
    / wordpress\/0 - access\.log - .* "GET \/ /,
    / mysql\/0 - queries\.log - .* INSERT INTO visits/,
  ]);

  if (flags.length === 0) {
    expect(await tooEarly(model), model).toEqual([]);
    const met = messages
      .flatMap((text) => [...text.matchAll(/^(.*): requirements met, now deployed$/gm)])
      .flatMap(([, names = '']) => names.split(/, | and /));
    expect(met.toSorted(), model).toEqual(['logging', 'wordpress']);
  } else expect(messages.join('')).not.toContain('wordpress waits');
  await say('destroy-model', model, '--no-prompt', '--destroy-storage', '--timeout', '200s');
  return end;
}

interface Status {
  readonly machines: Readonly<Record<string, object>>;
  readonly applications: Readonly<Record<string, ApplicationStatus>>;
}
interface ApplicationStatus {
  readonly 'application-status': { readonly current: string };
  readonly relations?: Readonly<Record<string, readonly object[]>>;
  readonly 'subordinate-to'?: readonly string[];
  readonly units?: Readonly<Record<string, UnitStatus>>;
}
interface UnitStatus {
  readonly machine?: string;
  readonly leader?: boolean;
  readonly 'public-address'?: string;
  readonly 'workload-status': { readonly current: string; readonly message?: string };
  readonly 'juju-status': { readonly current: string };
  readonly 'open-ports'?: readonly string[];
  readonly subordinates?: Readonly<Record<string, UnitStatus>>;
}

async function statusOf(model: string): Promise<Status> {
  return (await world.status(model)) as unknown as Status;
}

/** Returns the status of the model once every unit is active and idle, without values that depend on chance. */
async function settled(model: string): Promise<unknown> {
  let status = await statusOf(model);
  const units = (): UnitStatus[] =>
    Object.values(status.applications)
      .flatMap((one) => Object.values(one.units ?? {}))
      .flatMap((unit) => [unit, ...Object.values(unit.subordinates ?? {})]);
  const isSettled = (): boolean =>
    units().length === 5 &&
    units().every(
      (unit) => unit['workload-status'].current === 'active' && unit['juju-status'].current === 'idle',
    );
  for (const end = Date.now() + patienceMs; !isSettled(); status = await statusOf(model)) {
    if (Date.now() > end) throw new Error(`${model} does not settle: ${JSON.stringify(status, null, 1)}`);
    await sleep(500);
  }
  expect(Object.keys(status.machines), model).toHaveLength(3);
  return plain(status.applications);
}

/** Removes numbers of machines and subordinates, addresses and times, which depend on the order. */
function plain(all: Status['applications']): unknown {
  const subordinates = Object.values(all)
    .flatMap((one) => Object.entries(one.units ?? {}))
    .flatMap(([principal, unit]) =>
      Object.entries(unit.subordinates ?? {}).map(([name, one]) => ({ principal, name, one })),
    );
  return Object.fromEntries(
    Object.entries(all).map(([name, application]) => {
      const { units = {}, relations: ends = {}, ...rest } = application;
      const own = Object.entries(units).map(([unit, one]) => [unit, plainUnit(one, 'its own')]);
      const beside = subordinates
        .filter((one) => one.name.startsWith(`${name}/`))
        .map(({ principal, one }) => [`${name} of ${principal}`, plainUnit(one, principal)]);
      return [
        name,
        {
          ...withoutChance(rest),
          status: rest['application-status'].current,
          relations: Object.fromEntries(
            Object.entries(ends).map(([endpoint, others]) => [
              endpoint,
              others.map((other) => JSON.stringify(other)).toSorted(),
            ]),
          ),
          units: Object.fromEntries([...own, ...beside]) as unknown,
        },
      ];
    }),
  );
}

function plainUnit(unit: UnitStatus, machine: string): unknown {
  return {
    machine,
    status: unit['workload-status'].current,
    message: unit['workload-status'].message ?? '',
    ports: unit['open-ports'] ?? [],
    keys: Object.keys(withoutChance(unit)).toSorted(),
  };
}

/** Removes the application's own status, which may be that of any of its units. */
function withoutChance<T extends object>(one: T): Partial<T> {
  const chance = new Set(['application-status', 'leader', 'machine', 'subordinates']);
  return Object.fromEntries(Object.entries(one).filter(([key]) => !chance.has(key))) as Partial<T>;
}

/** Fetches the blog's page from outside. */
async function show(model: string): Promise<string> {
  const { applications: all } = await statusOf(model);
  const address = all['wordpress']!.units!['wordpress/0']!['public-address']!;
  let failure: unknown;
  for (let tries = 0; tries < 40; tries++) {
    try {
      const answer = await fetch(`http://${address}:8080/`, { signal: AbortSignal.timeout(5000) });
      return await answer.text();
    } catch (error) {
      failure = error;
      await sleep(250);
    }
  }
  throw new Error(`${model}: nobody serves the blog`, { cause: failure });
}

/** Waits until the logging master has a line of each kind. */
async function logged(model: string, lines: readonly RegExp[]): Promise<void> {
  let text = '';
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(1000)) {
    const file = '/var/lib/juju/agents/unit-rsyslog-0/charm/var/messages';
    text = (await world.run(['ssh', 'rsyslog/0', `cat ${file}`], { model })).stdout;
    if (lines.every((line) => line.test(text))) return;
  }
  throw new Error(`${model}: the logging master has only\n${text}`);
}

interface Commit {
  readonly changes: readonly { readonly entity: string; readonly change: string }[];
}

/** Returns the units that got a machine before a requirement was met, by the model's history. */
async function tooEarly(model: string): Promise<string[]> {
  const { stdout } = await world.run(['history', '-n', '0', '--format', 'json'], { model });
  const made = new Set<string>();
  const placed: string[] = [];
  const early: string[] = [];
  const isMet = (name: Application): boolean =>
    (requirements[name] ?? []).every((needed) =>
      Object.entries(needed).some(([key, other]) => made.has(key) && isMet(other)),
    );
  for (const { changes } of JSON.parse(stdout) as Commit[])
    for (const { entity, change } of changes) {
      const relation = /^relation \d+ \((.*)\)$/.exec(entity)?.[1];
      if (relation !== undefined && change === 'created') made.add(relation);
      const unit = applications.find((name) => entity.startsWith(`unit ${name}/`));
      if (unit === undefined || !/^(created|placed)( .*)? on machine /.test(change)) continue;
      placed.push(unit);
      if (!isMet(unit)) early.push(entity);
    }
  expect(placed.toSorted(), model).toEqual(['logging', 'logging', 'mysql', 'rsyslog', 'wordpress']);
  return early;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, n) => permutations(items.toSpliced(n, 1)).map((rest) => [item, ...rest]));
}
