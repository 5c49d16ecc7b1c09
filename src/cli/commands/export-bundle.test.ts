/** Round trip of export-bundle and diff-bundle, against a controller with a simulated cloud. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, prepareCli, succeed as ok } from '../../testing/cli-world.ts';

let models = 0;

prepareCli(() => {
  charm('blog', 'requires:\n  db: {interface: mysql, optional: false}\nprovides:\n  site: http\n');
  charm(
    'mysql',
    'provides:\n  server: mysql\n',
    'options:\n  port: {type: int, default: 3306}\n  mode: {type: string}\n',
  );
  charm('log', 'subordinate: true\nrequires:\n  info: {interface: juju-info, scope: container}\n');
});
beforeEach(() => addModel());

function charm(name: string, metadata: string, config = 'options: {}\n'): void {
  mkdirSync(join(cli.folder, name, 'hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, name, 'metadata.yaml'),
    `name: ${name}\nsummary: s\ndescription: d\n${metadata}`,
  );
  writeFileSync(join(cli.folder, name, 'config.yaml'), config);
}
function bundle(name: string, content: string): void {
  writeFileSync(join(cli.folder, name), content);
}
async function addModel(): Promise<void> {
  await ok(`add-model m${models++}`);
}
const fails = async (line: string, message: string, code = 1): Promise<void> => {
  expect(await cli.run(line)).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
};
const stdoutOf = async (line: string): Promise<string> => (await ok(line)).stdout;

/** Fills the model with entities of most kinds. */
async function blog(): Promise<void> {
  for (const line of [
    'deploy ./mysql -n 2 --config mode=fast --constraints mem=2G',
    'deploy ./blog --to lxd:0 --trust',
    'deploy ./blog other --require db',
    'deploy ./log',
    'integrate blog mysql',
    'integrate log blog',
    'expose blog',
    'expose mysql --endpoints server --to-cidrs 10.0.0.0/8',
  ])
    await ok(line);
}

test('export-bundle refuses a model without applications', async () => {
  await fails('export-bundle', 'nothing to export as there are no applications');
});

test('diff-bundle finds no difference between a model and its exported bundle', async () => {
  await blog();
  const text = await stdoutOf('export-bundle');
  expect(text).toMatchInlineSnapshot(`
    "default-base: ubuntu@24.04/stable
    applications:
      blog:
        charm: local:blog-0
        num_units: 1
        to:
        - lxd:0
        expose: true
        trust: true
      log:
        charm: local:log-0
      mysql:
        charm: local:mysql-0
        num_units: 2
        to:
        - "0"
        - "1"
        options:
          mode: fast
        constraints: mem=2048M
      other:
        charm: local:blog-1
        num_units: 1
        require:
        - db
    machines:
      "0":
        constraints: mem=2048M
      "1":
        constraints: mem=2048M
    relations:
    - - blog:db
      - mysql:server
    - - log:info
      - blog:juju-info
    --- # overlay.yaml
    applications:
      mysql:
        exposed-endpoints:
          server:
            expose-to-cidrs:
            - 10.0.0.0/8
    "
  `);
  bundle('same.yaml', text);
  expect(await stdoutOf('diff-bundle ./same.yaml --annotations')).toBe('{}\n');
});

test('a bundle exported with its charms has the same text after a deploy in another model', async () => {
  await blog();
  expect(await stdoutOf('export-bundle --include-charms moved')).toMatch(
    /^Bundle successfully exported to .*moved\/bundle.yaml\n$/,
  );
  expect(readdirSync(join(cli.folder, 'moved')).sort()).toEqual([
    'blog-0.charm',
    'blog-1.charm',
    'bundle.yaml',
    'log.charm',
    'mysql.charm',
  ]);
  const before = await stdoutOf('export-bundle');
  await addModel();
  await ok('deploy ./moved --trust');
  expect(await stdoutOf('export-bundle')).toBe(before);
  expect(await stdoutOf('diff-bundle ./moved')).toBe('{}\n');
  await ok('export-bundle --include-charms again');
  for (const name of ['bundle.yaml', 'blog-1.charm', 'mysql.charm'])
    expect(readFileSync(join(cli.folder, 'again', name))).toEqual(
      readFileSync(join(cli.folder, 'moved', name)),
    );
});

