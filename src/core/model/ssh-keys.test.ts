import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { addSshKeys, listSshKeys, parseSshKey, removeSshKeys, sshKeysOf } from './ssh-keys.ts';

/** A key whose fingerprint is its number. */
function key(number: number, comment = '', type = 'ssh-ed25519'): string {
  const name = [0, 0, 0, type.length, ...Array.from(type, (char) => char.charCodeAt(0))];
  const blob = btoa(String.fromCharCode(...name, number));
  return `${type} ${blob}${comment && ` ${comment}`}`;
}
const print = (blob: Uint8Array): string => String(blob.at(-1));
const client = key(9, 'juju-client-key');

describe('a line of authorized_keys', () => {
  test.each([
    [key(1), { type: 'ssh-ed25519', comment: '' }],
    [key(1, 'me@here and more'), { type: 'ssh-ed25519', comment: 'me@here and more' }],
    [`  ${key(1, 'me', 'ssh-rsa')}  `, { type: 'ssh-rsa', comment: 'me' }],
    [`no-pty,command="echo \\"a b\\"" ${key(1, 'me')}`, { type: 'ssh-ed25519', comment: 'me' }],
    [key(1, '', 'ecdsa-sha2-nistp256'), { type: 'ecdsa-sha2-nistp256', comment: '' }],
  ])('%s is a key', (line, found) => {
    expect(parseSshKey(line)).toMatchObject(found);
  });
  test.each([
    ['nothing', ''],
    ['no blob', 'ssh-rsa'],
    ['not base64', 'ssh-rsa A!='],
    ['a blob of another type', key(1).replace('ssh-ed25519', 'ssh-rsa')],
    ['an unknown type', key(1, '', 'ssh-own')],
    ['a short blob', 'ssh-rsa AAAA'],
    ['two lines', `${key(1)}\n${key(2)}`],
    ['a control character', key(1, '\u001b[2J')],
    ['too long', key(1, 'x'.repeat(limits.sshKey.max))],
  ])('%s is not a key', (_, line) => {
    expect(parseSshKey(line)).toBeUndefined();
  });
});

test('the keys in the authorized-keys setting are its lines that are not comments', () => {
  expect(sshKeysOf(' a \n\n# b\nc')).toEqual(['a', 'c']);
  expect(sshKeysOf(undefined)).toEqual([]);
});

test('a list of keys leaves out internal keys and marks broken ones', () => {
  const keys = [client, key(1, 'me'), 'rubbish', key(2)];
  expect(listSshKeys(keys, { whole: true, fingerprint: print })).toEqual([
    key(1, 'me'),
    'Invalid key: rubbish',
    key(2),
  ]);
  expect(listSshKeys(keys, { whole: false, fingerprint: print })).toEqual([
    '1 (me)',
    'Invalid key: rubbish',
    '2',
  ]);
});

test('keys are added except broken, internal and known ones', () => {
  const added = [key(2, 'new'), 'rubbish', key(1, 'other comment'), client, key(2)];
  const { keys, errors } = addSshKeys([client, key(1)], added, print);
  expect(keys).toEqual([client, key(1), key(2, 'new')]);
  expect(errors.map((error) => error?.message)).toEqual([
    undefined,
    'invalid ssh key: rubbish',
    `duplicate ssh key: ${key(1, 'other comment')}`,
    `may not add key with comment juju-client-key: ${client}`,
    `duplicate ssh key: ${key(2)}`,
  ]);
});

test('a model has at most 1,000 ssh keys', () => {
  const full = Array.from({ length: limits.sshKeys.max }, (_, i) => key(1, String(i)));
  expect(() => addSshKeys(full, [key(2)], print)).toThrow('1001 entries exceed the limit of 1000');
  expect(addSshKeys(full, ['rubbish'], print).keys).toEqual(full);
});

describe('removal of keys', () => {
  const keys = [client, key(1, 'me'), key(2, 'me'), key(3), 'rubbish'];
  test.each([
    ['by fingerprint', ['1'], [client, key(2, 'me'), key(3), 'rubbish'], [undefined]],
    ['by comment', ['me'], [client, key(3), 'rubbish'], [undefined]],
    ['a broken one by its text', ['rubbish'], keys.slice(0, 4), [undefined]],
    ['an unknown one', ['4', ''], keys, ['key not found: 4', 'key not found: ']],
    ['an internal one', ['9'], keys, ['may not delete internal key: 9']],
  ])('%s', (_, removed, left, messages) => {
    const { keys: next, errors } = removeSshKeys(keys, removed, (blob) => [print(blob)]);
    expect(next).toEqual(left);
    expect(errors.map((error) => error?.message)).toEqual(messages);
  });
  test('is refused for the last key', () => {
    expect(() => removeSshKeys([key(1)], ['1'], (blob) => [print(blob)])).toThrow('cannot delete all keys');
  });
});
