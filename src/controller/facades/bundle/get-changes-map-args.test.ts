import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('mysql', { provides: { server: 'mysql' } });
  await callers.addCharm('web', { requires: { db: { interface: 'mysql', optional: false } } });
});
afterEach(() => callers[Symbol.asyncDispose]());

interface Answer {
  readonly changes?: readonly { id: string; method: string; args: unknown; requires: readonly string[] }[];
  readonly errors?: readonly string[];
}
const changes = (yaml: string): Promise<Answer> =>
  callers.call<Answer>('Bundle', 'GetChangesMapArgs', { yaml, bundleURL: './bundle.yaml' });

test('the changes are those that a client makes, with requirements by which the client may sort them', async () => {
  const { changes: mapArgs = [], errors } = await changes(`
default-base: ubuntu@24.04
applications:
  mysql: { charm: local:mysql-0, num_units: 1, constraints: mem=2G, annotations: { gui-x: 1 } }
  web:
    charm: local:noble/web-0
    num_units: 4
    to: [0, lxd:0, mysql, lxd]
    trust: true
  other: { charm: local:web-0, num_units: 1 }
machines: { "0": { constraints: cores=2 } }
relations: [[web, mysql]]
--- # overlay.yaml
applications:
  web: { exposed-endpoints: { db: { expose-to-cidrs: [10.0.0.0/8] } } }
`);
  expect(errors).toBeUndefined();
  expect(
    mapArgs.map(
      ({ id, args, requires }) => `${id} ${JSON.stringify(args)} after ${requires.join(' ') || 'nothing'}`,
    ),
  ).toMatchInlineSnapshot(`
    [
      "addCharm-0 {"charm":"local:mysql-0","series":"noble","base":"ubuntu@24.04/stable"} after nothing",
      "deploy-1 {"charm":"$addCharm-0","series":"noble","base":"ubuntu@24.04/stable","application":"mysql","num-units":0,"constraints":"mem=2048M"} after addCharm-0",
      "setAnnotations-2 {"id":"$deploy-1","entity-type":"application","annotations":{"gui-x":"1"}} after deploy-1",
      "addCharm-3 {"charm":"local:web-0","series":"noble","base":"ubuntu@24.04/stable"} after nothing",
      "deploy-4 {"charm":"$addCharm-3","series":"noble","base":"ubuntu@24.04/stable","application":"other","num-units":0} after addCharm-3",
      "deploy-5 {"charm":"$addCharm-3","series":"noble","base":"ubuntu@24.04/stable","application":"web","num-units":0} after addCharm-3",
      "expose-6 {"application":"$deploy-5","exposed-endpoints":{"db":{"expose-to-cidrs":["10.0.0.0/8"]}}} after deploy-5",
      "addRelation-7 {"endpoint1":"$deploy-5:db","endpoint2":"$deploy-1:server"} after deploy-5 deploy-1",
      "addMachines-8 {"series":"noble","base":"ubuntu@24.04/stable","constraints":"cores=2"} after nothing",
      "addMachines-9 {"series":"noble","base":"ubuntu@24.04/stable","constraints":"mem=2048M"} after nothing",
      "addUnit-10 {"application":"$deploy-1","to":"$addMachines-9"} after deploy-1 addRelation-7 addMachines-9",
      "addUnit-11 {"application":"$deploy-4"} after deploy-4",
      "addUnit-12 {"application":"$deploy-5","to":"$addMachines-8"} after deploy-5 addRelation-7 addMachines-8",
      "addMachines-13 {"series":"noble","base":"ubuntu@24.04/stable","container-type":"lxd","parent-id":"$addMachines-8"} after addMachines-8",
      "addUnit-14 {"application":"$deploy-5","to":"$addMachines-13"} after deploy-5 addRelation-7 addMachines-13",
      "addUnit-15 {"application":"$deploy-5","to":"$addMachines-9"} after deploy-5 addRelation-7 addMachines-9",
      "addMachines-16 {"series":"noble","base":"ubuntu@24.04/stable","container-type":"lxd"} after nothing",
      "addUnit-17 {"application":"$deploy-5","to":"$addMachines-16"} after deploy-5 addRelation-7 addMachines-16",
    ]
  `);
  const done = new Set<string>();
  for (const { id, requires } of mapArgs) {
    expect(requires.filter((one) => !done.has(one))).toEqual([]);
    done.add(id);
  }
});

test('offers that the bundle consumes and makes are among the changes', async () => {
  const yaml = `
saas: { db: { url: ctrl:admin/data.db } }
applications:
  mysql:
    charm: local:mysql-0
    offers: { sql: { endpoints: [server], acl: { bob: read } } }
  web: { charm: local:web-0 }
relations: [["web:db", db]]
`;
  const { changes: mapArgs = [] } = await changes(yaml);
  expect(mapArgs.slice(4)).toEqual([
    {
      id: 'createOffer-4',
      method: 'createOffer',
      args: { application: '$deploy-1', endpoints: ['server'], 'offer-name': 'sql' },
      requires: ['deploy-1'],
    },
    {
      id: 'grantOfferAccess-5',
      method: 'grantOfferAccess',
      args: { user: 'bob', access: 'read', offer: 'sql' },
      requires: ['createOffer-4'],
    },
    {
      id: 'consumeOffer-6',
      method: 'consumeOffer',
      args: { url: 'ctrl:admin/data.db', 'application-name': 'db' },
      requires: [],
    },
    {
      id: 'addRelation-7',
      method: 'addRelation',
      args: { endpoint1: '$deploy-3:db', endpoint2: '$consumeOffer-6' },
      requires: ['deploy-3', 'consumeOffer-6'],
    },
  ]);
  const { changes: listed = [] } = await callers.call<Answer>('Bundle', 'GetChanges', {
    yaml,
    bundleURL: '',
  });
  expect(listed.slice(4, 7).map(({ args }) => args)).toEqual([
    ['$deploy-1', ['server'], 'sql'],
    ['bob', 'read', 'sql'],
    ['ctrl:admin/data.db', 'db'],
  ]);
});

