/** Invalid input is refused with a helpful message, and leaves nothing. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeZip, type ZipEntry } from '../../src/testing/zip.ts';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let blobsBefore: string[];
const kv = join(root, 'examples/kv');
const metadata = 'name: odd\nsummary: s\ndescription: d\n';

beforeAll(async () => {
  world = await startWorld('bad-input');
  blobsBefore = blobs();
});
afterAll(async () => expect(await world.end()).toEqual([]));

function blobs(): string[] {
  return readdirSync(join(world.dir, 'controller/blobs'), { recursive: true, encoding: 'utf8' }).sort();
}

async function nothingLeft(): Promise<void> {
  const { applications, machines } = await world.status();
  expect({ applications, machines }).toEqual({ applications: {}, machines: {} });
  expect(world.instances()).toEqual([]);
  expect(blobs()).toEqual(blobsBefore);
}

async function refused(args: readonly string[], code: number, message: string | RegExp): Promise<void> {
  const ran = await world.attempt(...args);
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr).toMatch(/^ERROR /m);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(ran.code).toBe(code);
}

function archive(name: string, entries: readonly ZipEntry[]): string {
  const path = join(world.dir, `${name}.charm`);
  writeFileSync(path, makeZip(entries));
  return path;
}

describe('deploying an invalid charm', () => {
  afterEach(nothingLeft);

  test('a folder without metadata.yaml is refused', async () => {
    const folder = join(world.dir, 'empty');
    mkdirSync(folder);
    await refused(
      ['deploy', folder],
      1,
      `"${folder}" is not a charm: it has neither metadata.yaml nor charmcraft.yaml`,
    );
  });

  test('an archive without metadata.yaml is refused', async () => {
    const path = archive('bare', [{ name: 'hooks/install', mode: 0o100755, content: '#!/bin/sh\n' }]);
    await refused(['deploy', path], 1, `"${path}" is not a charm: it has no metadata.yaml`);
  });

  test('a folder with a symlink that leads out is refused', async () => {
    const folder = world.charm('odd', { hooks: { install: ':' } });
    symlinkSync('../../../etc', join(folder, 'way-out'));
    await refused(
      ['deploy', folder],
      1,
      `${folder}/way-out links to "../../../etc", which is not in the charm`,
    );
  });

  test('a folder with a dispatch that is not executable is refused', async () => {
    const folder = world.charm('odd', { hooks: { install: ':' } });
    writeFileSync(join(folder, 'dispatch'), '#!/bin/sh\n', { mode: 0o644 });
    await refused(['deploy', folder], 1, 'dispatch is not executable (chmod +x ');
  });

  test.each<[string, ZipEntry, RegExp]>([
    ['../', { name: '../evil', content: 'x' }, /\.\.\/evil/],
    ['../ below a folder', { name: 'hooks/../../evil', content: 'x' }, /hooks\/\.\.\/\.\.\/evil/],
    ['an absolute path', { name: '/tmp/grigri-evil', content: 'x' }, /\/tmp\/grigri-evil/],
    [
      'a link out',
      { name: 'out', content: '../../etc', mode: 0o120777 },
      /"out\\?" in the archive leads out of it/,
    ],
    [
      'an absolute link',
      { name: 'out', content: '/etc/passwd', mode: 0o120777 },
      /"out\\?" in the archive leads out of it/,
    ],
  ])('an archive with %s is refused, by the command line and past it', async (_, entry, names) => {
    const path = archive('odd', [
      { name: 'metadata.yaml', content: metadata },
      { name: 'hooks/install', mode: 0o100755, content: '#!/bin/sh\n' },
      entry,
    ]);
    await refused(['deploy', path], 1, names);
    const { status, body } = await upload(readFileSync(path));
    expect(body).toMatch(names);
    expect(status).toBe(400);
  });

  test('a file that is not a zip archive is refused', async () => {
    const path = join(world.dir, 'text.charm');
    writeFileSync(path, 'not a zip');
    await refused(['deploy', path], 1, /text\.charm/);
  });

  test.each([
    ['nothing', ['deploy', './nothing'], 1, /no charm was found at ".*\/nothing"/],
    ['a name of the store', ['deploy', 'postgresql'], 1, /"postgresql" not found: .*\.\/postgresql/],
    ['no charm at all', ['deploy'], 2, 'no charm or bundle specified'],
  ] as const)('%s', (_, args, code, message) => refused(args, code, message));
});

describe('deploying with invalid options', () => {
  afterEach(nothingLeft);

  test.each<[string, string[], number, string | RegExp]>([
    [
      'an unknown base',
      ['--base', 'ubuntu@99.04'],
      1,
      'base "ubuntu@99.04" is not supported, supported bases are: ubuntu@20.04',
    ],
    [
      'a base that the charm lacks',
      ['--base', 'centos@9'],
      1,
      'base "centos@9" is not supported by the charm, supported bases are: ubuntu@24.04',
    ],
    [
      'no base',
      ['--base', 'noble'],
      1,
      `expected base string to contain os and channel separated by '@', got "noble"`,
    ],
    ['a machine that is not', ['--to', '7'], 1, 'machine 7 not found'],
    ['a container that is not', ['--to', '0/lxd/1'], 1, 'machine 0/lxd/1 not found'],
    ['an unknown option', ['--config', 'colour=1'], 1, 'unknown option "colour"'],
    ['an option of another type', ['--config', 'port=many'], 1, 'option "port" expected int, got "many"'],
    ['a file of options that is not', ['--config', './none.yaml'], 1, 'none.yaml'],
    ['an unknown constraint', ['--constraints', 'memory=1G'], 1, 'unknown constraint "memory"'],
    ['a constraint of nonsense', ['--constraints', 'mem=lots'], 1, 'bad "mem" constraint'],
    ['another name than names are', ['Odd_Name'], 2, 'invalid application name "Odd_Name"'],
    ['fewer than no units', ['-n', '-3'], 2, '--num-units must be a positive integer'],
    ['an unknown flag', ['--colour'], 2, 'option provided but not defined: --colour'],
    ['another model', ['-m', 'nowhere'], 1, /model .*admin\/nowhere not found/],
    ['another controller', ['-m', 'nobody:work'], 1, 'controller nobody not found'],
  ])('%s', (_, args, code, message) => refused(['deploy', kv, ...args], code, message));
});

describe('naming entities that do not exist', () => {
  test.each<[string[], number, string | RegExp]>([
    [['integrate', 'a', 'b'], 1, 'application "a" not found'],
    [['remove-relation', 'a', 'b'], 1, 'application "a" not found'],
    [['remove-application', '--no-prompt', 'nix'], 1, 'application "nix" not found'],
    [['remove-unit', '--no-prompt', 'nix/0'], 1, 'unit "nix/0" not found'],
    [['remove-unit', '--no-prompt', 'nix'], 2, 'invalid unit name "nix"'],
    [['remove-machine', '--no-prompt', '5'], 1, /machine "?5"? not found/],
    [['config', 'nix'], 1, 'application "nix" not found'],
    [['expose', 'nix'], 1, 'application "nix" not found'],
    [['add-unit', 'nix'], 1, 'application "nix" not found'],
    [['resolved', 'nix/0'], 1, 'unit "nix/0" not found'],
    [['show-unit', 'nix/0'], 1, 'unit "nix/0" not found'],
    [['show-application', 'nix'], 1, 'application "nix" not found'],
    [['show-machine', '9'], 1, 'machine 9 not found'],
    [['ssh', 'nix/0', 'true'], 1, 'application "nix" not found'],
    [['status', '-m', 'nowhere'], 1, /model .*admin\/nowhere not found/],
    [['status', '-m', 'nobody:work'], 1, 'controller nobody not found'],
    [['switch', 'nowhere'], 1, '"nowhere" is not the name of a model or controller'],
    [['destroy-model', '--no-prompt', 'nowhere'], 1, /model .*admin\/nowhere not found/],
    [['kill-controller', '--no-prompt', 'nobody'], 1, 'controller nobody not found'],
    [['add-model', 'work'], 1, 'model "work" for admin already exists'],
    [['model-config', 'hook-timeout=soon'], 1, 'hook-timeout: invalid duration "soon"'],
    [['frobnicate'], 2, '"frobnicate" is not a grigri command'],
  ])('%j', (args, code, message) => refused(args, code, message));

  test('a command on a unit that does not exist is not scheduled', async () => {
    const ran = await world.attempt('exec', '--unit', 'nix/0', '--', 'true');
    expect(ran.stderr).toMatch(/^Operation \d+ failed to schedule any tasks:\nunit "nix\/0" not found\n$/);
    expect(ran.code).toBe(0);
  });
});

describe('invalid commands on a deployed application', () => {
  beforeAll(async () => {
    const charm = world.charm('small', {
      hooks: { start: 'status-set active' },
      metadata: 'provides:\n  site:\n    interface: http\nrequires:\n  db:\n    interface: kv\n',
      config: 'options:\n  n:\n    type: int\n    default: 1\n',
    });
    await world.grigri('deploy', charm, 'one');
    await world.grigri('deploy', charm, 'two', '-n', '0');
    await world.untilUnit('one/0', { workload: 'active', agent: 'idle' });
  });

  test.each<[string, () => string[], number, string | RegExp]>([
    [
      'its name again',
      () => ['deploy', kv, 'one'],
      1,
      'cannot add application "one": application already exists',
    ],
    [
      'its machine, for another base',
      () => ['deploy', kv, '--base', otherBase(), '--to', '0'],
      1,
      /base does not match: machine 0 has .*, application "kv" /,
    ],
    ['an unknown option', () => ['config', 'one', 'colour=1'], 1, 'unknown option "colour"'],
    [
      'an option of another type',
      () => ['config', 'one', 'n=many'],
      1,
      'option "n" expected int, got "many"',
    ],
    [
      'an endpoint that it has not',
      () => ['integrate', 'one:nix', 'two'],
      1,
      /application "one" has no "nix" (relation|endpoint)/,
    ],
    [
      'what does not relate',
      () => ['integrate', 'one:site', 'two:db'],
      1,
      'no relations found: "one:site" provides site (http); "two:db" requires db (kv)',
    ],
    ['a relation that is not', () => ['remove-relation', 'one', 'two'], 1, /no relations found: "one" /],
    ['a unit that is not', () => ['remove-unit', '--no-prompt', 'one/7'], 1, 'unit "one/7" not found'],
    [
      'its machine, while it is used',
      () => ['remove-machine', '--no-prompt', '0'],
      1,
      /machine 0 has unit|machine "?0"? .*unit/,
    ],
    [
      'an unknown constraint',
      () => ['set-constraints', 'one', 'memory=1G'],
      1,
      'unknown constraint "memory"',
    ],
    ['a wish to expose what it has not', () => ['expose', 'one', '--endpoints', 'nix'], 1, /nix/],
  ])('%s', async (_, args, code, message) => {
    const before = JSON.stringify(Object.keys((await world.status()).applications));
    const kept = blobs();
    await refused(args(), code, message);
    expect(JSON.stringify(Object.keys((await world.status()).applications))).toBe(before);
    expect(blobs()).toEqual(kept);
  });

  test('a machine with units is not removed without force', async () => {
    await world.grigri('add-machine');
    const machine = Object.keys((await world.status()).machines).find((id) => id !== '0')!;
    await world.until(
      'its agent',
      async () => (await world.status()).machines[machine]?.['juju-status'].current === 'started',
    );
    // Frozen agents cannot take part in the removal.
    const agent = world.agentPid(machine)!;
    process.kill(agent, 'SIGSTOP');
    await world.grigri('remove-machine', machine, '--no-prompt');
    await refused(['deploy', kv, '--to', machine], 1, `machine ${machine} is dying`);
    await refused(['add-unit', 'one', '--to', machine], 1, `machine ${machine} is dying`);
    process.kill(agent, 'SIGCONT');
    await world.clear('one', 'two');
  });

  /** Returns a base of the charm kv that the host's machines do not have. */
  function otherBase(): string {
    const machine = readFileSync('/etc/os-release', 'utf8');
    return /VERSION_ID="22.04"/.test(machine) ? 'ubuntu@24.04' : 'ubuntu@22.04';
  }
});

