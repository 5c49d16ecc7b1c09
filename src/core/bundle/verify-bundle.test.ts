import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../charm/config.ts';
import { parseMetadata } from '../charm/metadata.ts';
import type { BundleCharm } from './bundle-model.ts';
import { parseBundle } from './parse-bundle.ts';
import type { RequireMode } from '../requirements/requirement.ts';
import { verifyBundle } from './verify-bundle.ts';

function charm(raw: Record<string, unknown>, options: Record<string, unknown> = {}): BundleCharm {
  return { meta: parseMetadata(raw), config: parseConfig({ options }), bases: [] };
}
const charms: Readonly<Record<string, BundleCharm>> = {
  wordpress: charm({
    name: 'wordpress',
    requires: { db: { interface: 'mysql', limit: 1 }, cache: 'memcache' },
    provides: { website: 'http' },
  }),
  mysql: charm(
    { name: 'mysql', provides: { db: 'mysql', admin: 'mysql' } },
    { port: { type: 'int' }, mode: { type: 'string' } },
  ),
  logging: charm({
    name: 'logging',
    subordinate: true,
    requires: { info: { interface: 'juju-info', scope: 'container' } },
  }),
  spy: charm({
    name: 'spy',
    subordinate: true,
    requires: { host: { interface: 'spied', scope: 'container' } },
  }),
};

/** The applications run the charms of their `charm` key. */
function problems(yaml: string, withCharms = true, mode: RequireMode = 'declared'): string[] {
  const { bundle } = parseBundle(parse(yaml));
  return verifyBundle(
    bundle,
    withCharms ? (name) => charms[bundle.applications[name]?.charm ?? ''] : undefined,
    mode,
  );
}

test('a correct bundle has no problems', () => {
  expect(
    problems(`
default-base: ubuntu@24.04
applications:
  blog: { charm: wordpress, num_units: 2, to: [0, mysql], require: [db], bindings: { db: alpha } }
  mysql: { charm: mysql, num_units: 3, to: [0, lxd:1], options: { port: 3306 } }
  logging: { charm: logging }
machines: { "0": , "1": { base: ubuntu@22.04 } }
relations:
- [blog:db, mysql:db]
- [logging, blog]
- [logging:info, mysql]
`),
  ).toEqual([]);
});

test('a subordinate is attached to any principal by the implicit juju-info if nothing else fits', () => {
  const bundle = (relation: string, require = ''): string => `
applications: { mysql: { charm: mysql, num_units: 1 }, spy: { charm: spy, require: [${require}] } }
relations: [${relation}]
`;
  expect(problems(bundle('[spy, mysql]'))).toEqual([]);
  expect(problems(bundle('[spy:juju-info, mysql:juju-info]'))).toEqual([]);
  expect(problems(bundle('[spy:host, mysql]'))).toHaveLength(1);
  const refused = [
    'relations[0]: no relations found: "spy" requires host (spied); "mysql" provides db (mysql), provides admin (mysql)',
  ];
  expect(problems(bundle('[spy, mysql]', 'host'))).toEqual(refused);
  expect(problems(bundle('[spy, mysql]'), true, 'all')).toEqual(refused);
});

test('an empty bundle is refused', () => {
  expect(problems('applications: {}')).toEqual(['applications: expected at least one']);
});

