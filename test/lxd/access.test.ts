/** Access to an LXD over https: trust tokens, unexpected certificates, and controllers. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLog } from '../../src/kit/log.ts';
import { createLxdProvider } from '../../src/providers/clouds/lxd/index.ts';
import type { CloudSpec, Credential, Environ, OpenParams } from '../../src/providers/contract/provider.ts';
import { lxdAt } from './server.ts';

/** LXD of this file's own, whose settings no other file changes. */
const lxd = lxdAt(4, { quick: false });
const endpoint = 'https://127.0.0.1:18444';
const never = new AbortController().signal;
const params = { label: 'test', clock: systemClock, signal: never };
const provider = createLxdProvider();

beforeAll(() => lxd.up(() => undefined));
afterAll(async () => {
  await lxd.down();
  expect(lxd.traces()).toEqual([]);
});

const local: CloudSpec = { name: 'localhost', type: 'lxd', region: '', endpoint: lxd.socket, config: {} };

function open(cloud: CloudSpec, more: Partial<OpenParams> = {}): Environ {
  return provider.open({
    cloud,
    config: provider.validate({}),
    controllerUuid: randomUUID(),
    modelUuid: randomUUID(),
    modelName: 'access',
    stateDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
    ...more,
  });
}

function remote(credential: Credential): CloudSpec & { readonly credential: Credential } {
  return { name: 'far', type: 'lxd', region: '', endpoint, config: {}, credential };
}

const token = async (): Promise<string> => {
  const output = await lxd.lxc('config', 'trust', 'add', '--name', 'grigri-test');
  return output.trim().split('\n').at(-1)!;
};
const interactive = (attributes: Readonly<Record<string, string>>): Credential => ({
  authType: 'interactive',
  attributes,
});
const settings = async (): Promise<Record<string, string>> =>
  (await lxd.query<{ config: Record<string, string> }>('/1.0')).config;
const trusted = async (): Promise<string[]> =>
  (await lxd.query<{ name: string }[]>('/1.0/certificates?recursion=1')).map(({ name }) => name);

test('a trust token is exchanged for a certificate once', async () => {
  await lxd.lxc('config', 'set', 'core.https_address', '127.0.0.1:18444');
  try {
    const given = interactive({ 'trust-token': await token() });
    const credential = await provider.finalizeCredential!(remote(given), params);
    expect(credential.authType).toBe('certificate');
    expect(Object.keys(credential.attributes)).toEqual(['client-cert', 'client-key', 'server-cert']);
    expect(await open(remote(credential)).instances.list(never)).toEqual([]);
    expect(await provider.finalizeCredential!(remote(credential), params)).toEqual(credential);
    await expect(provider.finalizeCredential!(remote(given), params)).rejects.toMatchObject({
      class: 'credential',
      message: expect.stringMatching(/does not accept the trust token .*a token can be used once/) as string,
    });
  } finally {
    await lxd.lxc('config', 'unset', 'core.https_address');
    for (const { fingerprint } of await lxd.query<{ fingerprint: string }[]>('/1.0/certificates?recursion=1'))
      await lxd.lxc('config', 'trust', 'remove', fingerprint);
  }
});

test('a certificate may be restricted to one project', async () => {
  await lxd.lxc('config', 'set', 'core.https_address', '127.0.0.1:18444');
  await lxd.lxc(
    'project',
    'create',
    'narrow',
    '-c',
    'features.profiles=false',
    '-c',
    'features.images=false',
  );
  const output = await lxd.lxc(
    'config',
    'trust',
    'add',
    '--name',
    'x',
    '--restricted',
    '--projects',
    'narrow',
  );
  const given = interactive({ 'trust-token': output.trim().split('\n').at(-1)! });
  const credential = await provider.finalizeCredential!(remote(given), params);
  const environ = open(remote(credential), { config: provider.validate({ project: 'narrow' }) });
  const base = { name: 'debian', channel: '12/stable' };
  await environ.precheck({ base, constraints: {} });
  const agent = { toolsDir: '', dataDir: '/var/lib/juju', agentConf: '', version: '3.6.0' };
  const progress = (): void => undefined;
  const machine = { machineId: '0', nonce: 'n', base, constraints: {}, tags: {}, agent, progress };
  const { instance } = await environ.instances.start(machine, never);
  expect(await environ.instances.list(never)).toMatchObject([{ id: instance.id }]);
  await environ.destroyController(never);
  expect(await environ.instances.list(never)).toEqual([]);
  await lxd.lxc('project', 'delete', 'narrow');
  await lxd.lxc('config', 'unset', 'core.https_address');
  for (const { fingerprint } of await lxd.query<{ fingerprint: string }[]>('/1.0/certificates?recursion=1'))
    await lxd.lxc('config', 'trust', 'remove', fingerprint);
});