test.each([
  ['no YAML', 'a: [', [/^the bundle is not valid YAML: /]],
  ['a bomb', bomb(), [/^the bundle is not valid YAML: aliases of what has aliases itself .* at line 3/]],
  ['no bundle', '', [/at least one/]],
  ['charms of Charmhub', 'applications: { a: { charm: a } }', [/"a" was not uploaded/]],
  [
    'our own key',
    'applications: { a: { charm: local:web-0, require: [db] } }',
    [/not supported by this client/],
  ],
  [
    'all that is wrong',
    'applications: { a: { charm: local:web-0, to: [1], num_units: 1 } }\nrelations: [[a, b]]',
    [/2 problems/, /no machine 1/, /no application b/],
  ],
])('%s', async (_, yaml, why) => {
  const { errors, changes: none } = await changes(yaml);
  expect(none).toBeUndefined();
  expect(errors).toEqual(why.map((one) => expect.stringMatching(one) as string));
});

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 10; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}

test('a bundle may have as many units and values as the limits say', async () => {
  const { bundleUnits, bundleValues } = limits;
  const bundle = 'applications: { a: { charm: local:mysql-0, num_units: 1 } }';
  const units = (count: number): string => bundle.replace('num_units: 1', `num_units: ${count}`);
  expect((await changes(units(bundleUnits.max))).errors).toBeUndefined();
  expect((await changes(units(bundleUnits.max + 1))).errors).toEqual([
    `the bundle has more than ${bundleUnits.max} units: use 'grigri deploy'`,
  ]);
  // The document, variables, v, applications, a, its charm and its number are seven values, x is a hundred, and the
  // rest is v's, most of it by aliases.
  const values = (count: number): string => {
    const left = count - 107;
    const items = [
      ...Array<string>(Math.floor(left / 100)).fill('*x'),
      ...Array<string>(left % 100).fill('0'),
    ];
    return `variables: { x: &x [${Array(99).fill(0).join(',')}], v: [${items.join(',')}] }\n${bundle}`;
  };
  expect((await changes(values(bundleValues.max))).errors).toBeUndefined();
  expect((await changes(values(bundleValues.max + 1))).errors).toEqual([
    `the bundle has more than ${bundleValues.max} values: use 'grigri deploy'`,
  ]);
});

test('a bundle may have as many bytes and marks as limits.plannedBundleBytes and limits.plannedBundleMarks say', async () => {
  const { plannedBundleBytes: bytes, plannedBundleMarks: marks } = limits;
  const bundle = 'applications: { a: { charm: local:mysql-0, num_units: 1 } }\n';
  const long = (size: number): string => `${bundle}#${'x'.repeat(size - bundle.length - 1)}`;
  expect((await changes(long(bytes.max))).errors).toBeUndefined();
  expect((await changes(long(bytes.max + 1))).errors).toEqual([
    `${bytes.of}: ${bytes.max + 1} bytes exceed the limit of ${bytes.max}`,
  ]);
  // An empty line is one mark; the application's own are fewer than 100.
  const lines = (count: number): string => `${bundle}${'\n'.repeat(count)}`;
  expect((await changes(lines(marks.max - 100))).errors).toBeUndefined();
  expect((await changes(lines(marks.max))).errors).toEqual([
    `${marks.of}: ${marks.max + 1} entries exceed the limit of ${marks.max}`,
  ]);
});

test('a short text that expands to a large bundle is refused before the controller holds it', async () => {
  const many = Array.from({ length: 200 }, (_, n) => `  a${n}: { charm: local:mysql-0, num_units: 100 }`);
  expect(await changes(`applications:\n${many.join('\n')}`)).toEqual({
    errors: [`the bundle has more than 10000 units: use 'grigri deploy'`],
  });
  const aliases = Array.from({ length: 900 }, (_, n) => `  a${n}: { charm: local:mysql-0, to: *to }`);
  const list = `[${Array.from({ length: 1000 }, () => '0').join(', ')}]`;
  expect(await changes(`variables: { to: &to ${list} }\napplications:\n${aliases.join('\n')}`)).toEqual({
    errors: [`the bundle has more than ${limits.bundleValues.max} values: use 'grigri deploy'`],
  });
});

test('GetChanges returns the changes of GetChangesMapArgs, with arguments by position', async () => {
  const params = { yaml: 'applications: { mysql: { charm: local:mysql-0, num_units: 1 } }', bundleURL: '' };
  const named = await callers.call<Answer>('Bundle', 'GetChangesMapArgs', params);
  const listed = await callers.call<Answer>('Bundle', 'GetChanges', params);
  const parts = ({ changes: all = [] }: Answer): unknown =>
    all.map(({ id, method, requires }) => [id, method, requires]);
  expect(parts(listed)).toEqual(parts(named));
  expect(listed.changes?.map(({ args }) => args)).toEqual([
    ['local:mysql-0', 'noble', ''],
    ['$addCharm-0', 'noble', 'mysql', {}, '', {}, {}, {}, {}, 0, ''],
    ['$deploy-1', null],
  ]);
  expect(
    await callers.call('Bundle', 'GetChanges', { yaml: 'applications: 3', bundleURL: '' }),
  ).toHaveProperty('errors');
});
