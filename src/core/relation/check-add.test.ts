import { describe, expect, test } from 'vitest';
import { parseBase } from '../base.ts';
import type { RelationEndpoint } from '../entities.ts';
import { checkAddRelation, type RelationSide } from './check-add.ts';

const noble = parseBase('ubuntu@24.04');
const jammy = parseBase('ubuntu@22.04');

function side(
  application: string,
  role: 'provider' | 'requirer',
  more: Partial<RelationSide & RelationEndpoint> = {},
): RelationSide {
  const { scope = 'global', limit = 0, interface: its = 'mysql', ...rest } = more;
  const endpoint = { application, name: 'db', role, interface: its, scope, limit, optional: false };
  return {
    endpoint,
    life: 'alive',
    subordinate: false,
    base: noble,
    charmBases: [noble],
    relations: 0,
    ...rest,
  };
}
const wordpress = side('wordpress', 'requirer');
const mysql = side('mysql', 'provider');

test('what relates is related', () => {
  expect(checkAddRelation([mysql, wordpress])).toEqual({
    key: 'wordpress:db mysql:db',
    endpoints: [mysql.endpoint, wordpress.endpoint],
  });
});

test('one container-scoped endpoint makes both so', () => {
  const log = side('log', 'requirer', { scope: 'container', subordinate: true });
  expect(checkAddRelation([log, mysql]).endpoints.map(({ scope }) => scope)).toEqual([
    'container',
    'container',
  ]);
});

describe('allowed', () => {
  test.each<[string, RelationSide, RelationSide]>([
    ['an endpoint below its limit', wordpress, side('mysql', 'provider', { limit: 2, relations: 1 })],
    [
      'another base for a global relation',
      wordpress,
      side('mysql', 'provider', { base: jammy, charmBases: [jammy] }),
    ],
    [
      'a subordinate charm that names no base',
      side('log', 'requirer', { scope: 'container', subordinate: true, charmBases: [] }),
      mysql,
    ],
    [
      'two subordinates of whatever bases',
      side('a', 'requirer', { scope: 'container', subordinate: true, charmBases: [jammy] }),
      side('b', 'provider', { subordinate: true }),
    ],
    [
      'a subordinate of many bases',
      side('log', 'requirer', {
        scope: 'container',
        subordinate: true,
        charmBases: [jammy, noble],
        base: jammy,
      }),
      mysql,
    ],
  ])('%s', (_, a, b) => expect(() => checkAddRelation([a, b])).not.toThrow());
});

describe('refused', () => {
  test.each<[string, RelationSide, RelationSide, string, string]>([
    ['two requirers', wordpress, side('x', 'requirer'), '', 'endpoints do not relate'],
    [
      'two interfaces',
      wordpress,
      side('x', 'provider', { interface: 'pgsql' }),
      '',
      'endpoints do not relate',
    ],
    ['an application with itself', wordpress, side('wordpress', 'provider'), '', 'endpoints do not relate'],
    [
      'a dying application',
      wordpress,
      side('mysql', 'provider', { life: 'dying' }),
      '',
      'application "mysql" is not alive',
    ],
    [
      'a full endpoint',
      wordpress,
      side('mysql', 'provider', { limit: 1, relations: 1 }),
      'quota limit exceeded',
      'establishing a new relation for mysql:db would exceed its maximum relation limit of 1',
    ],
    [
      'a container of two principals',
      side('x', 'requirer', { scope: 'container' }),
      mysql,
      '',
      'container scoped relation requires at least one subordinate application',
    ],
    [
      "a subordinate that lacks the principal's base",
      side('log', 'requirer', { scope: 'container', subordinate: true, charmBases: [jammy] }),
      mysql,
      '',
      "principal and subordinate applications' bases must match: the principal's is ubuntu@24.04, the subordinate only supports: ubuntu@22.04",
    ],
  ])('%s', (_, a, b, code, why) => {
    expect(() => checkAddRelation([a, b])).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(/^cannot add relation ".*": /) as string,
      }),
    );
    expect(() => checkAddRelation([a, b])).toThrow(why);
  });

  test.each([
    ['alive', 'cannot add relation "wordpress:db mysql:db": relation wordpress:db mysql:db already exists'],
    [
      'dying',
      'cannot add relation "wordpress:db mysql:db": relation wordpress:db mysql:db is dying, but not yet removed',
    ],
  ] as const)('one that is there and %s', (life, message) => {
    expect(() => checkAddRelation([wordpress, mysql], { life })).toThrow(
      expect.objectContaining({ code: 'already exists', message }),
    );
  });
});
