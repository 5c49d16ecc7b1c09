import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseBundle } from './parse-bundle.ts';

function bundleOf(yaml: string): ReturnType<typeof parseBundle> {
  return parseBundle(parse(yaml));
}

/** The problems, one per line. */
function problems(yaml: string): string[] {
  try {
    bundleOf(yaml);
  } catch (error) {
    const [first = '', ...lines] = (error as Error).message.split('\n  ');
    return lines.length > 0 ? lines : [first.replace('the bundle cannot be used: ', '')];
  }
  return [];
}

test('a bundle with every key is parsed', () => {
  const { bundle, warnings } = bundleOf(`
name: blog
description: A blog
tags: [blogs]
default-base: ubuntu@24.04/stable
applications:
  mysql:
    charm: ./mysql
    num_units: 2
    to: [0, "lxd:1", new]
    options: { port: 3306, mode: fast, safe: true, nothing: null }
    constraints: mem=2G cores=2
    annotations: { gui-x: 450, gui-y: "10" }
    bindings: { "": alpha, db: internal }
    trust: true
  wordpress:
    charm: wordpress
    channel: latest/stable
    revision: 3
    series: jammy
    scale: 1
    expose: true
    to: lxd:mysql/0
    require: [db]
    after: { mysql: active, proxy: 'workload-message=="up"' }
  proxy:
    charm: /charms/proxy.charm
    exposed-endpoints:
      "": { expose-to-cidrs: [10.0.0.0/8] }
      web: { expose-to-spaces: [dmz] }
machines:
  "0":
  "1": { base: ubuntu@22.04, constraints: mem=8G, annotations: { rack: 3 } }
relations:
- [wordpress:db, mysql:db]
- - proxy
  - [wordpress, mysql:web]
`);
  expect(warnings).toEqual(['applications.mysql.options.nothing: no value, ignored']);
  expect(bundle).toMatchInlineSnapshot(`
    {
      "applications": {
        "mysql": {
          "annotations": {
            "gui-x": "450",
            "gui-y": "10",
          },
          "bindings": {
            "": "alpha",
            "db": "internal",
          },
          "charm": "./mysql",
          "constraints": {
            "cores": 2,
            "mem": 2048,
          },
          "exposed": false,
          "options": {
            "mode": "fast",
            "port": 3306,
            "safe": true,
          },
          "require": [],
          "to": [
            {
              "on": {
                "kind": "machine",
                "machine": "0",
              },
            },
            {
              "container": "lxd",
              "on": {
                "kind": "machine",
                "machine": "1",
              },
            },
            {
              "on": {
                "kind": "new",
              },
            },
          ],
          "trust": true,
          "units": 2,
        },
        "proxy": {
          "annotations": {},
          "bindings": {},
          "charm": "/charms/proxy.charm",
          "constraints": {},
          "exposed": true,
          "exposedEndpoints": {
            "": {
              "cidrs": [
                "10.0.0.0/8",
              ],
              "spaces": [],
            },
            "web": {
              "cidrs": [],
              "spaces": [
                "dmz",
              ],
            },
          },
          "options": {},
          "require": [],
          "to": [],
          "trust": false,
          "units": 0,
        },
        "wordpress": {
          "after": {
            "mysql": "active",
            "proxy": "workload-message=="up"",
          },
          "annotations": {},
          "base": {
            "channel": "22.04/stable",
            "name": "ubuntu",
          },
          "bindings": {},
          "channel": "latest/stable",
          "charm": "wordpress",
          "constraints": {},
          "exposed": true,
          "options": {},
          "require": [
            "db",
          ],
          "revision": 3,
          "to": [
            {
              "container": "lxd",
              "on": {
                "application": "mysql",
                "kind": "unit",
                "unit": 0,
              },
            },
          ],
          "trust": false,
          "units": 1,
        },
      },
      "defaultBase": {
        "channel": "24.04/stable",
        "name": "ubuntu",
      },
      "description": "A blog",
      "machines": {
        "0": {
          "annotations": {},
          "constraints": {},
        },
        "1": {
          "annotations": {
            "rack": "3",
          },
          "base": {
            "channel": "22.04/stable",
            "name": "ubuntu",
          },
          "constraints": {
            "mem": 8192,
          },
        },
      },
      "name": "blog",
      "relations": [
        [
          "wordpress:db",
          "mysql:db",
        ],
        [
          "proxy",
          "wordpress",
        ],
        [
          "proxy",
          "mysql:web",
        ],
      ],
    }
  `);
});

