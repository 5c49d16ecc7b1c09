import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Environ } from '../../contract/provider.ts';
import { createWorld, startParams, type World } from '../../../testing/provider-world.ts';
import { validate } from './config.ts';
import { createLocalProvider } from './index.ts';
import { baseOfRoot } from './root-files.ts';

let world: World;
const never = new AbortController().signal;
const base = (await baseOfRoot('/'))!;
/** Zones are names in the records, so the tests need no isolation. */
const provider = createLocalProvider({
  probe: () => ({ sandbox: false, network: false, cgroups: undefined, loops: false }),
});
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await world.end(provider);
  expect(world.leftovers()).toEqual([]);
});

const open = (config: Record<string, unknown>): Environ => world.open(provider, { config });

test('A cloud has the configured zones with their health', async () => {
  const environ = open({ zones: 'z1, z2,z3', 'unavailable-zones': 'z2' });
  expect(await environ.zones?.list(never)).toEqual([
    { name: 'z1', available: true },
    { name: 'z2', available: false },
    { name: 'z3', available: true },
  ]);
  expect(environ.constraints.unsupported).not.toContain('zones');
  expect(environ.constraints.vocabulary.zones).toEqual(['z1', 'z2', 'z3']);
});

test('The constraint zones is unsupported and the directive zone= is refused by a cloud without zones', async () => {
  const environ = open({});
  expect(environ.zones).toBeUndefined();
  expect(environ.constraints.unsupported).toContain('zones');
  await environ.precheck({ base, constraints: { zones: ['z1'] } });
  const directed = environ.precheck({ base, constraints: {}, placement: 'zone=z1' });
  await expect(directed).rejects.toMatchObject({
    code: 'not valid',
    message: 'this cloud has no zones: zone=z1',
  });
});

test('Unknown zones and directives are refused with a list of the valid ones', async () => {
  const environ = open({ zones: 'z1,z2' });
  const message = `availability zone "z9" not valid: this cloud's zones are z1, z2`;
  await expect(environ.precheck({ base, constraints: {}, placement: 'zone=z9' })).rejects.toThrow(message);
  await expect(environ.precheck({ base, constraints: { zones: ['z1', 'z9'] } })).rejects.toThrow(message);
  await expect(environ.precheck({ base, constraints: {}, placement: 'rack=1' })).rejects.toThrow(
    'unknown placement directive: rack=1',
  );
  await environ.precheck({ base, constraints: { zones: ['z1', 'z2'] }, placement: 'zone=z2' });
  await expect(
    environ.precheck({ base, constraints: { zones: ['z1'] }, placement: 'zone=z2' }),
  ).rejects.toThrow('placement zone=z2 is not among constraint zones=z1');
});

test('A machine is in its chosen zone, and stays there', async () => {
  const environ = open({ zones: 'z1,z2' });
  const params = startParams(world, '0', { base, zone: 'z2' });
  const { instance, hardware } = await environ.instances.start(params, never);
  expect(instance.zone).toBe('z2');
  expect(hardware.availabilityZone).toBe('z2');
  expect((await environ.instances.list(never))[0]?.zone).toBe('z2');
  const again = await environ.instances.start({ ...params, zone: 'z1' }, never);
  expect(again.instance.zone).toBe('z2');
});

test.each<[Parameters<typeof startParams>[2], string]>([
  [{ placement: 'zone=z3' }, 'z3'],
  [{ constraints: { zones: ['z3', 'z2'] } }, 'z2'],
  [{}, 'z2'],
])('A machine without a chosen zone gets a permitted one: %j', async (params, zone) => {
  const environ = open({ zones: 'z1,z2,z3', 'unavailable-zones': 'z1' });
  const { instance } = await environ.instances.start(startParams(world, '0', { base, ...params }), never);
  expect(instance.zone).toBe(zone);
});

test('A start in an unavailable zone fails with a zonal error, and leaves nothing', async () => {
  const environ = open({ zones: 'z1,z2', 'unavailable-zones': 'z2' });
  for (const params of [{ zone: 'z2' }, { placement: 'zone=z2' }, { constraints: { zones: ['z2'] } }])
    await expect(
      environ.instances.start(startParams(world, '0', { base, ...params }), never),
    ).rejects.toMatchObject({
      name: 'ProviderError',
      class: 'zonal',
      message: 'no zone is available of: z2',
    });
  await expect(
    environ.instances.start(startParams(world, '0', { base, placement: 'zone=z9' }), never),
  ).rejects.toMatchObject({ class: 'bad request' });
  expect(await environ.instances.list(never)).toEqual([]);
});

test('The zone configuration is validated', () => {
  expect(validate({ zones: ['z1', 'z2'], 'unavailable-zones': 'z1' })).toMatchObject({
    init: 'auto',
    'base-mismatch': 'warn',
    zones: 'z1,z2',
    'unavailable-zones': 'z1',
  });
  expect(() => validate({ zones: 'z1', 'unavailable-zones': 'z2' })).toThrow(
    'unavailable-zones: not among the zones: z2',
  );
  expect(() => validate({ zones: 'z 1' })).toThrow('zones: "z 1" is not a valid zone name');
  expect(() => validate({ 'base-mismatch': 'maybe' })).toThrow(
    'base-mismatch: expected one of [warn refuse], got "maybe"',
  );
});
