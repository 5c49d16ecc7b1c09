import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCallers } from '../../testing/call.ts';
import { hashSecret } from '../passwords.ts';
import { addMachine } from './begin/add-machine.ts';
import { prepareStart } from './instance/prepare-start.ts';
import { resetMachine } from './instance/renew-machine.ts';
import { setOwnPassword } from './agent/set-own-password.ts';
import { mustGet, type Tx } from './tx.ts';

const agentKey = createSecretKey(Buffer.alloc(32));
const ownPassword = 'a password of its own, of some length';
const prepare = (tx: Tx): ReturnType<typeof prepareStart> => prepareStart(tx, { machine: '0', agentKey });

async function bench(): Promise<Awaited<ReturnType<typeof createCallers>>> {
  const callers = await createCallers();
  await callers.change((tx) => {
    addMachine(tx, {
      base: { name: 'ubuntu', channel: '24.04/stable' },
      constraints: {},
      removeWhenEmpty: false,
    });
    const { nonce, machine } = prepare(tx)!;
    expect(() => setOwnPassword(tx, { machine: '0', nonce, password: ownPassword })).toThrow(
      'not recorded yet',
    );
    const instance = { id: 'i-0', displayName: '', hardware: {}, isolation: '' };
    tx.put('machine', '0', { ...machine, instance });
    setOwnPassword(tx, { machine: '0', nonce, password: ownPassword });
  });
  return callers;
}

test('a repeated start leaves the agent its password, and treats the instance as one whose agent has come', async () => {
  await using callers = await bench();
  const before = callers.view().get('machine', '0')!;
  expect(before).toMatchObject({ ownPassword: true, passwordHash: hashSecret(ownPassword) });
  const again = await callers.change(prepare);
  expect(again).toMatchObject({ nonce: before.nonce, existing: true, isFirst: false });
  expect(callers.view().get('machine', '0')).toMatchObject({
    ownPassword: true,
    passwordHash: hashSecret(ownPassword),
  });
});

test('another instance begins with a first password', async () => {
  await using callers = await bench();
  const intent = await callers.change((tx) => {
    resetMachine(tx, mustGet(tx, 'machine', '0'));
    return prepare(tx)!;
  });
  const machine = callers.view().get('machine', '0')!;
  expect(machine.ownPassword).toBeUndefined();
  expect(machine.passwordHash).toBe(hashSecret(intent.password));
  expect(intent.existing).toBe(false);
});

test.each([
  ['the agent of an instance before', { nonce: 'another', password: ownPassword }, 'unauthorized access'],
  ['a password that can be guessed', { password: 'sesame' }, 'not valid'],
])('%s is refused', async (_, args, code) => {
  await using callers = await bench();
  const { nonce } = callers.view().get('machine', '0')!;
  await expect(
    callers.change((tx) => setOwnPassword(tx, { machine: '0', nonce, ...args })),
  ).rejects.toMatchObject({ code });
});
