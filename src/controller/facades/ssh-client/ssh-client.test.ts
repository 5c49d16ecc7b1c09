import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
});
afterEach(() => callers[Symbol.asyncDispose]());

const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4nX3M';
const rsa = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7';
const entities = (...tags: string[]) => ({ entities: tags.map((tag) => ({ tag })) });

test('keys are listed no more often than an answer has room for', async () => {
  const [head, tail] = ['AAAAC3NzaC1lZDI1NTE5AAAAI', 'JRxhq5nqA0bX5rO6x0uP4v6pT4tV1bB4Yb2WJm4'];
  const keys = Array.from({ length: 200 }, (_, n) => `ssh-ed25519 ${head}${tail}${String(1000 + n)} k${n}`);
  const added = (await callers.call('KeyManager', 'AddKeys', { user: 'admin', 'ssh-keys': keys })) as {
    results: object[];
  };
  expect(added.results.every((one) => Object.keys(one).length === 0)).toBe(true);
  const list = (times: number): Promise<unknown> =>
    callers.call('KeyManager', 'ListKeys', {
      entities: entities(...Array.from({ length: times }, () => 'admin')),
      mode: true,
    });
  await list(10);
  await expect(list(1 + limits.answerEntries.max / keys.length)).rejects.toMatchObject({
    code: 'quota limit exceeded',
  });
});

test('keys of a model are added, listed and removed by its admins', async () => {
  await callers.addUser('bob');
  await callers.grant('bob', 'read');
  const call = (method: string, params: unknown, as = 'admin'): Promise<unknown> =>
    callers.call('KeyManager', method, params, { as });
  const list = (mode: boolean): Promise<unknown> =>
    call('ListKeys', { entities: entities('admin'), mode }, 'bob');
  expect(await list(true)).toEqual({ results: [{}] });
  const keys = [`${ed25519} me@here`, 'rubbish', rsa];
  expect(await call('AddKeys', { user: 'admin', 'ssh-keys': keys })).toEqual({
    results: [{}, { error: { code: '', message: 'invalid ssh key: rubbish' } }, {}],
  });
  expect(await list(true)).toEqual({ results: [{ result: [keys[0], rsa] }] });
  const short = (await list(false)) as { results: { result: string[] }[] };
  const [print = ''] = short.results[0]!.result;
  expect(print).toMatch(/^([0-9a-f]{2}:){15}[0-9a-f]{2} \(me@here\)$/);
  const removed = [print.split(' ')[0], 'unknown'];
  expect(await call('DeleteKeys', { user: 'admin', 'ssh-keys': removed })).toEqual({
    results: [{}, { error: { code: '', message: 'key not found: unknown' } }],
  });
  expect(await list(true)).toEqual({ results: [{ result: [rsa] }] });
  await expect(call('DeleteKeys', { user: 'admin', 'ssh-keys': ['', rsa] })).resolves.toMatchObject({
    results: [{ error: {} }, { error: {} }],
  });
  expect(await call('ImportKeys', { user: 'admin', 'ssh-keys': ['lp:me'] })).toMatchObject({
    results: [{ error: { code: 'not supported' } }],
  });
  await expect(call('AddKeys', { user: 'bob', 'ssh-keys': keys }, 'bob')).rejects.toMatchObject({
    code: 'unauthorized access',
  });
});

test('machines are found by their own tags and by those of their units, and known by reported keys', async () => {
  await callers.addCharm('app');
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'app', 'charm-url': 'local:app-0', 'num-units': 1 }],
  });
  await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  const ask = (method: string, ...tags: string[]): Promise<unknown> =>
    callers.call('SSHClient', method, entities(...tags));
  const machine = [...callers.view().list('machine')][0]!.id;
  expect(await ask('PublicAddress', `machine-${machine}`)).toEqual({
    results: [{ error: { code: 'no address set', message: 'no public address(es)' } }],
  });
  expect(await ask('PublicKeys', `machine-${machine}`)).toEqual({
    results: [{ error: { code: 'not found', message: 'keys not found' } }],
  });
  await callers.change((tx) => {
    tx.put('machine', machine, {
      ...tx.get('machine', machine)!,
      hostKeys: [ed25519],
      addresses: [
        { value: '10.0.0.7', type: 'ipv4', scope: 'local-cloud' },
        { value: '192.0.2.1', type: 'ipv4', scope: 'public' },
        { value: '127.0.0.1', type: 'ipv4', scope: 'local-machine' },
      ],
    });
  });
  const tag = `machine-${machine}`;
  expect(await ask('PublicAddress', tag)).toEqual({ results: [{ address: '192.0.2.1' }] });
  expect(await ask('PrivateAddress', tag)).toEqual({ results: [{ address: '10.0.0.7' }] });
  expect(await ask('AllAddresses', tag, 'machine-99')).toEqual({
    results: [
      { addresses: ['10.0.0.7', '192.0.2.1'] },
      { addresses: [], error: { code: 'not found', message: 'machine 99 not found' } },
    ],
  });
  expect(await ask('PublicKeys', tag)).toEqual({ results: [{ 'public-keys': [ed25519] }] });
  expect(await callers.call('SSHClient', 'Proxy')).toEqual({ 'use-proxy': false });
  await callers.call('ModelConfig', 'ModelSet', { config: { 'proxy-ssh': true } });
  expect(await callers.call('SSHClient', 'Proxy')).toEqual({ 'use-proxy': true });
  await callers.addUser('bob');
  await callers.grant('bob', 'write');
  await expect(
    callers.call('SSHClient', 'PublicAddress', entities(tag), { as: 'bob' }),
  ).rejects.toMatchObject({ code: 'unauthorized access' });
});
