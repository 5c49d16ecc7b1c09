/** Forms of output: --format and --output mean the same in all commands that have them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readYamlValue } from '../kit/yaml/read.ts';
import { cli, prepareCli, succeed, writeCharm } from '../testing/cli-world.ts';
import { eventually } from '../testing/eventually.ts';
import { isThorough } from '../testing/thorough.ts';
import { registry } from './registry.ts';

/** Arguments of commands that have no result here without them; a dry run, for commands that change something. */
const argumentsOf: Readonly<Record<string, string>> = {
  actions: 'mysql',
  'add-unit': 'mysql',
  'application-storage': 'mysql',
  apply: './model.yaml --dry-run',
  'charm-resources': './mysql',
  config: 'mysql',
  constraints: 'mysql',
  deploy: './mysql other --dry-run',
  'destroy-controller': 'ctrl --destroy-all-models --dry-run',
  'destroy-model': 'admin/shop --dry-run',
  'enable-ha': '-n 1',
  explain: 'mysql',
  'kill-controller': 'ctrl --dry-run',
  'move-to-space': 'alpha 10.0.0.0/8',
  plan: './model.yaml',
  refresh: 'mysql --path ./mysql --dry-run',
  regions: 'test',
  'remove-application': 'mysql --dry-run',
  'remove-machine': '0 --force --dry-run',
  'remove-relation': 'mysql wordpress --dry-run',
  'remove-unit': 'mysql/0 --dry-run',
  resources: 'mysql',
  revert: '--to 0s --dry-run',
  'set-after': 'mysql later',
  'show-application': 'mysql',
  'show-cloud': 'test',
  'show-offer': 'admin/shop.db',
  'show-operation': '1',
  'show-secret': 'pw',
  'show-secret-backend': 'internal',
  'show-space': 'alpha',
  'show-status-log': 'mysql/0',
  'show-storage': 'data/0',
  'show-task': '2',
  'show-unit': 'mysql/0',
};
/** Commands that are tried elsewhere: they change something, or have a result only with agents or another cloud. */
const elsewhere = new Set([
  'cancel-task',
  'exec',
  'history',
  'integrate',
  'local-image',
  'payloads',
  'run',
  'test',
]);
/** Commands whose YAML and JSON have other names, as Juju's do. */
const otherNames = new Set([
  'application-storage',
  'credentials',
  'model-config',
  'show-cloud',
  'show-controller',
]);

const formatted: [name: string, formats: readonly string[]][] = [];
for (const [name, entry] of Object.entries(registry)) {
  const completes = (await entry.load()).flags['format']?.completes;
  if (typeof completes === 'object' && !elsewhere.has(name)) formatted.push([name, completes]);
}

interface Machines {
  readonly machines: Readonly<Record<string, { readonly 'machine-status': { readonly current: string } }>>;
}

prepareCli(async () => {
  const storage = 'storage:\n  data:\n    type: filesystem\n';
  writeCharm('mysql', `provides:\n  server: mysql\n${storage}`, {
    'actions.yaml': 'backup:\n  description: d\n',
  });
  writeCharm('wordpress', 'requires:\n  db: mysql\n');
  writeFileSync(join(cli.folder, 'model.yaml'), 'applications: {mysql: {charm: ./mysql, expose: true}}\n');
  await succeed('add-model shop');
  await succeed('deploy ./mysql');
  await succeed('deploy ./wordpress');
  await succeed('integrate mysql wordpress');
  await succeed('offer mysql:server db');
  await succeed('add-secret pw token=b');
  await succeed('exec --background --unit mysql/0 hostname');
  // Members that change by themselves would differ from one run to the next.
  await eventually(async () => {
    const { machines } = JSON.parse((await succeed('machines --format json')).stdout) as Machines;
    expect(Object.values(machines).map((one) => one['machine-status'].current)).toEqual([
      'running',
      'running',
    ]);
  });
});

/** Names of all members, without their values, which change with time. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf).slice(0, 1);
  if (typeof value !== 'object' || value === null) return '';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

test.each(formatted)('%s prints each of %j, and to a file', async (name, formats) => {
  const line = `${name} ${argumentsOf[name] ?? ''}`;
  const outputs = new Map<string, string>();
  const tried = isThorough ? formats : formats.filter((format) => format === 'json' || format === 'yaml');
  for (const format of tried) {
    const { code, stdout, stderr } = await cli.run(`${line} --format ${format}`);
    outputs.set(format, stdout);
    expect({ code, format, stderr }).toMatchObject({ code: 0 });
  }
  const shape = shapeOf(JSON.parse(outputs.get('json')!));
  const yaml = shapeOf(readYamlValue(outputs.get('yaml')!));
  if (!otherNames.has(name)) expect(yaml).toEqual(shape);
  const file = `${name}.json`;
  expect(await cli.run(`${line} --format json --output ${file}`)).toMatchObject({ code: 0, stdout: '' });
  expect(shapeOf(JSON.parse(readFileSync(join(cli.folder, file), 'utf8')))).toEqual(shape);
  const unknown = await cli.run(`${line} --format toml`);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('invalid value "toml" for option --format: unknown format "toml"');
});

test('application-storage has the names of the members as Juju has them: in capitals in JSON, else small', async () => {
  const directive = (await succeed('application-storage mysql --format json')).stdout;
  expect(JSON.parse(directive)).toEqual({ data: { Pool: 'rootfs', Size: 1024, Count: 1 } });
  const { stdout } = await succeed('application-storage mysql data --format yaml');
  expect(stdout).toBe('data:\n  pool: rootfs\n  size: 1024\n  count: 1\n');
});