test('invalid tokens are refused: another server’s, none, and malformed ones', async () => {
  await lxd.lxc('config', 'set', 'core.https_address', '127.0.0.1:18444');
  try {
    const decoded = JSON.parse(Buffer.from(await token(), 'base64').toString()) as object;
    const other = Buffer.from(JSON.stringify({ ...decoded, fingerprint: 'ab'.repeat(32) })).toString(
      'base64',
    );
    const refusal = async (attributes: Readonly<Record<string, string>>): Promise<unknown> =>
      await provider.finalizeCredential!(remote(interactive(attributes)), params).catch(
        (error: unknown) => error,
      );
    expect(await refusal({ 'trust-token': other })).toMatchObject({
      class: 'credential',
      message: expect.stringContaining('does not have the certificate that the trust token is for') as string,
    });
    expect(await refusal({})).toMatchObject({
      class: 'credential',
      message: expect.stringContaining('lxc config trust add') as string,
    });
    const wrong = (await refusal({ 'trust-token': 'hush-hush' })) as Error;
    expect(wrong).toMatchObject({ class: 'credential' });
    expect(wrong.message).not.toContain('hush-hush');
    expect(await trusted()).toEqual([]);
  } finally {
    await lxd.lxc('config', 'unset', 'core.https_address');
  }
});

test('another server’s certificate and an untrusted client are refused', async () => {
  const controllerUuid = randomUUID();
  const cloud = await provider.cloudForController!(local, {
    controllerUuid,
    clock: systemClock,
    signal: never,
  });
  const { attributes } = cloud.credential!;
  const withServer = (certificate: string): Environ =>
    open({
      ...cloud,
      credential: { authType: 'certificate', attributes: { ...attributes, 'server-cert': certificate } },
    });
  const list = (environ: Environ): Promise<unknown> =>
    environ.instances.list(never).catch((error: unknown) => error);
  // Certificates other than the server's serve as another server's: here the client's own.
  expect(await list(withServer(attributes['client-cert']!))).toMatchObject({
    class: 'credential',
    message: expect.stringMatching(/shows another certificate \(SHA-256 [0-9a-f]{64}\)/) as string,
  });
  expect(await list(withServer(''))).toMatchObject({
    class: 'credential',
    message: expect.stringContaining('add it to the credential as server-cert') as string,
  });
  expect(await list(open(cloud))).toEqual([]);
  await open(local, { controllerUuid }).destroyController(never);
  await lxd.lxc('config', 'set', 'core.https_address', `${lxd.bridgeAddress}:8443`);
  expect(await list(open(cloud))).toMatchObject({
    class: 'credential',
    message: expect.stringContaining('not trusted by the server') as string,
  });
  await lxd.lxc('config', 'unset', 'core.https_address');
});

test('controllers on instances use https and a certificate, and destroying the last one removes both', async () => {
  const before = await settings();
  const [one, two] = [randomUUID(), randomUUID()];
  const access = (controllerUuid: string): Promise<CloudSpec> =>
    provider.cloudForController!(local, { controllerUuid, clock: systemClock, signal: never });
  const first = await access(one);
  expect(first.endpoint).toBe(`https://${lxd.bridgeAddress}:8443`);
  const second = await access(two);
  const again = await access(one);
  expect((await trusted()).toSorted()).toEqual(
    [`grigri-controller-${one}`, `grigri-controller-${two}`].toSorted(),
  );
  expect(await open(again).instances.list(never)).toEqual([]);
  // The first certificate is not trusted any more.
  await expect(open(first).instances.list(never)).rejects.toMatchObject({ class: 'credential' });
  await open(local, { controllerUuid: one }).destroyController(never);
  expect(await open(second).instances.list(never)).toEqual([]);
  await open(local, { controllerUuid: two }).destroyController(never);
  await open(local, { controllerUuid: two }).destroyController(never);
  expect(await settings()).toEqual(before);
  expect(await trusted()).toEqual([]);
});

test('an https address that LXD listens on already is left unchanged', async () => {
  const controllerUuid = randomUUID();
  await lxd.lxc('config', 'set', 'core.https_address', ':18444');
  try {
    const before = await settings();
    const cloud = await provider.cloudForController!(local, {
      controllerUuid,
      clock: systemClock,
      signal: never,
    });
    expect(cloud.endpoint).toBe(`https://${lxd.bridgeAddress}:18444`);
    expect(await open(cloud).instances.list(never)).toEqual([]);
    await open(local, { controllerUuid }).destroyController(never);
    expect(await settings()).toEqual(before);
    expect(await trusted()).toEqual([]);
  } finally {
    await lxd.lxc('config', 'unset', 'core.https_address');
  }
});