test('exported charms have paths relative to the bundle, with their revision where names collide', async () => {
  await ok('deploy ./log');
  writeFileSync(join(cli.folder, 'log', 'more'), String(models));
  await ok('deploy ./log other');
  mkdirSync(join(cli.folder, 'sub'), { recursive: true });
  await ok('export-bundle --filename sub/b.yaml --include-charms charms');
  expect(readFileSync(join(cli.folder, 'sub/b.yaml'), 'utf8')).toMatch(
    /charm: \.\.\/charms\/log-0\.charm\n[^]*charm: \.\.\/charms\/log-1\.charm\n/,
  );
  await addModel();
  await ok('deploy ./sub/b.yaml');
  expect(await stdoutOf('diff-bundle sub/b.yaml')).toBe('{}\n');
});

describe('diff-bundle', () => {
  const base = `
applications:
  mysql: { charm: ./mysql, num_units: 2, to: [0, 1], options: { mode: fast }, constraints: mem=2G }
  blog: { charm: ./blog, num_units: 1, expose: true }
  log: { charm: ./log }
machines: { "0": { constraints: mem=2G }, "1": { constraints: mem=2G } }
relations: [[blog, mysql], [log, blog:juju-info]]
`;
  test('diff-bundle finds no difference after a deploy of the bundle', async () => {
    bundle('base.yaml', base);
    await ok('deploy ./base.yaml');
    expect(await stdoutOf('diff-bundle ./base.yaml')).toBe('{}\n');
  });

  test('diff-bundle compares the files of resources with what was uploaded', async () => {
    charm(
      'paged',
      'resources:\n  page: {type: file, filename: page.txt}\n  more: {type: file, filename: m.txt}\n',
    );
    writeFileSync(join(cli.folder, 'page.txt'), 'one');
    bundle(
      'paged.yaml',
      'applications: { paged: { charm: ./paged, num_units: 1, resources: { page: ./page.txt } } }',
    );
    await ok('deploy ./paged.yaml');
    expect(await stdoutOf('diff-bundle ./paged.yaml')).toBe('{}\n');
    writeFileSync(join(cli.folder, 'page.txt'), 'two');
    bundle(
      'paged.yaml',
      'applications: { paged: { charm: ./paged, num_units: 1, resources: { page: ./page.txt, more: ./page.txt } } }',
    );
    const diff = await stdoutOf('diff-bundle ./paged.yaml');
    expect(diff.replaceAll(cli.folder, '/here')).toMatchInlineSnapshot(`
      "applications:
        paged:
          resources:
            page:
              bundle: /here/page.txt (C1oQxwcbMT0v…)
              model: Xby+2wDRMaKe…
            more:
              bundle: /here/page.txt (C1oQxwcbMT0v…)
              model: null
      "
    `);
    await ok('deploy ./paged.yaml');
    expect(await stdoutOf('diff-bundle ./paged.yaml')).toBe('{}\n');
  });

  test('diff-bundle shows differences of the bundle and of the model', async () => {
    bundle('base.yaml', base);
    await ok('deploy ./base.yaml');
    await ok('deploy ./log extra');
    for (const line of [
      'config mysql mode=slow port=3307',
      'unexpose blog',
      'integrate extra mysql',
      'add-unit mysql',
      'set-constraints mysql mem=4G',
      'remove-relation log blog',
    ])
      await ok(line);
    bundle(
      'overlay.yaml',
      `
applications:
  blog: { charm: ./mysql, num_units: 2, trust: true, annotations: { gui-x: 1 } }
  more: { charm: ./nowhere, num_units: 1, to: [2] }
  mysql: { options: { port: 3306 }, to: [0, 3] }
machines: { "0": { base: ubuntu@22.04 }, "2": , "3": }
`,
    );
    const diff = await stdoutOf('diff-bundle base.yaml --overlay overlay.yaml --annotations');
    expect(diff.replaceAll(cli.folder, '/here')).toMatchInlineSnapshot(`
      "applications:
        blog:
          charm:
            bundle: /here/mysql
            model: local:blog-0
          num_units:
            bundle: 2
            model: 1
          expose:
            bundle: true
            model: false
          annotations:
            gui-x:
              bundle: "1"
              model: null
          trust:
            bundle: true
            model: false
        extra:
          missing: bundle
        more:
          missing: model
        mysql:
          num_units:
            bundle: 2
            model: 3
          options:
            mode:
              bundle: fast
              model: slow
            port:
              bundle: 3306
              model: 3307
          constraints:
            bundle: mem=2048M
            model: mem=4096M
      machines:
        "0":
          base:
            bundle: ubuntu@22.04
            model: ubuntu@24.04
        "3":
          missing: bundle
      relations:
        bundle-additions:
        - - log
          - blog:juju-info
        model-additions:
        - - extra:info
          - mysql:juju-info
      "
    `);
  });
});

