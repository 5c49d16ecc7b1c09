/** Commands export, plan and diff, against a controller with a simulated cloud. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cli, prepareCli, succeed as ok } from '../../testing/cli-world.ts';
import { planSchema } from '../../testing/model-file/plan-schema.ts';

let models = 0;

prepareCli(() => {
  charm('blog', 'requires:\n  db: {interface: mysql, optional: false}\n');
  charm('mysql', 'provides:\n  server: mysql\n', 'options:\n  port: {type: int}\n  mode: {type: string}\n');
});
beforeEach(async () => {
  await ok(`add-model f${models++}`);
});

function charm(name: string, metadata: string, config = 'options: {}\n'): void {
  mkdirSync(join(cli.folder, name, 'hooks'), { recursive: true });
  const file = (path: string, text: string): void => writeFileSync(join(cli.folder, name, path), text);
  file('metadata.yaml', `name: ${name}\nsummary: s\ndescription: d\n${metadata}`);
  file('config.yaml', config);
}
function write(name: string, content: string): void {
  writeFileSync(join(cli.folder, name), content);
}
const stdoutOf = async (line: string): Promise<string> => (await ok(line)).stdout;

interface Planned {
  readonly applicable: boolean;
  readonly changes: readonly { readonly action: string; readonly kind: string; readonly name: string }[];
  readonly unpruned: readonly unknown[];
  readonly removal?: { readonly targets: readonly unknown[] };
}
async function planned(line: string): Promise<Planned> {
  const document: unknown = JSON.parse(await stdoutOf(`plan ${line} --format json`));
  expect(planSchema.parse(document)).toEqual(document);
  return document as Planned;
}
const linesOf = ({ changes }: Planned): string[] =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);

/** Fills the model with what a file can say. */
async function shop(): Promise<void> {
  for (const line of [
    'deploy ./mysql -n 2 --config mode=${fast} --constraints mem=2G',
    'deploy ./blog --to lxd --after mysql=active',
    'integrate blog mysql',
    'expose blog --to-cidrs 10.0.0.0/8',
    'offer mysql:server data',
    'model-config update-status-hook-interval=2m resource-tags=owner=me',
    'set-model-constraints mem=1G',
    'create-storage-pool fast tmpfs size=1G',
    'add-secret pw key=value --info password',
    'grant-secret pw blog',
  ])
    await ok(line);
}

test('the plan of an exported model is empty, and so is its difference', async () => {
  await shop();
  expect(await stdoutOf('export')).toMatchInlineSnapshot(`
    "name: f0
    settings:
      resource-tags:
        owner: me
      update-status-hook-interval: 2m
    constraints: mem=1024M
    access:
      admin: admin
    storage-pools:
      fast:
        provider: tmpfs
        attributes:
          size: 1G
    secrets:
      pw:
        description: password
        grants:
        - blog
    default-base: ubuntu@24.04/stable
    applications:
      blog:
        charm: local:blog-0
        num_units: 1
        to:
        - lxd
        after:
          mysql: active
        exposed-endpoints:
          "":
            expose-to-cidrs:
            - 10.0.0.0/8
      mysql:
        charm: local:mysql-0
        num_units: 2
        options:
          mode: $\${fast}
        constraints: mem=2048M
        offers:
          data:
            endpoints:
            - server
            acl:
              admin: admin
    relations:
    - - blog:db
      - mysql:server
    "
  `);
  expect(await stdoutOf('export --as model.yaml')).toBe('Model successfully exported to model.yaml\n');
  expect(await planned('model.yaml --prune')).toMatchObject({ changes: [], unpruned: [], applicable: true });
  expect(await cli.run('plan model.yaml --detailed-exitcode')).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^Nothing to change: model admin\/f\d+ is as the file says\.\n\nWould wait:\n {2}blog for mysql to be active\n$/,
    ) as string,
    stderr: '',
  });
  expect(await stdoutOf('diff model.yaml --annotations')).toBe('{}\n');
});

test('the default base of an exported file can be edited: the apply makes it so', async () => {
  await ok('model-config default-base=ubuntu@22.04');
  await ok('export --as model.yaml');
  write('model.yaml', readFileSync(join(cli.folder, 'model.yaml'), 'utf8').replace('@22.04', '@24.04'));
  expect(linesOf(await planned('model.yaml'))).toEqual(['change setting default-base']);
  await ok('apply model.yaml --no-prompt');
  expect(linesOf(await planned('model.yaml'))).toEqual([]);
  write('model.yaml', 'settings: {default-series: jammy}');
  await ok('apply model.yaml --no-prompt');
  expect(linesOf(await planned('model.yaml --prune'))).toEqual([]);
  write('model.yaml', 'settings: {}');
  expect(linesOf(await planned('model.yaml --prune'))).toEqual(['remove setting default-base']);
});

