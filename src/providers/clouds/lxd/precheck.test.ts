import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Constraints } from '../../../core/constraints.ts';
import { systemClock } from '../../../kit/clock.ts';
import { silentLog } from '../../../kit/log.ts';
import type { Environ, ProviderConfig } from '../../contract/provider.ts';
import { createLxdProvider } from './index.ts';
import { startTestLxd, type TestLxd } from '../../../testing/providers/test-lxd.ts';

const never = new AbortController().signal;
const provider = createLxdProvider();
let lxd: TestLxd;

beforeEach(async () => {
  lxd = await startTestLxd();
});
afterEach(() => lxd.close());

function open(config: ProviderConfig = {}): Environ {
  return provider.open({
    cloud: lxd.spec,
    config: provider.validate(config),
    controllerUuid: randomUUID(),
    modelUuid: randomUUID(),
    modelName: 'test',
    stateDir: '/nowhere',
    clock: systemClock,
    log: silentLog,
  });
}

/** Returns the refusal; '' = the request may start. */
async function refusal(
  params: { base?: string; constraints?: Constraints; placement?: string } = {},
  config: ProviderConfig = {},
): Promise<string> {
  const { base = 'debian@12', ...rest } = params;
  const [name = '', track = ''] = base.split('@');
  try {
    await open(config).precheck({ base: { name, channel: `${track}/stable` }, constraints: {}, ...rest });
    return '';
  } catch (error) {
    expect(error).toMatchObject({ code: 'not valid' });
    return (error as Error).message;
  }
}

test.each([
  [{}, /^$/],
  [{ base: 'ubuntu@24.04' }, /^$/],
  [
    { base: 'plan9@4' },
    /no image of plan9@4 for amd64: LXD has no alias juju\/plan9@4\/amd64.*no image server/,
  ],
  [{ constraints: { arch: 'arm64' } }, /^this LXD runs amd64, not arm64$/],
  [{ constraints: { 'root-disk-source': 'fast' } }, /^root-disk-source: LXD has no storage pool "fast"$/],
  [{ placement: 'zone=one' }, /^this LXD is not a cluster and has no zones: one$/],
] as const)('The precheck of %o answers %s', async (params, expected) => {
  expect(await refusal(params)).toMatch(expected);
});

test('Cluster members are zones, available when they are online', async () => {
  expect(await open().zones?.list(never)).toEqual([]);
  lxd.members.set('two', 'Evacuated').set('one', 'Online').set('three', 'Offline');
  expect(await open().zones?.list(never)).toEqual([
    { name: 'one', available: true },
    { name: 'three', available: false },
    { name: 'two', available: false },
  ]);
  for (const placement of ['zone=two', 'two']) expect(await refusal({ placement })).toBe('');
  for (const placement of ['zone=four', 'rack=7', 'four'])
    expect(await refusal({ placement })).toMatch(
      /not valid: the members of this cluster are one, three, two$/,
    );
  // Another member may have the architecture.
  expect(await refusal({ constraints: { arch: 'arm64' }, base: 'ubuntu@24.04' })).toBe('');
});

test('An LXD that was never initialized is detected', async () => {
  const { devices } = lxd.profiles.get('default') as { devices: Record<string, unknown> };
  lxd.profiles.set('default', { name: 'default', config: {}, devices: { root: devices['root'] } });
  expect(await refusal()).toMatch(/default profile has no network: run 'lxd init' on its host/);
  await expect(open().create(never)).rejects.toThrow(/has no network/);
  lxd.profiles.set('default', { name: 'default', config: {}, devices: {} });
  expect(await refusal()).toMatch(/default profile has no root disk: run 'lxd init' on its host/);
  expect(await refusal({}, { project: 'mine' })).toMatch(/^LXD has no project "mine"/);
});

test('An unreachable LXD rejects nothing', async () => {
  for (const meddling of [
    'cut before',
    { status: 500, error: 'broken' },
    { status: 403, error: 'no' },
  ] as const) {
    lxd.meddle = () => meddling;
    expect(await refusal()).toBe('');
  }
});

test.each([
  [{ project: 'a/b' }, /^project: "a\/b" is not a valid name/],
  [{ project: '' }, /^$/],
  [{ 'image-metadata-url': 'http://images.example.com' }, /^image-metadata-url: expected an https URL/],
  [{ 'image-stream': 'weekly' }, /image-stream/],
])('The settings %o are checked', (config, expected) => {
  let said = '';
  try {
    provider.validate(config);
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(expected);
});

test('A model in a missing project cannot be created, and is destroyed without an error', async () => {
  await expect(open({ project: 'gone' }).create(never)).rejects.toThrow(/no project "gone"/);
  // LXD answers queries in a missing project this way.
  lxd.meddle = (request) =>
    request.includes('/projects/') ? undefined : { status: 404, error: 'Project not found' };
  await open({ project: 'gone' }).destroyModel(never);
});

test('A temporarily missing project has not lost its machines', async () => {
  const away = open({ project: 'renamed' });
  const unknown = {
    class: 'transient',
    message: expect.stringMatching(/no project "renamed" now/) as string,
  };
  await expect(away.instances.list(never)).rejects.toMatchObject(unknown);
  const [one, two] = ['juju-3f9a2c-0', 'juju-3f9a2c-1'];
  await expect(away.instances.get([one], never)).rejects.toMatchObject(unknown);
  for (const ids of [[one], [one, two]])
    await expect(away.instances.stop(ids, never)).rejects.toMatchObject(unknown);
  expect(await open().instances.get([one], never)).toEqual([undefined]);
});