test.each([
  ['diff-bundle', 'no bundle specified', 2],
  ['diff-bundle a b', 'unrecognized args', 2],
  ['diff-bundle ./mysql', '"./mysql" is not a bundle', 2],
  ['diff-bundle none.yaml', 'no such file', 1],
  ['diff-bundle some.yaml --channel edge', '--channel is for bundles from Charmhub', 2],
  ['diff-bundle some.yaml --map-machines 1-2', '--map-machines', 2],
  ['export-bundle more', 'unrecognized args', 2],
])('%s fails', async (line, message, code) => {
  await fails(line, message, code);
});

test('--include-charms exports resources whose files have one name into a file each', async () => {
  charm('twins', 'resources:\n  one: {filename: data.tgz}\n  two: {filename: data.tgz}\n');
  writeFileSync(join(cli.folder, 'first.tgz'), 'first');
  writeFileSync(join(cli.folder, 'second.tgz'), 'second');
  await ok('deploy ./twins --resource one=first.tgz --resource two=second.tgz');
  await ok('export-bundle --include-charms ./twins-out');
  expect(readFileSync(join(cli.folder, 'twins-out/twins-data.tgz'), 'utf8')).toBe('first');
  expect(readFileSync(join(cli.folder, 'twins-out/twins-two-data.tgz'), 'utf8')).toBe('second');
  expect(readFileSync(join(cli.folder, 'twins-out/bundle.yaml'), 'utf8')).toContain(
    'resources:\n      one: ./twins-data.tgz\n      two: ./twins-two-data.tgz\n',
  );
});

test('--include-charms exports resources, which the bundle sends along again', async () => {
  charm(
    'files',
    'resources:\n  blob: {filename: blob.tgz}\n  image: {type: oci-image}\n  none: {filename: x}\n',
  );
  writeFileSync(join(cli.folder, 'content.tgz'), 'the content');
  await ok('deploy ./files --resource blob=content.tgz --resource image=some/image:1');
  await ok('export-bundle --include-charms ./whole');
  expect(readFileSync(join(cli.folder, 'whole/files-blob.tgz'), 'utf8')).toBe('the content');
  expect(readFileSync(join(cli.folder, 'whole/bundle.yaml'), 'utf8')).toContain(
    'resources:\n      blob: ./files-blob.tgz\n      image: ./files-image.yaml\n',
  );
  await addModel();
  await ok('deploy ./whole');
  expect(await stdoutOf('resources files')).toMatch(
    /blob +admin +\d{4}-.*\nimage +admin +\d{4}-.*\nnone +upload +-\n/,
  );
  expect((await ok('deploy ./whole')).stderr).toContain('No changes to apply.');
});