test('all problems are reported at once', () => {
  expect(
    problems(`
default-base: ubuntu@24.04
applications:
  blog: { charm: wordpress, num_units: 1, to: [7, other, blog, mysql/3], require: [website, dbx] }
  mysql:
    charm: mysql
    num_units: 2
    to: [0, lxd:0, logging]
    options: { port: many, colour: red }
    bindings: { data: alpha }
    exposed-endpoints: { web: { expose-to-cidrs: [10.0.0.0/8] } }
  logging: { charm: logging, num_units: 1, to: [0], constraints: mem=1G }
machines: { "0": { base: ubuntu@22.04 }, "1": }
relations:
- [blog, mysql]
- [blog:db, mysql:db]
- [mysql:db, blog:db]
- [blog:db, mysql:admin]
- [blog:cache, mysql]
- [blog, ghost:x]
- [blog:db, blog:website]
- [blog:nothing, mysql]
`),
  ).toMatchInlineSnapshot(`
    [
      "applications.blog.require: charm "wordpress" has no requires endpoint "website": it has db, cache",
      "applications.blog.require: charm "wordpress" has no requires endpoint "dbx": it has db, cache",
      "applications.mysql.options: option "port" expected int, got "many"",
      "applications.mysql.options: unknown option "colour"",
      "applications.mysql.bindings: charm "mysql" has no endpoint "data"",
      "applications.mysql.exposed-endpoints: charm "mysql" has no endpoint "web"",
      "applications.logging.num_units: a subordinate has no units of its own",
      "applications.logging.to: a subordinate is placed with its principals",
      "applications.logging.constraints: a subordinate has no constraints",
      "applications.blog.to: "7": the file has no machine 7",
      "applications.blog.to: "other": the file has no application other",
      "applications.blog.to: "blog": units cannot be placed on their own application",
      "applications.blog.to: "mysql/3": num_units of mysql is 2, and the first is mysql/0",
      "applications.blog.to: 4 placements, but num_units is 1",
      "applications.mysql.to: "0": machine 0 is ubuntu@22.04, mysql is ubuntu@24.04",
      "applications.mysql.to: "logging": logging is a subordinate",
      "applications.mysql.to: 3 placements, but num_units is 2",
      "machines.1: no unit is placed on it",
      "relations[0]: ambiguous relation: "blog mysql" could refer to "blog:db mysql:admin"; "blog:db mysql:db"",
      "relations[2]: mysql:db blog:db is listed twice",
      "relations[3]: cannot add relation "blog:db mysql:admin": establishing a new relation for blog:db would exceed its maximum relation limit of 1",
      "relations[4]: no relations found: "blog:cache" requires cache (memcache); "mysql" provides db (mysql), provides admin (mysql)",
      "relations[5]: the file has no application ghost",
      "relations[6]: blog cannot be related to itself",
      "relations[7]: application "blog" has no "nothing" relation",
    ]
  `);
});

describe('placements of a bundle', () => {
  const bundle = (applications: Record<string, string>): string =>
    `applications:\n${Object.entries(applications)
      .map(([name, to]) => `  ${name}: { charm: x, num_units: 3, to: ${to} }`)
      .join('\n')}`;

  test.each([
    ['two applications on each other', { a: '[b]', b: '[a]' }, ['a → b → a']],
    [
      'a longer way, other placements between',
      { a: '[new, b]', b: '[lxd:c/1]', c: '[new, a/0]' },
      ['a → b → c → a'],
    ],
    ['two circles', { a: '[b]', b: '[a]', c: '[d]', d: '[c]' }, ['a → b → a', 'c → d → c']],
    ['a circle that others lead to', { z: '[a]', a: '[b]', b: '[a]' }, ['a → b → a']],
    [
      'no circle, though two ways lead to one application',
      { a: '[b, c]', b: '[d]', c: '[d]', d: '[new]' },
      [],
    ],
  ])('circles of placements: %s', (_, applications, circles) => {
    expect(problems(bundle(applications), false)).toEqual(
      circles.map((circle) => `applications: placed on each other in a circle: ${circle}`),
    );
  });

  test('a chain of thousands of placements has no circle', () => {
    const applications = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [
        `a${i}a`,
        { charm: 'x', num_units: 1, to: `a${(i + 1) % 5000}a` },
      ]),
    );
    expect(verifyBundle(parseBundle({ applications }).bundle)).toHaveLength(1);
  });

  test.each([
    [
      'on a machine',
      'ubuntu@22.04',
      '0',
      ['applications.a.to: "0": machine 0 is ubuntu@24.04, a is ubuntu@22.04'],
    ],
    ['on a unit', 'ubuntu@22.04', 'b/0', ['applications.a.to: "b/0": b is ubuntu@24.04, a is ubuntu@22.04']],
    ['in a container', 'ubuntu@22.04', 'lxd:0', []],
    ['of another risk', 'ubuntu@24.04/edge', '0', []],
  ])('a placement with another base %s', (_, base, to, expected) => {
    expect(
      problems(
        `
default-base: ubuntu@24.04
applications:
  a: { charm: a, num_units: 1, base: ${base}, to: ["${to}"] }
  b: { charm: b, num_units: 1, to: [0] }
machines: { "0": }`,
        false,
      ),
    ).toEqual(expected);
  });
});

test('a subordinate and its principal have one base; an unnamed base may be any', () => {
  const bundle = (base: string): string => `
applications:
  mysql: { charm: mysql, num_units: 1, base: ubuntu@24.04 }
  logging: { charm: logging${base} }
relations: [[logging, mysql]]`;
  expect(problems(bundle(''))).toEqual([]);
  expect(problems(bundle(', base: ubuntu@22.04'))[0]).toMatch(/bases must match/);
});
