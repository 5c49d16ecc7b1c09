import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cli, controller, prepareCli } from '../../testing/cli-world.ts';

let models = 0;

prepareCli(() => {
  for (const [name, metadata] of Object.entries(charms)) writeCharm(name, metadata);
});
beforeEach(() => ok(`add-model m${++models}`));

const charms = {
  kv: 'provides:\n  db: {interface: kv}\n',
  web: 'requires:\n  db: {interface: kv, optional: false}\n  cache: {interface: kv}\n',
};

function writeCharm(name: string, metadata: string): void {
  write(`${name}/hooks/install`, '#!/bin/sh\n', 0o755);
  write(`${name}/metadata.yaml`, `name: ${name}\nsummary: s\ndescription: d\n${metadata}`);
  write(
    `${name}/config.yaml`,
    'options:\n  port: {type: int, default: 80, description: TCP port.}\n  motto: {type: string, description: Text.}\n',
  );
}
function write(name: string, content: string, mode = 0o644): string {
  const path = join(cli.folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content, { mode });
  return path;
}
/** Runs a command that must succeed, and returns its stderr. */
const ok = async (line: string): Promise<string> => {
  const run = await cli.run(line);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  return run.stderr;
};
const json = async <T>(line: string): Promise<T> =>
  JSON.parse((await cli.run(`${line} --format json`)).stdout) as T;

const shop = `applications:
  web: {charm: ./web, num_units: 2, options: {motto: "include-file://motto.txt"}, expose: true, require: [cache]}
  kv: {charm: ./kv, num_units: 1, options: {motto: "include-base64://motto.txt"}, annotations: {"gui-x": "1"}}
relations:
  - ["web:db", kv]
  - ["web:cache", kv]
`;

