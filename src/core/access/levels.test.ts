import { describe, expect, test } from 'vitest';
import { afterGrant, afterRevoke, isLevel, reaches, type AccessObject, type LevelOf } from './levels.ts';

type Row<K extends AccessObject> = readonly [K, LevelOf<K> | '', LevelOf<K>, string];

describe('a grant gives its level, unless the user has that level or a higher one', () => {
  const rows: readonly (Row<'model'> | Row<'controller'> | Row<'cloud'>)[] = [
    ['model', '', 'read', 'read'],
    ['model', 'read', 'admin', 'admin'],
    ['model', 'write', 'write', 'user already has "write" access or greater'],
    ['model', 'admin', 'read', 'user already has "admin" access or greater'],
    ['controller', '', 'login', 'login'],
    ['controller', 'login', 'superuser', 'superuser'],
    ['controller', 'superuser', 'login', 'user already has "superuser" access or greater'],
    ['cloud', '', 'add-model', 'add-model'],
    ['cloud', 'add-model', 'admin', 'admin'],
  ];
  test.each(rows)('%s: %s, %s → %s', (kind, held, level, expected) => {
    const grant = (): string => afterGrant<AccessObject>(kind, held, level);
    if (expected.includes(' ')) expect(grant).toThrow(expected);
    else expect(grant()).toBe(expected);
  });
});

describe('a revocation leaves the level below the revoked one, and never more than the user had', () => {
  const rows: readonly (readonly [AccessObject, string, string, string])[] = [
    ['model', 'read', 'read', ''],
    ['model', 'write', 'write', 'read'],
    ['model', 'admin', 'admin', 'write'],
    ['model', 'admin', 'write', 'read'],
    ['model', 'admin', 'read', ''],
    ['model', 'read', 'admin', 'read'],
    ['model', 'write', 'admin', 'write'],
    ['controller', 'login', 'login', ''],
    ['controller', 'superuser', 'superuser', 'login'],
    ['controller', 'superuser', 'login', ''],
    ['cloud', 'admin', 'admin', 'add-model'],
    ['cloud', 'add-model', 'add-model', ''],
  ];
  test.each(rows)('%s: %s, %s → %s', (kind, held, level, expected) => {
    expect(afterRevoke<AccessObject>(kind, held as 'admin', level as 'admin')).toBe(expected);
  });
});

test('a level of access includes the lower ones, and no level includes nothing', () => {
  expect(reaches('model', 'admin', 'read')).toBe(true);
  expect(reaches('model', 'read', 'write')).toBe(false);
  expect(reaches('model', '', 'read')).toBe(false);
  expect(isLevel('model', 'superuser')).toBe(false);
  expect(isLevel('controller', 'superuser')).toBe(true);
});
