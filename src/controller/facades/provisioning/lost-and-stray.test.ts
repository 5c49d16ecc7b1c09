import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployUnits } from '../../../testing/deploy-units.ts';
import type { FullStatus } from '../../../wire/facades/client.ts';
import { setStatus } from '../../transactions/tx.ts';
import { defined } from '../../../core/defined.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web');
  await callers.change((tx) => {
    deployUnits(tx, 'web', 2);
    for (const id of ['0', '1']) {
      const instance = { id: `i-${id}`, displayName: '', hardware: {}, isolation: '' };
      tx.put('machine', id, { ...tx.get('machine', id)!, nonce: `n-${id}`, instance });
    }
    setStatus(tx, 'instance', '0', 'lost');
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const reprovision = (machines: string[], force?: boolean): Promise<unknown> =>
  callers.call('Provisioning', 'ReprovisionMachines', {
    machines,
    ...defined({ force }),
  });

test('ReprovisionMachines answers for each machine', async () => {
  expect(await reprovision(['machine-0', 'machine-1', 'machine-9'])).toEqual({
    results: [
      {},
      {
        error: {
          code: '',
          message:
            'cannot reprovision machine 1: instance i-1 is not known to be lost (--force stops it, with all that is on its disks)',
        },
      },
      { error: { code: 'not found', message: 'machine 9 not found' } },
    ],
  });
  expect(callers.view().get('machine', '0')?.instance).toBeUndefined();
});

test('a connected agent prevents reprovisioning also with force', async () => {
  callers.setPresent('1');
  expect(await reprovision(['machine-1'], true)).toMatchObject({
    results: [{ error: { message: expect.stringContaining('its agent is connected') as string } }],
  });
  expect(await reprovision(['machine-0'], true)).toEqual({ results: [{}] });
});

test('an agent of the former instance is refused everything', async () => {
  const former = { as: { kind: 'machine', machine: '0', nonce: 'n-0' } } as const;
  const deploy = (): Promise<unknown> =>
    callers.call('MachineAgent', 'UnitDeployed', { unit: 'web/0' }, former);
  await deploy();
  await reprovision(['machine-0']);
  await expect(deploy()).rejects.toMatchObject({ code: 'unauthorized access' });
  await expect(
    callers.call(
      'MachineAgent',
      'Started',
      { hostname: 'h', hardware: {}, addresses: [], version: '3.6.28' },
      former,
    ),
  ).rejects.toMatchObject({ code: 'unauthorized access' });
  expect(callers.view().get('unit', 'web/0')?.deployed).toBe(false);
});

test('strays are returned with the mode, the oldest first, in their own call and in the status', async () => {
  const status = (patterns: string[] = []): Promise<FullStatus> =>
    callers.call<FullStatus>('Client', 'FullStatus', { patterns });
  expect(await callers.call('Provisioning', 'Strays')).toEqual({
    'harvest-mode': 'destroyed',
    instances: [],
  });
  expect(await status()).not.toHaveProperty('strays');
  await callers.change((tx) => {
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
    tx.put('stray', 'i-8', { instanceId: 'i-8', machine: '8', since: at(2) });
    tx.put('stray', 'i-9', { instanceId: 'i-9', machine: '', since: at(1), stopping: true });
  });
  const strays = {
    'harvest-mode': 'destroyed',
    instances: [
      { 'instance-id': 'i-9', machine: '', since: '2026-01-01T00:01:00.000Z', stopping: true },
      { 'instance-id': 'i-8', machine: '8', since: '2026-01-01T00:02:00.000Z', stopping: false },
    ],
  };
  expect(await callers.call('Provisioning', 'Strays')).toEqual(strays);
  expect((await status()).strays).toEqual(strays);
  expect(await status(['web']), 'what is asked for has none').not.toHaveProperty('strays');
});