/** Uploads past the client's own checks. */
async function upload(content: Buffer): Promise<{ status: number; body: string }> {
  const text = (name: string): string => readFileSync(join(world.dir, 'client', name), 'utf8');
  const password = /password: (\S+)/.exec(text('accounts.yaml'))![1]!;
  const endpoint = /(127\.0\.0\.1:\d+|\[?[0-9a-f.:]+\]?:\d+)/.exec(
    /api-endpoints:([^\n]*(\n\s+- .*)*)/.exec(text('controllers.yaml'))![1]!,
  )![1]!;
  const models = JSON.parse(await world.grigri('models', '--format', 'json')) as {
    models: { 'short-name': string; 'model-uuid': string }[];
  };
  const model = models.models.find((one) => one['short-name'] === 'work')!['model-uuid'];
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 7);
  return await new Promise((resolve, reject) => {
    const sent = request(
      `https://${endpoint}/model-${model}/charms/odd-${hash}`,
      {
        method: 'PUT',
        // The certificate names the controller; the client's commands have verified its identity already.
        rejectUnauthorized: false,
        auth: `user-admin:${password}`,
        headers: {
          'Content-Type': 'application/zip',
          'Content-Length': content.length,
          'Juju-Curl': 'local:odd-0',
        },
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    sent.on('error', reject);
    sent.end(content);
  });
}
