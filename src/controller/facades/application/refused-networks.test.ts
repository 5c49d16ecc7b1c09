/** Tests of what a cloud's networks refuse before anything is made. */
import { expect, test } from 'vitest';
import type { Environ } from '../../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';

async function world(networks?: Environ['networks']): Promise<Callers> {
  const callers = await createCallers({ environ: { ...(networks && { networks }) } });
  await addCharm(callers);
  await callers.call('Spaces', 'CreateSpaces', { spaces: [{ 'space-tag': 'space-dmz', cidrs: [] }] });
  return callers;
}
const addCharm = (callers: Callers) => callers.addCharm('app', { requires: { db: { interface: 'x' } } });
const some: Environ['networks'] = { subnets: () => Promise.resolve([]) };
const refused =
  'the cloud does not choose networks: bindings and constraints cannot ask for spaces of new machines';
const several = 'a container is on one network of its host, and cannot be in several spaces: alpha, dmz';

const plainMachine = {
  constraints: {},
  jobs: [],
  'parent-id': '',
  'container-type': '',
  'instance-id': '',
  nonce: '',
  'hardware-characteristics': {},
  addresses: [],
};

test.each<[string, Environ['networks'], object, string | undefined]>([
  ['a binding on a cloud without networks', undefined, { 'endpoint-bindings': { db: 'dmz' } }, refused],
  ['a constraint on a cloud without networks', undefined, { constraints: { spaces: ['dmz'] } }, refused],
  [
    'an excluded space on a cloud without networks',
    undefined,
    { constraints: { spaces: ['^dmz'] } },
    refused,
  ],
  ['a binding to the own space', undefined, { 'endpoint-bindings': { db: 'alpha' } }, undefined],
  ['no units', undefined, { 'endpoint-bindings': { db: 'dmz' }, 'num-units': 0 }, undefined],
  ['a binding on a cloud with networks', some, { 'endpoint-bindings': { db: 'dmz' } }, undefined],
  [
    'a container in several spaces',
    some,
    { 'endpoint-bindings': { db: 'dmz' }, placement: [{ scope: 'lxd', directive: '' }] },
    several,
  ],
  [
    'a container in one space',
    some,
    { 'endpoint-bindings': { '': 'dmz', db: 'dmz' }, placement: [{ scope: 'lxd', directive: '' }] },
    undefined,
  ],
])('the outcome of a deploy with %s', async (_, networks, args, message) => {
  await using callers = await world(networks);
  const result = await deployLocal(callers, 'app', { 'charm-url': 'local:app-0', ...args });
  expect(result).toEqual(
    message === undefined
      ? expect.not.objectContaining({ error: expect.anything() as unknown })
      : { error: { code: 'not supported', message } },
  );
  expect(callers.view().count('application')).toBe(message === undefined ? 1 : 0);
});

test('add-unit and add-machine are refused as deploy is', async () => {
  await using callers = await world();
  await deployLocal(callers, 'app', {
    'charm-url': 'local:app-0',
    'num-units': 0,
    'endpoint-bindings': { db: 'dmz' },
  });
  await expect(
    callers.call('Application', 'AddUnits', {
      application: 'app',
      'num-units': 1,
      placement: [],
      policy: '',
    }),
  ).rejects.toMatchObject({ message: refused });
  const { machines } = await callers.call<{ machines: object[] }>('MachineManager', 'AddMachines', {
    params: [{ ...plainMachine, constraints: { spaces: ['dmz'] } }],
  });
  expect(machines[0]).toMatchObject({ error: { message: refused } });
});

test('a machine that does not run yet and too few spare machines are refused; a machine that runs is accepted', async () => {
  await using callers = await world();
  await callers.call('MachineManager', 'AddMachines', { params: [plainMachine] });
  const bound = { 'charm-url': 'local:app-0', 'endpoint-bindings': { db: 'dmz' } };
  const on = { placement: [{ scope: '#', directive: '0' }] };
  const message = { error: { message: refused } };
  expect(await deployLocal(callers, 'app', { ...bound, ...on })).toMatchObject(message);
  // A refused deploy removes its charm.
  await addCharm(callers);
  expect(await deployLocal(callers, 'app', { ...bound, 'reuse-machines': true })).toMatchObject(message);
  await addCharm(callers);
  await callers.change((tx) => {
    const machine = tx.get('machine', '0')!;
    tx.put('machine', '0', { ...machine, instance: { id: 'i-0', hardware: {} } as never });
  });
  expect(await deployLocal(callers, 'app', { ...bound, ...on })).not.toMatchObject(message);
});
