import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { diffBundle } from '../../../core/bundle/diff-bundle.ts';
import { exportBundle } from '../../../core/bundle/export-bundle.ts';
import { mergeDocuments } from '../../../core/bundle/overlay.ts';
import { parseBundle } from '../../../core/bundle/parse-bundle.ts';
import { parseConfig } from '../../../core/charm/config.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  const config = parseConfig({
    options: { port: { type: 'int', default: 3306 }, mode: { type: 'string' } },
  });
  await callers.addCharm('mysql', { provides: { server: 'mysql' }, peers: { cluster: 'peer' } }, { config });
  await callers.addCharm('wordpress', {
    requires: { db: { interface: 'mysql', optional: false } },
    provides: { website: 'http' },
  });
  await callers.addCharm('log', {
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

async function exported(params: Record<string, boolean> = {}): Promise<string> {
  const { result } = await callers.call<{ result: string }>('Bundle', 'ExportBundle', params);
  return result;
}

async function deploy(name: string, units: number, overrides: Record<string, unknown> = {}): Promise<void> {
  const result = await deployLocal(callers, name, { 'num-units': units, ...overrides });
  expect(result).not.toHaveProperty('error');
}
const integrate = (...endpoints: string[]): Promise<unknown> =>
  callers.call('Application', 'AddRelation', { endpoints });

test('an empty model is refused', async () => {
  await expect(exported()).rejects.toThrow('nothing to export as there are no applications');
  expect(await exported({ 'allow-empty': true })).toBe('applications: {}\n');
});

test('the bundle has all that a bundle can say of a model, in Juju’s order', async () => {
  await deploy('mysql', 3, {
    config: { port: '3307' },
    constraints: { mem: 2048 },
    placement: [{ scope: 'lxd', directive: '' }],
  });
  await deploy('wordpress', 2, {
    config: { trust: 'true' },
    require: ['db'],
    placement: [{ scope: '#', directive: '0' }],
  });
  await deploy('log', 0);
  await integrate('log', 'mysql');
  await integrate('wordpress', 'mysql');
  await callers.call('Application', 'Expose', { application: 'wordpress' });
  await callers.call('Application', 'Expose', {
    application: 'mysql',
    'exposed-endpoints': { server: { 'expose-to-cidrs': ['10.0.0.0/8'] } },
  });
  await callers.call('Annotations', 'Set', {
    annotations: [
      { entity: 'application-mysql', annotations: { 'gui-x': '450', 'gui-y': '-10' } },
      { entity: 'machine-0', annotations: { rack: '7', 'bundle-machine': 'x' } },
    ],
  });
  expect(await exported()).toMatchInlineSnapshot(`
    "default-base: ubuntu@24.04/stable
    applications:
      log:
        charm: local:log-0
      mysql:
        charm: local:mysql-0
        num_units: 3
        to:
        - lxd:0
        - "1"
        - "2"
        options:
          port: 3307
        annotations:
          gui-x: "450"
          gui-y: "-10"
        constraints: mem=2048M
      wordpress:
        charm: local:wordpress-0
        num_units: 2
        to:
        - "0"
        - new
        expose: true
        trust: true
        require:
        - db
    machines:
      "0":
        constraints: mem=2048M
        annotations:
          rack: "7"
      "1":
        constraints: mem=2048M
      "2":
        constraints: mem=2048M
    relations:
    - - log:info
      - mysql:juju-info
    - - wordpress:db
      - mysql:server
    --- # overlay.yaml
    applications:
      mysql:
        exposed-endpoints:
          server:
            expose-to-cidrs:
            - 10.0.0.0/8
    "
  `);
  expect(
    (await exported({ 'include-charm-defaults': true, 'include-series': true })).split('\n').slice(0, 18),
  ).toMatchInlineSnapshot(`
    [
      "default-base: ubuntu@24.04/stable",
      "series: noble",
      "applications:",
      "  log:",
      "    charm: local:log-0",
      "  mysql:",
      "    charm: local:mysql-0",
      "    num_units: 3",
      "    to:",
      "    - lxd:0",
      "    - "1"",
      "    - "2"",
      "    options:",
      "      port: 3307",
      "    annotations:",
      "      gui-x: "450"",
      "      gui-y: "-10"",
      "    constraints: mem=2048M",
    ]
  `);
});

describe('units that wait', () => {
  test('waiting units are at the placement asked for them', async () => {
    await deploy('mysql', 1);
    await deploy('wordpress', 3, {
      placement: [
        { scope: '#', directive: '0' },
        { scope: 'lxd', directive: '0' },
      ],
    });
    expect(await exported()).toMatch(
      /wordpress:\n.*\n {4}num_units: 3\n {4}to:\n {4}- "0"\n {4}- lxd:0\n {4}- new\n/,
    );
  });

  test('waiting units without a placement have none in the bundle', async () => {
    await deploy('wordpress', 3);
    expect(await exported()).not.toContain('to:');
    expect(await exported()).not.toContain('machines:');
  });

  test('waiting units for a removed machine go to a new one', async () => {
    await deploy('mysql', 1);
    await deploy('wordpress', 1, { placement: [{ scope: '#', directive: '0' }] });
    await callers.change((tx) => {
      const machine = tx.get('machine', '0');
      if (machine) tx.put('machine', '0', { ...machine, life: 'dying' });
    });
    expect(await exported()).not.toContain('"0"');
  });
});

test('dying entities are left out', async () => {
  await deploy('mysql', 2);
  await deploy('wordpress', 1);
  await integrate('wordpress', 'mysql');
  await callers.change((tx) => {
    for (const kind of ['unit', 'application'] as const) {
      const id = kind === 'unit' ? 'mysql/1' : 'wordpress';
      const doc = tx.get(kind, id);
      if (doc) tx.put(kind, id, { ...doc, life: 'dying' });
    }
    for (const relation of tx.list('relation'))
      tx.put('relation', String(relation.id), { ...relation, life: 'dying' });
  });
  expect(await exported()).toBe(`default-base: ubuntu@24.04/stable
applications:
  mysql:
    charm: local:mysql-0
    num_units: 1
    to:
    - "0"
machines:
  "0": {}
`);
});

test('the most frequent base is the default', async () => {
  await callers.addCharm('old', {}, { bases: [{ name: 'ubuntu', channel: '22.04/stable' }] });
  await deploy('mysql', 2);
  await deploy('old', 1, { 'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '22.04' } } });
  const { bundle } = parseBundle(parseAllDocuments(await exported())[0]?.toJS());
  expect(bundle.defaultBase?.channel).toBe('24.04/stable');
  expect(bundle.applications['old']?.base?.channel).toBe('22.04/stable');
  expect(bundle.machines).toMatchObject({ 0: { annotations: {} }, 2: { base: { channel: '22.04/stable' } } });
});

test('an exported bundle has no difference from its model', async () => {
  await deploy('mysql', 2, { config: { mode: 'fast' } });
  await deploy('wordpress', 1, { constraints: { mem: 1024 } });
  await integrate('wordpress', 'mysql');
  await callers.call('Application', 'Expose', { application: 'mysql', 'exposed-endpoints': { server: {} } });
  const text = await exported();
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) throw new Error('empty');
  const { bundle } = parseBundle(mergeDocuments(documents.map((document) => document.toJS() as unknown)));
  const model = exportBundle(callers.view(), { charmDefaults: false, accessTo: () => ({}) });
  expect(bundle).toEqual(model);
  const diff = diffBundle({
    bundle,
    model,
    withDefaults: exportBundle(callers.view(), { charmDefaults: true, accessTo: () => ({}) }),
    machines: new Map(Object.keys(bundle.machines).map((id) => [id, id])),
    annotations: true,
    resources: {},
    charmName: () => '',
  });
  expect(diff).toEqual({});
});