test('the plan of an edited file names the edits, and its exit code tells of them', async () => {
  await shop();
  await ok('export --as model.yaml');
  const text = readFileSync(join(cli.folder, 'model.yaml'), 'utf8');
  const edited = text
    .replace('num_units: 2', 'num_units: ${UNITS:-1}')
    .replace('mem=2048M', 'mem=4G')
    .replace('description: password', 'description: other')
    .replace('admin: admin', 'admin: admin\n  # nobody else');
  write('edited.yaml', edited);
  const { code, stdout } = await cli.run('plan edited.yaml --detailed-exitcode --var UNITS=4');
  expect(code).toBe(2);
  expect(stdout.replace(/f\d+, revision \d+/, 'M, revision N')).toMatchInlineSnapshot(`
    "Plan for model admin/M, revision N:

    ~ secret pw
        description: password → other
    ~ application mysql
        constraints: mem=2048M → mem=4096M
    + units mysql/2 mysql/3

    Would wait:
      blog for mysql to be active

    Asked of the cloud:
      2 × machine, ubuntu@24.04, mem=4096M: mysql/2 mysql/3

    2 to add, 2 to change, 0 to remove.
    "
  `);
  const fewer = await planned('edited.yaml');
  expect(linesOf(fewer)).toEqual(['change secret pw', 'change application mysql', 'remove unit mysql/1']);
  expect(fewer.removal?.targets).toMatchObject([
    {
      dies: [
        { kind: 'unit', names: ['mysql/1'] },
        { kind: 'machine', names: ['1'] },
      ],
    },
  ]);
  expect(await stdoutOf('plan edited.yaml')).toContain('  unit mysql/1\n  - will remove machine 1');
  write('unscaled.yaml', text.replace('num_units: 2\n', '# scaled by somebody else\n'));
  expect(linesOf(await planned('unscaled.yaml'))).toEqual([]);
  expect(await stdoutOf('diff unscaled.yaml')).toBe('{}\n');
  expect(parse(await stdoutOf('diff edited.yaml'))).toEqual({
    applications: {
      mysql: { constraints: { file: 'mem=4096M', model: 'mem=2048M' }, num_units: { file: 1, model: 2 } },
    },
    secrets: { pw: { description: { file: 'other', model: 'password' } } },
  });
});

test('exposure is told by who gets in, and prune takes back all that a file has set of an application', async () => {
  const file = (more: string): void =>
    write('set.yaml', `applications: { mysql: { charm: ./mysql }, blog: { charm: ./blog${more} } }\n`);
  file(', trust: true, after: { mysql: active }, annotations: { x: "1", y: "2" }, expose: true');
  await ok('apply set.yaml --no-prompt --trust');
  file(', annotations: { x: "1" }, exposed-endpoints: { db: { expose-to-cidrs: [10.0.0.0/8] } }');
  const stdout = await stdoutOf('plan set.yaml --prune');
  expect(stdout.slice(stdout.indexOf('~'))).toMatchInlineSnapshot(`
    "~ application blog
        after.mysql: active → (none)
        exposed.db: 10.0.0.0/8
        options.trust: true → (none)
        exposed: everybody → nobody
        annotations.y: 2 → (none)

    Would wait:
      blog for relations: db (mysql)

    0 to add, 1 to change, 0 to remove.
    "
  `);
  await ok('apply set.yaml --no-prompt --prune');
  expect(await stdoutOf('plan set.yaml --prune')).toMatch(/^Nothing to change/);
  file('');
  expect(await stdoutOf('plan set.yaml')).toContain('--prune removes it');
  await ok('apply set.yaml --no-prompt --prune');
  const model = parse(await stdoutOf('export')) as { applications: Record<string, object> };
  expect(model.applications['blog']).toEqual({ charm: 'local:blog-0' });
});

