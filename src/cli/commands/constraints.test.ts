/**
 * Constraints, placement and recovery from their failures on the command line, against a controller with a simulated
 * cloud.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type CliRun } from '../../testing/cli.ts';
import { cli, controller, prepareCli } from '../../testing/cli-world.ts';
import { failMachines } from '../../testing/fail-machines.ts';

let model = '';
let models = 0;

prepareCli(() => {
  for (const [name, metadata] of [
    ['web', ''],
    ['log', 'subordinate: true\nrequires:\n  info: {interface: juju-info, scope: container}\n'],
  ] as const) {
    mkdirSync(join(cli.folder, name, 'hooks'), { recursive: true });
    writeFileSync(
      join(cli.folder, name, 'metadata.yaml'),
      `name: ${name}\nsummary: s\ndescription: d\n${metadata}`,
    );
  }
});
beforeEach(async () => {
  model = `m${models++}`;
  await ok(`add-model ${model}`);
});

const run = (line: string, ...more: string[]): Promise<CliRun> => cli.run([...line.split(' '), ...more]);
const ok = async (line: string, ...moreWords: string[]): Promise<CliRun> => {
  const result = await run(line, ...moreWords);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
};
const fails = async (
  code: number,
  message: string | RegExp,
  line: string,
  ...moreWords: string[]
): Promise<void> => {
  const { code: exitCode, stderr } = await run(line, ...moreWords);
  expect({ code: exitCode, stderr }).toEqual({ code, stderr: expect.stringMatching(message) as string });
};
const json = async <T>(line: string): Promise<T> =>
  JSON.parse((await ok(`${line} --format json`)).stdout) as T;
interface Machines {
  readonly machines: Readonly<Record<string, { readonly constraints?: string }>>;
}
const machines = async (): Promise<string[]> =>
  Object.entries((await json<Machines>('machines')).machines).map(
    ([id, { constraints = '' }]) => `${id}: ${constraints}`,
  );
const uuid = async (): Promise<string> => {
  const shown = await json<Record<string, { 'model-uuid': string }>>(`show-model ${model}`);
  return Object.values(shown)[0]!['model-uuid'];
};
const view = async () =>
  controller
    .running()
    .store.read()
    .in(await uuid());

describe('constraints', () => {
  test('constraints of models, applications and units are accepted in the old spelling of commands', async () => {
    await ok('deploy ./web wordpress --constraints mem=2G');
    await ok('set-constraints --service wordpress mem=3G');
    await ok('add-unit wordpress -n 2');
    expect(await machines()).toEqual(['0: mem=2048M', '1: mem=3072M', '2: mem=3072M']);
    for (const show of [
      'constraints wordpress',
      'get-constraints wordpress',
      'constraints --application wordpress',
    ])
      expect((await ok(show)).stdout).toBe('mem=3072M\n');
  });

  test('constraints of an application override those of the model, and an empty value removes one', async () => {
    await ok('set-model-constraints cpu-cores=2 mem=1G');
    expect((await ok('get-model-constraints')).stdout).toBe('cores=2 mem=1024M\n');
    await ok('deploy ./web', '--constraints', 'mem= root-disk=10G');
    await ok('add-machine');
    expect(await machines()).toEqual(['0: cores=2 mem= root-disk=10240M', '1: cores=2 mem=1024M']);
  });

  test.each([
    ['deploy ./web --constraints', 'deploy ./web a'],
    ['add-machine --constraints', ''],
    ['set-constraints web', 'deploy ./web'],
    ['set-model-constraints', ''],
  ])(
    '%s warns of constraints that the cloud ignores, and fails for values that it does not have',
    async (line, earlierCommands) => {
      if (earlierCommands) await ok(earlierCommands);
      const { stderr } = await ok(
        line,
        ...(line.endsWith('--constraints')
          ? ['cpu-power=3 virt-type=kvm']
          : ['cpu-power=3', 'virt-type=kvm']),
      );
      expect(stderr).toContain('WARNING unsupported constraints: cpu-power,virt-type\n');
      expect((await ok('debug-log --replay --no-tail')).stdout).toMatch(
        /WARNING .*: unsupported constraints: cpu-power,virt-type/,
      );
      const machinesBefore = await machines();
      await fails(
        1,
        /^ERROR invalid constraint value: arch=s390x, valid values are: \[amd64 arm64\]/m,
        line,
        'arch=s390x',
      );
      await fails(
        1,
        /ambiguous constraints: /,
        line,
        ...(line.endsWith('--constraints')
          ? ['mem=1G instance-type=small']
          : ['mem=1G', 'instance-type=small']),
      );
      expect(await machines()).toEqual(machinesBefore);
    },
  );

  test('constraints of subordinates are refused', async () => {
    await fails(
      2,
      'cannot use --constraints with subordinate application',
      'deploy ./log --constraints mem=1G',
    );
    await ok('deploy ./log');
    await fails(1, 'constraints do not apply to subordinate applications', 'set-constraints log mem=1G');
    await fails(1, 'constraints do not apply to subordinate applications', 'constraints log');
  });

  test('a custom image needs a base', async () => {
    await fails(1, 'base must be explicitly provided when image-id', 'deploy ./web --constraints image-id=i');
    await ok('deploy ./web --constraints image-id=i --base ubuntu@22.04');
  });
});

describe('placement', () => {
  test('placements are used for as many units as there are: missing ones are chosen freely, and surplus ones are ignored', async () => {
    await ok('add-machine -n 2');
    await ok('deploy ./web -n 3 --to 1,zone=zone2');
    const { stderr } = await ok('add-unit web --to 0,1,2');
    expect(stderr).toContain(
      'WARNING ignoring the last 2 placements: --to has more placements than there are units\n',
    );
    const { applications } = await json<{
      applications: { web: { units: Record<string, { machine: string }> } };
    }>('status');
    expect(Object.values(applications.web.units).map(({ machine }) => machine)).toEqual(['1', '2', '3', '0']);
  });

  test.each<[string, string | RegExp, string?]>([
    ['9', 'ERROR machine 9 not found'],
    ['lxd:9', 'ERROR machine 9 not found'],
    ['1', /base does not match: machine 1 has ubuntu@22.04, application "web" ubuntu@24.04/],
    ['0', /base does not match: machine 0 has ubuntu@24.04, application "web" ubuntu@22.04/, 'ubuntu@22.04'],
    ['2', 'machine 2 is dying'],
    ['zone=nowhere', /"nowhere" not valid/],
    ['ssh:me@there', "cannot use ssh:me@there as a placement: add the host with 'add-machine"],
    ['what:0', 'invalid model name "what"'],
  ])('deploy --to %s is refused and leaves nothing behind', async (to, message, base) => {
    await ok('add-machine');
    await ok('add-machine --base ubuntu@22.04');
    await ok('add-machine');
    const model = await uuid();
    await controller.running().store.change((root) => {
      const tx = root.in(model);
      tx.put('machine', '2', { ...tx.get('machine', '2')!, life: 'dying', dyingSince: tx.now });
    }, 'test');
    await fails(1, message, 'deploy ./web --to', to, ...(base ? ['--base', base] : []));
    expect((await json<{ applications: object }>('status')).applications).toEqual({});
    if (!/=|ssh|what/.test(to)) expect([...(await view()).list('charm')]).toEqual([]);
  });

  test('add-machine accepts directives, and refuses other placements', async () => {
    await ok('add-machine zone=zone3 --constraints mem=1G');
    expect(await machines()).toEqual(['0: mem=1024M']);
    await fails(1, /"nowhere" not valid/, 'add-machine zone=nowhere');
    await fails(
      1,
      'container constraint "lxd" not allowed when adding a machine',
      'add-machine --constraints container=lxd',
    );
    await fails(2, 'cannot use -n when specifying a placement', 'add-machine -n 2 zone=zone1');
    expect(await machines()).toEqual(['0: mem=1024M']);
  });

  test('spare machines are reused with --reuse-machines or the model’s setting, and that is printed', async () => {
    await ok('add-machine -n 2');
    await ok('deploy ./web');
    expect((await ok('deploy ./web again --reuse-machines')).stderr).toMatch(
      /^unit again\/0: reuses machine 0$/m,
    );
    await ok('model-config reuse-machines=true');
    expect((await ok('add-unit web --reuse-machines=false')).stderr).toBe('');
    expect((await ok('add-unit web')).stderr).toBe('unit web/2: reuses machine 1\n');
  });
});

describe('resolved and retry-provisioning', () => {
  const failed = async (count: number): Promise<void> => failMachines(controller, await uuid(), count);
  const states = async (): Promise<string[]> => {
    const current = await view();
    return [...current.list('machine')].map(({ id }) => {
      const isFailed = current.get('status', `instance:${id}`)?.status === 'provisioning error';
      return `${id} ${isFailed ? 'failed' : 'tried'}`;
    });
  };

  test('resolved makes a failed machine eligible again, with other constraints if they are valid', async () => {
    await failed(3);
    await ok('resolved 0');
    expect(await states()).toEqual(['0 tried', '1 failed', '2 failed']);
    await fails(1, 'invalid constraint value: arch=s390x', 'resolved 1 --constraints arch=s390x');
    await fails(1, 'unknown constraint "size"', 'resolved 1 --constraints size=2');
    expect(await states()).toEqual(['0 tried', '1 failed', '2 failed']);
    const { stderr } = await ok('resolved 1 --constraints', 'mem=2G cpu-power=400');
    expect(stderr).toBe('WARNING unsupported constraints: cpu-power\n');
    expect(await machines()).toEqual(['0: mem=4M', '1: cpu-power=400 mem=2048M', '2: mem=4M']);
    await ok('resolved --all');
    expect(await states()).toEqual(['0 tried', '1 tried', '2 tried']);
  });

  test('resolved accepts units and machines together, and names each that it refuses', async () => {
    await failed(1);
    await ok('deploy ./web');
    await fails(
      1,
      /^ERROR web\/0: unit "web\/0" is not in an error state\nmachine 9 not found|9: machine 9 not found/,
      'resolved web/0 0 9',
    );
    expect((await states())[0]).toBe('0 tried');
  });

  test.each([
    ['resolved', 'no unit or machine specified'],
    ['resolved 0 --all', 'specify units and machines or --all option, not both'],
    ['resolved web', '"web" is not a valid unit name or machine id'],
    ['resolved web/0 0 --constraints mem=1G', '--constraints applies to machines only, not to web/0'],
    ['resolved 0 --no-retry', '--no-retry applies to units only, not to machine 0'],
  ])('%s is a usage error', (line, message) => fails(2, message, line));

  test('retry-provisioning names unknown and healthy machines, and retries the others', async () => {
    await failed(2);
    await ok('add-machine');
    await fails(
      1,
      /^ERROR 9: machine 9 not found\n2: machine 2 is not in an error state \(\w+\)$/m,
      'retry-provisioning 9 0 2',
    );
    expect(await states()).toEqual(['0 tried', '1 failed', '2 tried']);
    await fails(1, /^ERROR machine 9 not found$/m, 'retry-provisioning 9');
    await ok('retry-provisioning --all');
    expect(await states()).toEqual(['0 tried', '1 tried', '2 tried']);
  });
});
