import { afterEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
afterEach(() => callers[Symbol.asyncDispose]());

async function cloud(more: { delivery?: 'download'; archs?: readonly string[] }): Promise<void> {
  const { archs, ...rest } = more;
  const vocabulary = archs ? { arch: archs } : {};
  callers = await createCallers({
    environ: { ...rest, constraints: { unsupported: [], conflicts: [], vocabulary } },
  });
  await callers.addCharm('web');
}
const addMachine = async (arch?: string): Promise<unknown> => {
  const { machines } = await callers.call<{ machines: { error?: { message: string } }[] }>(
    'MachineManager',
    'AddMachines',
    { params: [{ jobs: ['JobHostUnits'], constraints: arch ? { arch } : {} }] },
  );
  return machines[0]?.error?.message;
};
const deploy = async (overrides: object): Promise<unknown> => {
  const { results } = await callers.call<{ results: { error?: { message: string } }[] }>(
    'Application',
    'Deploy',
    { applications: [{ application: 'web', 'charm-url': 'local:web-0', 'num-units': 1, ...overrides }] },
  );
  return results[0]?.error?.message;
};
/** The bundles of testing/bundles.ts are for amd64. */
const refusal = 'there is no agent for arm64';

test('machines of an architecture without an agent are refused when the machines have to download it', async () => {
  await cloud({ delivery: 'download', archs: ['amd64', 'arm64'] });
  expect(await addMachine('arm64')).toBe(refusal);
  expect(await deploy({ constraints: { arch: 'arm64' } })).toBe(refusal);
  expect(await addMachine('amd64')).toBeUndefined();
  expect(await addMachine()).toBeUndefined();
  // An existing machine has the agent already. The refused deploys have removed their charm.
  await callers.addCharm('web');
  expect(
    await deploy({ constraints: { arch: 'arm64' }, placement: [{ scope: '#', directive: '0' }] }),
  ).toBeUndefined();
});

test('every machine of a cloud without an agent for its only architecture is refused', async () => {
  await cloud({ delivery: 'download', archs: ['arm64'] });
  expect(await addMachine()).toBe(refusal);
  expect(await deploy({})).toBe(refusal);
});

test('machines that share the files of the controller’s host need no agent bundle', async () => {
  await cloud({ archs: ['arm64'] });
  expect(await addMachine('arm64')).toBeUndefined();
});
