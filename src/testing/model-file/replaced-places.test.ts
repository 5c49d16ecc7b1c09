/** Property of replacements: the machines that the plan would remove and ask for are those that then go and come. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { toYaml } from '../../kit/yaml/write.ts';
import type { PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { testController, type TestController } from '../controller.ts';
import fc from '../fast-check.ts';
import { isThorough } from '../thorough.ts';
import { fileClient, FileFolder, type FileClient } from './client.ts';

let controller: TestController;
const folder = new FileFolder();
beforeAll(async () => {
  folder.charm('kv', '');
  folder.charm('web', '');
  controller = await testController();
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

let models = 0;

/** An application's units and their places. */
interface Placed {
  readonly num_units: number;
  readonly to: readonly string[];
}
type Applications = Readonly<Record<string, Placed>>;

const places = ['0', '1', 'lxd:0', 'lxd', 'new'];
const onA = ['a', 'a/0', 'lxd:a', 'lxd:a/0'];
const onB = ['b', 'b/0', 'lxd:b', 'lxd:b/0'];
const placed = (...on: string[]): fc.Arbitrary<Placed> =>
  fc
    .record({
      num_units: fc.integer({ min: 1, max: 3 }),
      to: fc.array(fc.constantFrom(...on), { maxLength: 3 }),
    })
    .map(({ num_units: units, to }) => ({ num_units: units, to: to.slice(0, units) }));
const applications: fc.Arbitrary<Applications> = fc.record({
  a: placed(...places),
  b: placed(...places, ...onA),
  c: placed(...places, ...onA, ...onB),
});

/** A file with the applications; those of `others` run another charm. */
function fileOf(all: Applications, others: readonly string[] = []): string {
  const machines = ['0', '1'].filter((id) =>
    Object.values(all).some(({ to }) => to.some((place) => place.replace('lxd:', '') === id)),
  );
  return toYaml({
    name: 'shop',
    machines: Object.fromEntries(machines.map((id) => [id, {}])),
    applications: Object.fromEntries(
      Object.entries(all).map(([name, one]) => [
        name,
        { charm: others.includes(name) ? './web' : './kv', ...one },
      ]),
    ),
  });
}

interface Places {
  /** Those that are not being removed, and containers. */
  readonly machines: readonly string[];
  readonly units: readonly string[];
}

async function placesOf({ session }: FileClient): Promise<Places> {
  const { machines, applications: all } = await call(session.connection, 'Client', 'FullStatus', {
    patterns: [],
  });
  const alive = (of: typeof machines): string[] =>
    Object.entries(of).flatMap(
      ([
        id,
        {
          'agent-status': { life },
          containers,
        },
      ]) => [...(life === '' ? [id] : []), ...alive(containers)],
    );
  return {
    machines: alive(machines).sort(),
    units: Object.values(all).flatMap(({ units }) => Object.keys(units)),
  };
}

/** What a plan says of machines and new units. */
function saidBy({ document: { changes, machines, removal } }: PreparedModel): object {
  const dies = (removal?.targets ?? []).flatMap(({ dies: groups = [] }) =>
    groups.flatMap(({ kind, names }) => (kind === 'machine' ? names : [])),
  );
  const containers = machines.filter(({ container }) => container !== undefined);
  return {
    gone: [...new Set(dies)].sort(),
    units: changes
      .flatMap(({ action, kind, name }) => (action === 'add' && kind === 'unit' ? [name] : []))
      .sort(),
    containers: containers.length,
    // A container on a new host is asked for with its host.
    hosts:
      machines.length -
      containers.length +
      containers.filter(({ container }) => container?.on === 'new').length,
  };
}

const without = (all: readonly string[], others: readonly string[]): string[] =>
  all.filter((one) => !others.includes(one)).sort();

interface Case {
  readonly first: Applications;
  readonly second: Applications;
  readonly replace: readonly string[];
  /** Applications that run another charm, if they are among those to replace. */
  readonly others: readonly string[];
  readonly isEdited: boolean;
  readonly prune: boolean;
  /** Machine on which somebody else puts a unit. */
  readonly byHand: number | null;
}

const anywhere = { num_units: 1, to: [] };
const all = { a: anywhere, b: anywhere, c: anywhere };
const once = { first: all, second: all, others: [], isEdited: true, prune: false, byHand: null };
const onNew = { num_units: 1, to: ['a'] };
/** Cases in which plans were wrong. */
const found: readonly Case[] = [
  // A unit with one of an application that is replaced, too.
  { ...once, first: { ...all, b: onNew }, isEdited: false, replace: ['a', 'b'], others: ['a', 'b'] },
  // A unit with one that is to go.
  {
    ...once,
    first: { ...all, a: { num_units: 2, to: [] } },
    second: { ...all, b: { num_units: 2, to: ['a'] } },
    replace: ['b'],
    others: ['b'],
  },
  // A machine that is removed once its container is gone.
  {
    ...once,
    first: { ...all, c: { num_units: 1, to: ['lxd:0'] } },
    prune: true,
    replace: ['c'],
    others: ['c'],
  },
  // A container beside another.
  {
    ...once,
    second: { ...all, a: { num_units: 1, to: ['lxd'] }, b: { num_units: 1, to: ['lxd:a'] } },
    replace: ['a', 'b', 'c'],
  },
  // A unit that stays where an application was that is elsewhere now.
  { ...once, first: { ...all, b: onNew }, isEdited: false, replace: ['a', 'b'], others: ['a'] },
];

test('the machines that a plan with replacements says go and come are those that do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        first: applications,
        second: applications,
        replace: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
        others: fc.subarray(['a', 'b', 'c']),
        isEdited: fc.boolean(),
        prune: fc.boolean(),
        byHand: fc.option(fc.nat(5)),
      }),
      async ({ first, second, replace, others, isEdited, prune, byHand }: Case) => {
        const name = `m${models++}`;
        await controller.addModel(name);
        await using client = await fileClient(controller, folder, name);
        await client.apply(await client.plan(fileOf(first)));
        if (byHand !== null) {
          const { machines } = await placesOf(client);
          const directive = machines[byHand % machines.length]!;
          const placement = [{ scope: '#', directive }];
          await call(client.session.connection, 'Application', 'Deploy', {
            applications: [
              { application: 'd', 'charm-url': 'local:kv-0', 'num-units': 1, placement } as never,
            ],
          });
        }
        const before = await placesOf(client);
        const text = fileOf(isEdited ? second : first, without(others, without(others, replace)));
        const plan = await client.plan(text, { replace, prune });
        await client.apply(plan);
        const after = await placesOf(client);
        const come = without(after.machines, before.machines);
        const containers = come.filter((id) => id.includes('/')).length;
        expect({
          gone: without(before.machines, after.machines),
          units: without(after.units, before.units),
          containers,
          hosts: come.length - containers,
        }).toEqual(saidBy(plan));
        const again = await client.plan(text, { replace, prune });
        expect(again.document).toMatchObject({ changes: [], differences: plan.document.differences });
      },
    ),
    { numRuns: isThorough ? 60 : found.length + 1, examples: found.map((one) => [one]) },
  );
});