test('what a file says is planned with its variables, overlays and the contents of its secrets', async () => {
  write(
    'model.yaml',
    `name: shop
settings: { update-status-hook-interval: "\${INTERVAL}" }
access: { bob: read }
secrets: { pw: { content: { key: { file: pw.txt }, other: { env: WORD } }, grants: [db] } }
applications:
  db: { charm: ./mysql, num_units: 1, options: { mode: "$\${x}" }, refresh: { max-unavailable: 1 } }
`,
  );
  await ok('add-user bob');
  write('more.yaml', 'applications: { blog: { charm: ./blog, num_units: 2, after: { db: active } } }\n');
  write('pw.txt', 'secret');
  write('vars.yaml', 'INTERVAL: 2m\n');
  const env = { env: { WORD: 'word' } };
  const { code, stdout } = await cli.run('plan model.yaml --overlay more.yaml --var-file vars.yaml', env);
  expect(code).toBe(0);
  expect(stdout.replace(/f\d+, revision \d+/, 'M, revision N').replaceAll(cli.folder, ''))
    .toMatchInlineSnapshot(`
      "Plan for model admin/M, revision N:

      + setting update-status-hook-interval
          value: 2m
      + access bob
          access: read
      + secret pw
          content: the contents of its sources
          grants.db: true
      + application db
          charm: /mysql
          base: ubuntu@24.04
          options.mode: "\${x}"
      + application blog
          charm: /blog
          base: ubuntu@24.04
          after.db: active
      + units blog/0 blog/1
      + unit db/0

      Would wait:
        blog for relations: db (mysql); for db to be active

      Asked of the cloud:
        2 × machine, ubuntu@24.04, once it no longer waits: blog/0 blog/1
        1 × machine, ubuntu@24.04: db/0

      8 to add, 0 to change, 0 to remove.
      "
    `);
});

test('the file of a secret is found beside the overlay that names it', async () => {
  write('model.yaml', 'secrets: {pw: {content: {key: {env: WORD}, own: {file: own.txt}}}}\n');
  mkdirSync(join(cli.folder, 'production'), { recursive: true });
  write('production/more.yaml', 'secrets: {pw: {content: {key: {file: key.txt}}}}\n');
  write('production/key.txt', 'of production');
  write('own.txt', 'own');
  await ok('apply model.yaml --overlay production/more.yaml --no-prompt');
  const shown = await stdoutOf('show-secret pw --reveal');
  expect(shown).toContain('key: of production');
  expect(shown).toContain('own: own');
});

test.each([
  ['name: x\napplications: {a: {charm: "${NO}"}}', 'the variable NO has no value at line 2'],
  ['secrets: {pw: {content: {key: plain}}}', 'secrets.pw.content.key: the value is not written here'],
  ['secrets: {pw: {content: {key: {env: NOTHING}}}}', 'secret "pw": the environment has no NOTHING'],
  [
    'secrets: {pw: {content: {key: {env: EMPTY}}}}',
    'secret "pw": the environment has no value of EMPTY, which is the value of "key"',
  ],
  ['secrets: {pw: {content: {key: {file: none}}}}', 'secret "pw": '],
  ['settings: {uuid: x}', 'settings.uuid: a file cannot change this setting'],
  ['settings: {authorized-keys: x}', 'settings.authorized-keys: a file cannot change this setting'],
  ['settings: {default-base: x}', 'settings.default-base: '],
  ['access: {bob: all}', 'access.bob: expected one of read, write, admin, got "all"'],
  ['storage-pools: {fast: {}}', 'storage-pools.fast.provider: a provider is required'],
  ['name: "My Model"', 'name: "My Model" is not a name that a model may have'],
  ['constraints: nonsense', 'the model file cannot be used: constraints: '],
  [
    'aplications: {db: {charm: ./mysql}}',
    'the model file cannot be used: aplications: unknown key: write "applications", or remove it\n',
  ],
  [
    'applications: {db: {charm: ./mysql, num_unit: 1}}\nmachines: {0: {zone: a}}\nsecrets: {pw: {grant: [db]}}',
    `the model file cannot be used, 3 problems:
  applications.db.num_unit: unknown key: write "num_units", or remove it
  machines.0.zone: unknown key: remove it
  secrets.pw.grant: unknown key: write "grants", or remove it
`,
  ],
  [
    'relations: [[a, b]]',
    'the model file cannot be used, 2 problems:\n  relations[0]: the file has no application a\n',
  ],
  ['secrets: {pw: {grants: [web]}}', 'secret "pw": application "web" not found'],
  [
    'access: {nobody: read}\napplications: {db: {charm: ./mysql, offers: {d: {endpoints: [server], acl: {no-one: read}}}}}',
    'access: user "nobody" not found; access to offer "d": user "no-one" not found',
  ],
  ['access: {bob@a@b: read}', 'access: "bob@a@b" is not a valid user name'],
  ['secrets: {"": {content: {key: {env: HOME}}}}', 'secrets."": a secret is found again by its name'],
  ['secrets: {pw: {content: {K: {env: HOME}}}}', 'secrets.pw.content.K: secret key "K" not valid'],
  ['secrets: {pw: {description: new}}', 'secret "pw": it is not in the model, and the file says no content'],
  [
    'storage-pools: {fast: {provider: none}}',
    'storage-pools.fast.provider: storage provider "none" not found; there',
  ],
  [
    'storage-pools: {tmpfs: {provider: tmpfs}}',
    'storage-pools.tmpfs: the name is that of a storage provider',
  ],
  ['constraints: spaces=none', 'constraints: space "none" not found'],
  ['settings: {default-space: none}', 'settings.default-space: space "none" not found'],
  ['settings: {secret-backend: none}', 'settings.secret-backend: secret backend "none" not found'],
  [
    'applications: {db: {charm: ./mysql, bindings: {server: none}}}',
    'applications.db.bindings: space "none" not found',
  ],
  [
    'applications: {db: {charm: ./mysql, exposed-endpoints: {"": {expose-to-spaces: [none]}}}}',
    'applications.db.exposed-endpoints: space "none" not found',
  ],
  [
    'applications: {db: {charm: ./mysql, exposed-endpoints: {"": {expose-to-cidrs: [10.0.0.0/33]}}}}',
    'applications.db.exposed-endpoints."".expose-to-cidrs: unable to parse "10.0.0.0/33" as a CIDR',
  ],
  [
    'applications: {db: {charm: ./mysql, annotations: {a.b: x}}}',
    'applications.db.annotations: invalid key "a.b"',
  ],
  [
    'applications: {db: {charm: ./mysql, constraints: spaces=none}}',
    'applications.db.constraints: space "none"',
  ],
  [
    'applications: {db: {charm: ./mysql, storage: {data: 1G}}}',
    'application "db": the charm has no storage "data"',
  ],
  [
    'applications: {db: {charm: ./mysql, base: ubuntu@10.04}}',
    'application "db": base "ubuntu@10.04" is not supported',
  ],
])('the file %j is refused: %s', async (text, message) => {
  write('wrong.yaml', text);
  expect(await cli.run('plan wrong.yaml', { env: { EMPTY: '' } })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(message) as string,
  });
});

