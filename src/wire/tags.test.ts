import { describe, expect, it } from 'vitest';
import { JujuError } from '../core/errors.ts';
import {
  credentialTag,
  formatTag,
  machineTag,
  parseTag,
  parseTagOf,
  parseUserTag,
  relationTag,
  unitTag,
} from './tags.ts';

describe('tags', () => {
  it.each([
    ['user-admin', 'user', 'admin'],
    ['user-bob@external.com', 'user', 'bob@external.com'],
    ['model-2c9e8f44-3b31-4b5f-8f2c-8f0f5b0f6d2a', 'model', '2c9e8f44-3b31-4b5f-8f2c-8f0f5b0f6d2a'],
    ['controller-2c9e8f44-3b31-4b5f-8f2c-8f0f5b0f6d2a', 'controller', '2c9e8f44-3b31-4b5f-8f2c-8f0f5b0f6d2a'],
    ['application-my-app2', 'application', 'my-app2'],
    ['unit-my-app2-10', 'unit', 'my-app2/10'],
    ['machine-0', 'machine', '0'],
    ['machine-0-lxd-1', 'machine', '0/lxd/1'],
    ['cloud-lxd', 'cloud', 'lxd'],
    ['cloudcred-lxd_admin_default', 'cloudcred', 'lxd/admin/default'],
    ['cloudcred-aws_bob_my%5fkey', 'cloudcred', 'aws/bob/my_key'],
    ['relation-wordpress.db#mysql.server', 'relation', 'wordpress:db mysql:server'],
    ['relation-riak.ring', 'relation', 'riak:ring'],
    ['action-12', 'action', '12'],
    ['operation-3', 'operation', '3'],
    ['charm-local:mysql-0', 'charm', 'local:mysql-0'],
    ['storage-data-0', 'storage', 'data/0'],
  ] as const)('%s is the %s %s', (text, kind, id) => {
    expect(parseTag(text)).toEqual({ kind, id });
    expect(formatTag({ kind, id })).toBe(text);
  });

  it.each([
    ['user-bob', 'bob'],
    ['user-bob@local', 'bob'],
    ['user-bob@LOCAL', 'bob'],
    ['user-bob@external', 'bob@external'],
    ['user-bob@local.net', 'bob@local.net'],
  ])('%s is the tag of the user %s', (text, name) => {
    expect(parseUserTag(text)).toBe(name);
    expect(() => parseUserTag(text.replace('user', 'model'))).toThrow('is not a valid model tag');
  });

  it('an id of storage is read as it is, too, when its name has no hyphen', () => {
    expect(parseTag('storage-data/0')).toEqual({ kind: 'storage', id: 'data/0' });
    expect(() => parseTag('storage-my-data/0')).toThrow('"storage-my-data/0" is not a valid storage tag');
  });

  it("a container's machine tag is read with slashes, too", () => {
    expect(parseTag('machine-0/lxd/1')).toEqual({ kind: 'machine', id: '0/lxd/1' });
    expect(() => parseTag('machine-0/1')).toThrow('"machine-0/1" is not a valid machine tag');
  });

  it('tags are written from names', () => {
    expect(unitTag('mysql/0')).toBe('unit-mysql-0');
    expect(machineTag('0/lxd/1')).toBe('machine-0-lxd-1');
    expect(relationTag('a:x b:y')).toBe('relation-a.x#b.y');
    expect(credentialTag('aws', 'bob', 'a_b')).toBe('cloudcred-aws_bob_a%5fb');
  });

  it.each([
    '',
    'user',
    'user-',
    '-x',
    'nonsense-1',
    'unit-mysql',
    'unit-0',
    'machine-x',
    'machine-0-lxd',
    'constructor-1',
  ])('parseTag refuses %j', (text) => {
    expect(() => parseTag(text)).toThrow(JujuError);
    expect(() => parseTag(text)).toThrow(/is not a valid .*tag/);
  });

  it('a tag must be of the expected kind', () => {
    expect(parseTagOf('user', 'user-bob')).toBe('bob');
    expect(() => parseTagOf('user', 'machine-0')).toThrow('"machine-0" is not a valid user tag');
  });
});
