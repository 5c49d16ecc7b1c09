/**
 * Bootstrap into a cloud, up to the point where it needs a host behind the instance: everything that it made is removed
 * again.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ProviderError,
  type Environ,
  type Provider,
  type StartParams,
} from '../../providers/contract/provider.ts';
import { createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { testCli, type TestCli } from '../../testing/cli.ts';
import { runtimeArch } from './runtime.ts';

let cli: TestCli;
/** Requests to the cloud, in order. */
let cloudRequests: string[];
/** Zones without capacity. */
let full: string[];
let environs: Environ[];

let sky: Provider;
const otherArch = runtimeArch === 'amd64' ? 'arm64' : 'amd64';

/** Returns a cloud that starts controllers whose addresses lead nowhere. */
function cloud(): Provider {
  const simulated = createSimulatedProvider();
  return {
    ...simulated,
    controllerOn: 'instance',
    firewallModes: ['instance', 'none'],
    authTypes: { userpass: { password: { type: 'string', description: 'the password', secret: true } } },
    builtinCloud: { name: 'sky', description: 'a cloud', regions: ['north', 'south'] },
    detect: () =>
      Promise.resolve([
        {
          name: 'sky',
          endpoint: 'https://sky.example',
          regions: ['north', 'south'],
          credentials: {
            me: { label: 'me', authType: 'userpass', attributes: { password: 'open sesame' } },
          },
        },
      ]),
    cloudForController(spec) {
      cloudRequests.push('let a controller in');
      return Promise.resolve(spec);
    },
    open(params) {
      const environ = simulated.open(params);
      const recordedEnviron: Environ = {
        ...environ,
        instances: {
          ...environ.instances,
          get: async (ids, signal) =>
            (await environ.instances.get(ids, signal)).map((one) => one && { ...one, addresses: [] }),
        },
        bootstrap(start, signal) {
          cloudRequests.push(
            `start in ${start.zone}: ${start.tags['juju-is-controller']} ${start.constraints.mem}`,
          );
          if (full.includes(start.zone ?? '')) return Promise.reject(new ProviderError('zonal', 'no room'));
          const agent = { toolsDir: '', dataDir: '', agentConf: '', version: '' };
          return environ.instances.start({ ...start, agent } as StartParams, signal);
        },
        destroyController(signal) {
          cloudRequests.push('destroy the controller');
          return environ.destroyController(signal);
        },
      };
      environs.push(recordedEnviron);
      return recordedEnviron;
    },
  };
}

beforeEach(() => {
  cli = testCli();
  cloudRequests = [];
  full = [];
  environs = [];
  sky = cloud();
});
afterEach(() => cli[Symbol.dispose]());

const run = (line: string, more: Parameters<TestCli['run']>[1] = {}) =>
  cli.run(line, { ...more, providers: () => Promise.resolve(new Map([[sky.type, sky]])) });
const quick = '--config bootstrap-timeout=0.2';
const remainingInstances = () => environs[0]!.instances.controllers(new AbortController().signal);

test('a bootstrap removes everything when its instance cannot be reached', async () => {
  const { code, stderr } = await run(`bootstrap sky/south mine ${quick}`);
  expect(code).toBe(1);
  expect(stderr).toContain('Creating Juju controller "mine" on sky/south\n');
  expect(stderr).toMatch(/\n - \S+ \(arch=/);
  expect(stderr).toMatch(
    /\nERROR cannot connect to the instance within 0.2 s \(bootstrap-timeout\): the instance has no address\n/,
  );
  expect(cloudRequests).toEqual([
    'let a controller in',
    'start in zone1: true 3584',
    'destroy the controller',
  ]);
  expect(await remainingInstances()).toEqual([]);
  expect(await cli.store.controllers()).toEqual({});
  expect(await cli.store.bootstrapConfig('mine')).toBeUndefined();
});

test('a bootstrap removes everything after ^C', async () => {
  const ctrlC = new AbortController();
  const stderr = {
    isTTY: false,
    isClosed: false,
    writeRaw: () => undefined,
    write: (text: string) =>
      void (text.includes('Waiting for address') && ctrlC.abort(new Error('interrupted'))),
  };
  const { code } = await run('bootstrap sky mine', { signal: ctrlC.signal, stderr });
  expect(code).toBe(130);
  expect(await remainingInstances()).toEqual([]);
  expect(await cli.store.controllers()).toEqual({});
});

test('a failed bootstrap with --keep-broken stays until kill-controller', async () => {
  const { stderr } = await run(`bootstrap sky mine --keep-broken ${quick}`);
  expect(stderr).toMatch(/Bootstrap failed; its resources are kept: instance \S+/);
  expect(stderr).toContain('To remove them, run "grigri kill-controller mine"\n');
  expect(await remainingInstances()).toHaveLength(1);
  // The file has what the removal of the controller needs, and no secret.
  const path = join(cli.folder, 'juju', 'bootstrap-config.yaml');
  expect(await cli.store.bootstrapConfig('mine')).toMatchObject({
    credential: 'me',
    cloud: 'sky',
    region: 'north',
    endpoint: 'https://sky.example',
  });
  expect(readFileSync(path, 'utf8')).not.toContain('sesame');

  expect((await run('bootstrap sky mine')).stderr).toBe(
    'ERROR controller "mine" already exists, but its bootstrap did not complete: run "grigri kill-controller mine" to remove it\n',
  );
  const killed = await run('kill-controller mine --no-prompt');
  expect(killed, killed.stderr).toMatchObject({
    code: 0,
    stderr:
      'will stop controller mine, which is not asked\n' +
      'will remove every machine of its models directly\n' +
      'Controller "mine" removed\n',
  });
  expect(await remainingInstances()).toEqual([]);
  expect(await cli.store.controllers()).toEqual({});
  expect(readdirSync(join(cli.folder, 'juju', 'clouds'))).toEqual([]);
});

test('a bootstrap tries the next zone when one has no capacity', async () => {
  full = ['zone1'];
  const { stderr } = await run(`bootstrap sky mine --bootstrap-constraints mem=1G ${quick}`);
  expect(stderr).toContain(' - zone zone1: no room\n');
  expect(cloudRequests.slice(1, 3)).toEqual(['start in zone1: true 1024', 'start in zone2: true 1024']);
});

test.each([
  ['--to zone=nowhere', 'availability zone "nowhere" not valid'],
  [`--bootstrap-constraints arch=${otherArch}`, `no controller program for ${otherArch}`],
  ['--bootstrap-constraints container=lxd', 'container constraint not allowed when bootstrapping'],
  ['--config firewall-mode=global', 'firewall-mode "global" is not supported by simulated clouds'],
  [
    '--config firewall-mode=none --config ssh-allow=192.0.2.0/24',
    'ssh-allow has no effect on machines without a firewall',
  ],
  ['--config bootstrap-timeout=soon', 'bootstrap-timeout: expected a number of seconds above 0, got "soon"'],
  ['--bootstrap-base noble', 'expected base string'],
])('%s is refused before anything is made', async (flag, message) => {
  const { code, stderr } = await run(`bootstrap sky mine ${flag}`);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(cloudRequests).toEqual([]);
  expect(await cli.store.controllers()).toEqual({});
});

test('bootstrap --clouds and --regions list clouds and regions', async () => {
  expect((await run('bootstrap --clouds')).stdout).toContain('sky    me           north\n');
  expect((await run('bootstrap --regions sky')).stdout).toBe(
    'Showing known regions for sky:\nnorth\nsouth\n',
  );
});
