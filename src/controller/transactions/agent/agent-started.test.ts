import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { resetMachine } from '../instance/renew-machine.ts';
import { agentStarted } from './agent-started.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
});
afterEach(() => callers[Symbol.asyncDispose]());

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4nX3M';
const hardware = { arch: 'amd64', cores: 1, mem: 1024 };
const start = (hostKeys?: readonly string[]): Promise<void> =>
  callers.change((tx) =>
    agentStarted(tx, { machine: '0', hostname: 'h', addresses: [], hardware, ...(hostKeys && { hostKeys }) }),
  );
const stored = (): readonly string[] | undefined => callers.view().get('machine', '0')!.hostKeys;

test('host keys are stored as reported, without comments and what is no key', async () => {
  await start([`${key} root@h`, 'rubbish']);
  expect(stored()).toEqual([key]);
  // An agent that reports no host keys changes none.
  await start();
  expect(stored()).toEqual([key]);
  await start([]);
  expect(stored()).toEqual([]);
});

test('a machine has at most 16 host keys', async () => {
  await expect(start(Array.from({ length: limits.hostKeys.max + 1 }, () => key))).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
});

test('host keys go with the instance', async () => {
  await start([key]);
  await callers.change((tx) => resetMachine(tx, tx.get('machine', '0')!));
  expect(stored()).toBeUndefined();
});

test('an address that only the agent sees goes when the agent no longer sees it, an address of the provider stays', async () => {
  const seen = (...values: string[]): Promise<void> =>
    callers.change((tx) =>
      agentStarted(tx, {
        machine: '0',
        hostname: 'h',
        addresses: values.map((value) => ({ value })),
        hardware,
      }),
    );
  const known = (): readonly string[] =>
    callers
      .view()
      .get('machine', '0')!
      .addresses.map(({ value }) => value);
  await callers.change((tx) =>
    tx.put('machine', '0', {
      ...tx.get('machine', '0')!,
      addresses: [{ value: '10.0.0.2', type: 'ipv4', scope: 'local-cloud' }],
    }),
  );
  await seen('10.0.0.2', '10.1.0.2');
  expect(known()).toEqual(['10.0.0.2', '10.1.0.2']);
  await seen('10.2.0.2');
  expect(known()).toEqual(['10.0.0.2', '10.2.0.2']);
  await callers.call('ModelConfig', 'ModelSet', { config: { 'ignore-machine-addresses': true } });
  await seen('10.0.0.2', '10.2.0.2', '10.3.0.2');
  expect(known()).toEqual(['10.0.0.2']);
});

const report = (addresses: readonly { readonly value: string }[]): Promise<void> =>
  callers.change((tx) => agentStarted(tx, { machine: '0', hostname: 'h', addresses, hardware }));

test('a reported address that is invalid is left out: clients write addresses into configurations', async () => {
  await report([{ value: '10.0.0.7\n  ProxyCommand evil' }, { value: 'a.example' }, { value: '10.0.0.7' }]);
  expect(
    callers
      .view()
      .get('machine', '0')!
      .addresses.map(({ value }) => value),
  ).toEqual(['10.0.0.7']);
});

test('a host key with options is left out', async () => {
  await start([`@cert-authority ${key}`, `command="a b" ${key}`]);
  expect(stored()).toEqual([]);
});

test('an agent reports no more addresses than a machine may have', async () => {
  const many = Array.from({ length: limits.machineAddresses.max + 1 }, (_, n) => ({
    value: `10.0.${n >> 8}.${n & 255}`,
  }));
  await report(many.slice(1));
  await expect(report(many)).rejects.toMatchObject({ code: 'quota limit exceeded' });
});