test.each([
  ['plan', 2, 'no model file specified'],
  ['plan a.yaml b.yaml', 2, 'unrecognized args: ["b.yaml"]'],
  ['plan ./mysql', 2, '"./mysql" is not a model file'],
  ['plan none.yaml', 1, 'none.yaml'],
  ['plan wrong.yaml --var NAME', 2, '--var: expected <name>=<value>, got "NAME"'],
  ['plan wrong.yaml --var-file list.yaml', 1, 'list.yaml: expected a map of variables to values'],
  ['plan wrong.yaml --var-file nested.yaml', 1, 'nested.yaml: the value of "a" is not text'],
  ['plan wrong.yaml --var WORK=1', 2, '--var: the file has no variable WORK; its variables are: none'],
  ['plan varied.yaml --var WORK=1', 2, '--var: the file has no variable WORK; its variables are: WORD'],
  ['plan latin1.yaml', 1, 'latin1.yaml: not UTF-8 text'],
  ['plan null.yaml', 1, 'null.yaml: the file is empty'],
  ['plan large.yaml', 1, 'large.yaml: larger than 16 MiB'],
  ['plan wrong.yaml --map-machines x', 2, '--map-machines: expected'],
])('the command %s fails with exit code %i: %s', async (line, code, message) => {
  write('wrong.yaml', 'applications: {}\n');
  write('list.yaml', '- a\n');
  write('nested.yaml', 'a: {b: c}\n');
  write('varied.yaml', 'description: "${WORD:-x}"\n');
  writeFileSync(join(cli.folder, 'latin1.yaml'), Buffer.from('description: gr\xfcn\n', 'latin1'));
  write('null.yaml', '--- null\n');
  write('large.yaml', '#'.repeat(16 * 1024 * 1024 + 1));
  expect(await cli.run(line)).toMatchObject({
    code,
    stderr: expect.stringContaining(message) as string,
  });
});

test('an application with a charm of another name is refused until its replacement is allowed', async () => {
  await ok('deploy ./mysql db -n 1');
  write('model.yaml', 'applications: {db: {charm: ./blog, num_units: 1}}\n');
  expect(await planned('model.yaml')).toMatchObject({ applicable: false, refused: [{ application: 'db' }] });
  expect((await cli.run('plan model.yaml --detailed-exitcode')).code).toBe(2);
  const replaced = await planned('model.yaml --replace db');
  expect([replaced.applicable, ...linesOf(replaced)]).toEqual([
    true,
    'replace application db',
    'add unit db/1',
  ]);
  expect(await cli.run('plan model.yaml --replace web')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('application "web" not found in the file') as string,
  });
});