describe('deploy of a bundle', () => {
  test('a deploy prints its steps in an order that works, and a second deploy has nothing to do', async () => {
    write('motto.txt', 'hello');
    write('bundle.yaml', shop);
    expect(await ok('deploy .')).toBe(`Executing changes:
- upload charm ${cli.folder}/kv
- upload charm ${cli.folder}/web
- deploy application kv on ubuntu@24.04 using ${cli.folder}/kv
- set annotations for kv
- deploy application web on ubuntu@24.04 using ${cli.folder}/web
- expose all endpoints of web and allow access from CIDRs 0.0.0.0/0 and ::/0
- add relation web:cache - kv:db
- add relation web:db - kv:db
- add unit kv/0 to new machine
- add unit web/0 to new machine
- add unit web/1 to new machine
Deploy of bundle completed.
`);
    expect((await cli.run('config web motto')).stdout).toBe('hello\n');
    expect((await cli.run('config kv motto')).stdout).toBe('aGVsbG8=\n');
    expect(await ok('deploy ./bundle.yaml')).toBe('No changes to apply.\n');
    // Charms that the model has are not uploaded again.
    write('other.yaml', 'applications: {more: {charm: ./kv}}');
    expect(await ok('deploy ./other.yaml')).toContain('using local:kv-0\n');
  });

  test('an application of the model is bound and exposed as the bundle says, once', async () => {
    write('bundle.yaml', shop);
    await ok('deploy .');
    await ok('add-space dmz');
    write(
      'lay.yaml',
      'applications: {kv: {bindings: {db: dmz}}, web: {expose: false, exposed-endpoints: {db: {expose-to-spaces: [dmz]}}}}',
    );
    const changes = `
- set bindings for kv to "db=dmz"
- override expose settings for endpoint db of web and allow access from space dmz
`;
    expect(await ok('deploy . --overlay lay.yaml --dry-run')).toBe(`Changes to deploy bundle:${changes}`);
    expect((await cli.run('deploy . --overlay lay.yaml')).stderr).toContain(
      'binding endpoint "db" to space "dmz" is not feasible',
    );
    expect(await ok('deploy . --overlay lay.yaml --force')).toBe(
      `Executing changes:${changes}Deploy of bundle completed.\n`,
    );
    const shown = await json<Record<string, { 'endpoint-bindings': unknown }>>('show-application kv');
    expect(shown['kv']!['endpoint-bindings']).toMatchObject({ '': 'alpha', db: 'dmz' });
    expect(await ok('deploy . --overlay lay.yaml')).toBe('No changes to apply.\n');
  });

  test('an overlay names files relative to itself, and applications that the bundle no longer has stay', async () => {
    write('bundle.yaml', shop);
    await ok('deploy .');
    write('over/motto.txt', 'other');
    write(
      'over/lay.yaml',
      'applications: {kv: {options: {motto: "include-file://motto.txt"}}, web: {num_units: 1}}',
    );
    expect(await ok('deploy . --overlay over/lay.yaml --dry-run')).toBe(
      'WARNING web keeps its units: 2, the bundle has 1; remove the others with remove-unit\n' +
        'Changes to deploy bundle:\n- set application options for kv: motto\n',
    );
    await ok('deploy . --overlay over/lay.yaml');
    expect((await cli.run('config kv motto')).stdout).toBe('other\n');
  });

  test('a charm that was stored before requirements existed is uploaded again', async () => {
    await ok('deploy ./web --require cache');
    const { store } = controller.running();
    const model = [...store.read().in('').list('model')].find(({ name }) => name === `m${models}`)!;
    await store.change((tx) => {
      const space = tx.in(model.uuid);
      const charm = space.get('charm', 'local:web-0')!;
      const { required: _, ...meta } = charm.meta;
      space.put('charm', charm.url, { ...charm, meta });
    }, 'test');
    write('later.yaml', 'applications: {later: {charm: ./web}}');
    expect(await ok('deploy ./later.yaml')).toContain('later waits for relations: db (kv)\n');
  });

  test('an application gets the bundle’s changed charm only when the charm has the same name', async () => {
    write('sub/bundle.yaml', 'applications: {kv: {charm: ../kv}}');
    await ok('deploy sub');
    write('kv/new-file', 'x');
    expect(await ok('deploy sub')).toBe(
      `Executing changes:\n- upload charm ${cli.folder}/kv\n- upgrade kv to charm ${cli.folder}/kv\nDeploy of bundle completed.\n`,
    );
    expect(await ok('deploy sub')).toBe('No changes to apply.\n');
    write('sub/bundle.yaml', 'applications: {kv: {charm: ../web}}');
    expect(await ok('deploy sub')).toBe(
      'WARNING kv keeps its charm local:kv-1: that of the bundle has another name, or the model does not have it\nNo changes to apply.\n',
    );
  });

  test('applications that would wait are reported first, and in structured output', async () => {
    write('bundle.yaml', 'applications: {web: {charm: ./web, num_units: 1}}');
    const warning = 'WARNING web would wait for relations: db (kv)\n';
    const [line, ...rest] = (await ok('deploy . --dry-run')).split('\n');
    expect(`${line}\n`).toBe(warning);
    expect(rest).toContain('- add unit web/0 to new machine (waits for relations: db (kv))');
    const missing = [{ endpoint: 'db', interface: 'kv', applications: [] }];
    const pending = [{ application: 'web', missing, units: 1, running: 0 }];
    expect(await json('deploy . --dry-run')).toMatchObject({ requirements: { pending } });
    expect(await json('deploy .')).toMatchObject({ requirements: { deployable: [], circles: [], pending } });
    // A missing requirement may be met by an application that the model has already.
    await ok('deploy ./kv');
    write(
      'bundle.yaml',
      'applications: {web: {charm: ./web, num_units: 1}, kv: {charm: ./kv, num_units: 1}}\nrelations: [["web:db", kv]]',
    );
    expect(await ok('deploy .')).not.toMatch(/wait/);
  });

  test('the machine of a pending unit is made when other units are placed on it, and the unit gets it later', async () => {
    const bundle = `applications:
  web: {charm: ./web, num_units: 1, to: [lxd]}
  beside: {charm: ./kv, num_units: 2, to: [web/0, "lxd:web/0"]}
`;
    write('bundle.yaml', bundle);
    const lines = (await ok('deploy .')).split('\n').filter((line) => line.startsWith('- add'));
    expect(lines).toEqual([
      '- add lxd container 0/lxd/0 on new machine (for web/0)',
      '- add unit web/0 to machine 0/lxd/0 (waits for relations: db (kv))',
      '- add unit beside/0 to machine 0/lxd/0',
      '- add unit beside/1 to lxd on machine 0',
    ]);
    expect(await ok('deploy .')).toMatch(/No changes to apply/);
    await ok('integrate web:db beside');
    await expect
      .poll(async () => {
        const { applications } = await json<{
          applications: Record<string, { units: Record<string, { machine?: string }> }>;
        }>('status');
        return Object.values(applications).flatMap(({ units }) =>
          Object.entries(units).map(([name, { machine }]) => `${name} ${machine}`),
        );
      })
      .toEqual(['beside/0 0/lxd/0', 'beside/1 0/lxd/1', 'web/0 0/lxd/0']);
  });

  test('a failed deploy reports the steps that were done, and the same command continues', async () => {
    const bundle = (to: string): string =>
      `applications: {kv: {charm: ./kv, num_units: 1}, web: {charm: ./web, num_units: 1, to: [${to}]}}\nrelations: [["web:db", kv]]`;
    write('bundle.yaml', bundle('nonsense=1'));
    const { code, stderr } = await cli.run('deploy .');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\nStopped at: add unit web\/0 to nonsense=1\n\d+ of \d+ changes are made; run the same command again/,
    );
    expect(stderr).toMatch(/\nERROR cannot deploy bundle: /);
    write('bundle.yaml', bundle('new'));
    expect(await ok('deploy .')).toBe(
      'Executing changes:\n- add unit web/0 to new machine\nDeploy of bundle completed.\n',
    );
  });

  test('^C ends the deploy between two steps', async () => {
    write(
      'bundle.yaml',
      'applications: {kv: {charm: ./kv, num_units: 1}, more: {charm: ./kv, num_units: 1}}',
    );
    const stop = new AbortController();
    let output = '';
    const { code } = await cli.run('deploy .', {
      signal: stop.signal,
      stderr: {
        isTTY: false,
        isClosed: false,
        writeRaw: () => undefined,
        write: (text) => {
          output += text;
          if (text.startsWith('- deploy application more')) stop.abort();
        },
      },
    });
    expect(code).toBe(130);
    expect(output).toMatch(/\nStopped at: add unit kv\/0 to new machine\n3 of 5 changes are made; .*\n$/);
    expect(await ok('deploy .')).toBe(
      'Executing changes:\n- add unit kv/0 to new machine\n- add unit more/0 to new machine\nDeploy of bundle completed.\n',
    );
  });

  test('many units without placement are added by one call, and each is printed', async () => {
    write('bundle.yaml', 'applications: {kv: {charm: ./kv, num_units: 120}}');
    const lines = (await ok('deploy .')).split('\n').filter((line) => line.startsWith('- add unit'));
    expect(lines).toHaveLength(120);
    expect(lines.at(-1)).toBe('- add unit kv/119 to new machine');
  });

  test.each([
    ['applications: {kv: {charm: kv}}', 'Charmhub charms are not supported'],
    ['applications: {kv: {charm: ./nothing}}', 'application "kv": no charm was found at'],
    ['applications: {kv: {charm: "local:kv-77"}}', 'application "kv": charm'],
    ['applications: {kv: {charm: ./kv, options: {motto: "include-file://none"}}}', 'no such file: '],
    ['applications: {kv: {charm: ./kv, trust: true}}', "gives kv access to the cloud's credentials"],
    ['applications: {kv: {charm: ./kv, options: {port: many}}}', 'option "port" expected int'],
    ['applications: {kv: {charm: ./kv, num_units: 1000000000}}', 'more than 100000 units'],
    [
      'applications: {kv: {charm: ./kv, options: {motto: "include-file:///dev/zero"}}}',
      '/dev/zero: larger than 1 MiB',
    ],
    ['a: [', 'bundle.yaml: '],
    ['', 'the file is empty'],
  ])('%s is refused before anything is changed', async (content, message) => {
    write('bundle.yaml', content);
    const { code, stderr } = await cli.run('deploy .');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) as string });
    expect(stderr).not.toContain('Executing');
    expect((await json<{ applications: object }>('status')).applications).toEqual({});
  });

  test.each([
    ['deploy . -n 2 --to 0', 'options provided but not supported when deploying a bundle: --num-units, --to'],
    ['deploy . name', 'cannot specify an application name'],
    ['deploy . --map-machines x', '--map-machines: expected "existing" or'],
    ['deploy ./kv --overlay x', 'options provided but not supported when deploying a charm: --overlay'],
  ])('%s is refused', async (line, message) => {
    write('bundle.yaml', 'applications: {kv: {charm: ./kv}}');
    expect(await cli.run(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    });
  });
});