describe('placements of a bundle', () => {
  test.each([
    ['3', { on: { kind: 'machine', machine: '3' } }],
    ['new', { on: { kind: 'new' } }],
    ['lxd', { container: 'lxd', on: { kind: 'new' } }],
    ['lxd:new', { container: 'lxd', on: { kind: 'new' } }],
    ['kvm:3', { container: 'kvm', on: { kind: 'machine', machine: '3' } }],
    ['mysql', { on: { kind: 'unit', application: 'mysql' } }],
    ['lxd:my-sql/12', { container: 'lxd', on: { kind: 'unit', application: 'my-sql', unit: 12 } }],
    ['zone=z1', { on: { kind: 'directive', directive: 'zone=z1' } }],
  ])('the placement %s is parsed', (text, placement) => {
    const { bundle } = bundleOf(`applications: { a: { charm: a, to: "${text}" } }`);
    expect(bundle.applications['a']?.to).toEqual([placement]);
  });

  test('a list of placements may be given as text', () => {
    const { bundle } = bundleOf(`applications: { a: { charm: a, to: "3, new" } }`);
    expect(bundle.applications['a']?.to).toEqual([
      { on: { kind: 'machine', machine: '3' } },
      { on: { kind: 'new' } },
    ]);
  });
});

describe('all problems of a bundle are reported at once, with their paths', () => {
  test('each kind of problem is reported with its path', () => {
    expect(
      problems(`
series: precious
saas: { db: { url: "other:" } }
applications:
  Mysql: { charm: mysql }
  a: { num_units: -1, constraints: mem=lots, to: [docker:0, "0/lxd/1", "lxd:zone=a", ""] }
  b: { charm: b, num_units: "2", expose: yes please, options: { list: [1], big: 12345678901234567890 } }
  c: { charm: c, base: ubuntu@22.04, series: noble, storage: { data: "10G,," }, resources: { file: 3 } }
  d: { charm: d, scale: 1, num_units: 1, expose: true, exposed-endpoints: { web: } }
  e: nothing
  f:
machines: { a: , "0/lxd/1": , "1": { base: ubuntu } }
relations:
- [a]
- [a, b, c]
- ["a:b:c", b]
- [a, [b, [c]]]
- a
`),
    ).toMatchInlineSnapshot(`
      [
        "series: unknown series "precious"",
        "saas.db.url: application offer URL has invalid form, must be [<user/]<model>.<appname>: "other:"",
        "applications.e: expected a map, got "nothing"",
        "applications.Mysql: not a valid application name: use lowercase letters, digits and hyphens",
        "applications.a.charm: a charm is required",
        "applications.a.num_units: expected a number, 0 or more, got -1",
        "applications.a.to: invalid placement "docker:0": "docker" is not a container type: use lxd or kvm",
        "applications.a.to: invalid placement "0/lxd/1": expected new, a machine of the file, an application or one of its units, or one of these in a container, such as lxd:0",
        "applications.a.to: invalid placement "lxd:zone=a": expected new, a machine of the file, an application or one of its units, or one of these in a container, such as lxd:0",
        "applications.a.to: invalid placement "": expected new, a machine of the file, an application or one of its units, or one of these in a container, such as lxd:0",
        "applications.a.constraints: bad "mem" constraint: must be a non-negative float with optional M/G/T/P suffix",
        "applications.b.num_units: expected a number, 0 or more, got "2"",
        "applications.b.options.list: expected a string, a number, true or false, got a list",
        "applications.b.options.big: this number would lose precision: write it in quotes",
        "applications.b.expose: expected true or false, got "yes please"",
        "applications.c.series: ubuntu@24.04 is not the base, which is ubuntu@22.04",
        "applications.c.resources.file: revisions of resources are not supported: give a file",
        "applications.c.storage.data: storage "data": empty part in "10G,,"",
        "applications.d.scale: duplicates num_units: use one of them",
        "applications.d: exposed-endpoints cannot be specified together with "exposed:true" in application "d" as this poses a security risk when deploying bundles to older controllers",
        "applications.e.charm: a charm is required",
        "applications.f.charm: a charm is required",
        "machines.1.base: expected base string to contain os and channel separated by '@', got "ubuntu"",
        "machines.a: machine names are numbers: place units in containers with placements such as lxd:0",
        "machines.0/lxd/1: machine names are numbers: place units in containers with placements such as lxd:0",
        "relations[0]: expected two endpoints, such as mysql or mysql:db, got a list",
        "relations[1]: expected two endpoints, such as mysql or mysql:db, got a list",
        "relations[2]: invalid endpoint "a:b:c"",
        "relations[3]: expected two endpoints, such as mysql or mysql:db, got a list",
        "relations[4]: expected two endpoints, such as mysql or mysql:db, got "a"",
      ]
    `);
  });

  test.each([
    ['nothing', '""', 'used: expected a map, got ""'],
    ['a list', '[]', 'used: expected a map, got a list'],
    ['Kubernetes', 'bundle: kubernetes', 'it is for Kubernetes'],
    [
      'both names',
      'applications: {a: {charm: a}}\nservices: {b: {charm: b}}',
      'the bundle cannot be used: services: an older name of "applications": use only one of them',
    ],
    [
      'a gate of the application itself',
      'applications: {a: {charm: a, after: {a: active}}}',
      'applications.a.after: a cannot wait for itself',
    ],
    [
      'gates that are no map',
      'applications: {a: {charm: a, after: [b]}}',
      'applications.a.after: expected a map, got a list',
    ],
    ['relations that are none', 'relations: {a: b}', 'relations: expected a list, got a map'],
  ])('a bundle is refused: %s', (_, yaml, why) => {
    expect(() => bundleOf(yaml)).toThrow(why);
  });

  test('only the first of thousands of problems are reported', () => {
    const wrong = Array.from({ length: 1000 }, (_, i) => `  a${i}x: {}`).join('\n');
    expect(problems(`applications:\n${wrong}`)).toHaveLength(31);
  });
});

test('empty maps of unsupported keys are ignored; unknown keys are warnings', () => {
  const { warnings } = bundleOf(`
saas: {}
colour: blue
applications:
  a: { charm: a, resources: {}, storage: {}, colour: red, exposed-endpoints: { web: { to: all } } }
machines: { "0": { colour: green } }
`);
  expect(warnings).toEqual([
    'applications.a.exposed-endpoints.web.to: unknown, ignored',
    'applications.a.colour: unknown, ignored',
    'machines.0.colour: unknown, ignored',
    'colour: unknown, ignored',
  ]);
});

test('names of object members are valid names', () => {
  const { bundle } = bundleOf(`
applications:
  constructor: { charm: a, options: { __proto__: 1, toString: x } }
`);
  expect(Object.entries(bundle.applications['constructor']?.options ?? {})).toEqual([
    ['__proto__', 1],
    ['toString', 'x'],
  ]);
  expect(problems('applications: { __proto__: { charm: a } }')).toEqual([
    'applications.__proto__: not a valid application name: use lowercase letters, digits and hyphens',
  ]);
  expect(bundleOf('applications: {}').bundle.applications['toString']).toBeTypeOf('function');
});
