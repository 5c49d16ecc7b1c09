import { describe, expect, test } from 'vitest';
import { parseBase } from '../base.ts';
import type { RelationEndpoint } from './document.ts';
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
    free: false,
    charmBases: [noble],
    relations: 0,
    ...rest,
  };
}
const subordinate = (name: string, more: Parameters<typeof side>[2]): RelationSide =>
  side(name, 'requirer', { scope: 'container', subordinate: true, ...more });
const wordpress = side('wordpress', 'requirer');
const mysql = side('mysql', 'provider');

test('endpoints that relate make a relation', () => {
  expect(checkAddRelation([mysql, wordpress])).toEqual({
    key: 'wordpress:db mysql:db',
    endpoints: [mysql.endpoint, wordpress.endpoint],
  });
});

test('a relation has container scope when one of its endpoints has', () => {
  const log = side('log', 'requirer', { scope: 'container', subordinate: true });
  expect(checkAddRelation([log, mysql]).endpoints.map(({ scope }) => scope)).toEqual([
    'container',
    'container',
  ]);
});

test.each<[string, RelationSide, RelationSide, object]>([
  [
    'of another base than its principal',
    mysql,
    subordinate('log', { free: true, base: jammy, charmBases: [jammy, noble] }),
    { application: 'log', base: noble },
  ],
  [
    'whose charm names no base',
    subordinate('log', { free: true, base: jammy, charmBases: [] }),
    mysql,
    { application: 'log', base: noble },
  ],
  [
    'that joins another subordinate with a fixed base',
    subordinate('a', { base: jammy, charmBases: [] }),
    side('b', 'provider', { free: true, subordinate: true, charmBases: [noble, jammy] }),
    { application: 'b', base: jammy },
  ],
])('a free subordinate %s takes the base of the application that it joins', (_, a, b, rebased) =>
  expect(checkAddRelation([a, b])).toMatchObject({ rebased }),
);

test('a free subordinate whose charm does not run on its principal’s base is refused', () =>
  expect(() =>
    checkAddRelation([mysql, subordinate('log', { free: true, base: jammy, charmBases: [jammy] })]),
  ).toThrow('no base suits both'));

describe('checkAddRelation allows', () => {
  test.each<[string, RelationSide, RelationSide]>([
    ['an endpoint below its limit', wordpress, side('mysql', 'provider', { limit: 2, relations: 1 })],
    [
      'another base for a global relation',
      wordpress,
      side('mysql', 'provider', { base: jammy, charmBases: [jammy] }),
    ],
    ['a subordinate charm that names no base', subordinate('log', { charmBases: [] }), mysql],
    [
      'two subordinates of one base',
      subordinate('a', { base: jammy }),
      side('b', 'provider', { subordinate: true, base: jammy }),
    ],
    ['one release at two risks', subordinate('log', { base: parseBase('ubuntu@24.04/edge') }), mysql],
  ])('checkAddRelation allows %s', (_, a, b) => expect(() => checkAddRelation([a, b])).not.toThrow());
});

describe('checkAddRelation refuses', () => {
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
      'two applications of other models',
      { ...wordpress, remote: true },
      { ...mysql, remote: true },
      '',
      'both applications are of other models',
    ],
    [
      'a container with an application of another model',
      subordinate('log', {}),
      { ...mysql, remote: true },
      '',
      'a relation with another model must be of global scope at both ends',
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
      subordinate('log', { base: jammy, charmBases: [jammy] }),
      mysql,
      '',
      `principal and subordinate applications' bases must match: "log" has ubuntu@22.04, "mysql" has ubuntu@24.04; no base suits both: "log" supports ubuntu@22.04; "mysql" supports ubuntu@24.04`,
    ],
    [
      "a subordinate that was deployed on another base than the principal's",
      mysql,
      subordinate('log', { base: jammy, charmBases: [jammy, noble] }),
      '',
      `principal and subordinate applications' bases must match: "mysql" has ubuntu@24.04, "log" has ubuntu@22.04; both support: ubuntu@24.04`,
    ],
    [
      'two subordinates of two bases',
      subordinate('a', { base: jammy, charmBases: [] }),
      side('b', 'provider', { subordinate: true, charmBases: [noble, jammy] }),
      '',
      `subordinate applications' bases must match: "a" has ubuntu@22.04, "b" has ubuntu@24.04; both support: ubuntu@24.04, ubuntu@22.04`,
    ],
    [
      'two bases of charms that name none',
      subordinate('log', { base: jammy, charmBases: [] }),
      side('mysql', 'provider', { charmBases: [] }),
      '',
      'both support any base',
    ],
  ])('checkAddRelation refuses %s', (_, a, b, code, why) => {
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
  ] as const)('checkAddRelation refuses a relation that exists and is %s', (life, message) => {
    expect(() => checkAddRelation([wordpress, mysql], { life })).toThrow(
      expect.objectContaining({ code: 'already exists', message }),
    );
  });
});
