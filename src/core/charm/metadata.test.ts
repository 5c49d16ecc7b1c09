import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { endpointsOf, isImplicit, jujuInfo, parseMetadata } from './metadata.ts';

const minimal = { name: 'wordpress', summary: 's', description: 'd' };

test('the name of an endpoint, and of its interface, may be as long as the limit', () => {
  const name = 'd'.repeat(limits.endpointName.max);
  const { endpoints } = parseMetadata({ ...minimal, requires: { [name]: name } });
  expect(endpoints[name]).toMatchObject({ interface: name });
  for (const requires of [{ [`${name}d`]: 'mysql' }, { db: `${name}d` }])
    expect(() => parseMetadata({ ...minimal, requires })).toThrow('a name of at most 100 characters');
});

test('flags and limits in metadata may be written as texts', () => {
  const { subordinate, endpoints } = parseMetadata({
    ...minimal,
    subordinate: 'true',
    requires: { host: { interface: 'juju-info', scope: 'container', optional: 'True', limit: '2' } },
  });
  expect(subordinate).toBe(true);
  expect(endpoints['host']).toMatchObject({ optional: true, limit: 2 });
});

test('metadata with every section is parsed', () => {
  const meta = parseMetadata({
    ...minimal,
    tags: ['blog'],
    categories: ['applications'],
    terms: ['t/1'],
    'min-juju-version': 2.9,
    series: ['jammy'],
    provides: {
      website: 'http',
      'nrpe-x': { interface: 'nrpe', scope: 'container', limit: 2, optional: true },
    },
    requires: { db: { interface: 'mysql', optional: false }, cache: { interface: 'kv' } },
    peers: { cluster: { interface: 'wp-cluster' } },
    storage: { data: { type: 'filesystem', location: '/srv' } },
    resources: { app: { type: 'file', filename: 'app.tgz', description: 'the app' } },
    'extra-bindings': { admin: null },
    assumes: ['juju >= 3.1'],
  });
  expect(meta).toEqual({
    name: 'wordpress',
    summary: 's',
    description: 'd',
    subordinate: false,
    endpoints: {
      website: {
        name: 'website',
        role: 'provider',
        interface: 'http',
        scope: 'global',
        limit: 0,
        optional: false,
      },
      'nrpe-x': {
        name: 'nrpe-x',
        role: 'provider',
        interface: 'nrpe',
        scope: 'container',
        limit: 2,
        optional: true,
      },
      db: { name: 'db', role: 'requirer', interface: 'mysql', scope: 'global', limit: 0, optional: false },
      cache: { name: 'cache', role: 'requirer', interface: 'kv', scope: 'global', limit: 0, optional: false },
      cluster: {
        name: 'cluster',
        role: 'peer',
        interface: 'wp-cluster',
        scope: 'global',
        limit: 0,
        optional: false,
      },
    },
    required: ['db'],
    tags: ['blog', 'applications'],
    terms: ['t/1'],
    minJujuVersion: '2.9',
    series: ['jammy'],
    storage: { data: { type: 'filesystem', location: '/srv' } },
    resources: { app: { type: 'file', path: 'app.tgz', description: 'the app' } },
    extraBindings: ['admin'],
    assumes: ['juju >= 3.1'],
  });
});

test('metadata needs only a name, and null sections are empty', () => {
  const meta = parseMetadata({ name: 'tiny', requires: null, storage: null, tags: null });
  expect(meta).toMatchObject({ name: 'tiny', summary: '', endpoints: {}, storage: {}, tags: [] });
});

test('a charmcraft.yaml with its own keys is read as metadata', () => {
  const charmcraft = {
    type: 'charm',
    base: 'ubuntu@24.04',
    parts: {},
    links: {},
    ...minimal,
    provides: { http: 'http' },
  };
  expect(parseMetadata(charmcraft).endpoints['http']).toMatchObject({ role: 'provider', interface: 'http' });
});

test('a subordinate may require juju-info under its own name', () => {
  const requires = { 'juju-info': { interface: 'juju-info', scope: 'container' } };
  const meta = parseMetadata({ ...minimal, subordinate: true, requires });
  expect(endpointsOf(meta)['juju-info']).toMatchObject({ role: 'requirer', scope: 'container' });
  expect(isImplicit(endpointsOf(meta)['juju-info']!)).toBe(false);
});

test('every charm provides juju-info', () => {
  expect(endpointsOf(parseMetadata(minimal))).toEqual({ 'juju-info': jujuInfo });
  expect(isImplicit(jujuInfo)).toBe(true);
});

describe('parseMetadata refuses', () => {
  const cases: [string, unknown, string][] = [
    ['nothing', undefined, 'metadata: expected a map'],
    ['a text', 'name: x', 'metadata: expected a map'],
    ['a list', [], 'metadata: expected a map'],
    ['no name', { summary: 'x' }, 'metadata: name: expected string, got nothing'],
    ['a bad name', { name: 'Bad Name' }, 'metadata: invalid charm name "Bad Name"'],
    ['a name that is a map', { name: {} }, 'metadata: name: expected string, got {}'],
    [
      'a list of requires',
      { ...minimal, requires: ['db'] },
      'metadata: requires: expected a map, got ["db"]',
    ],
    [
      'an endpoint without interface',
      { ...minimal, requires: { db: {} } },
      'metadata: requires.db.interface: expected string, got nothing',
    ],
    [
      'an endpoint that is null',
      { ...minimal, requires: { db: null } },
      'metadata: requires.db.interface: expected string, got nothing',
    ],
    [
      'an interface of two lines',
      { ...minimal, requires: { db: 'my\nsql' } },
      'metadata: requires.db.interface: expected a name of at most 100 characters, in one line',
    ],
    [
      'an interface with control characters',
      { ...minimal, requires: { db: '\u001b[2Jmysql' } },
      'metadata: requires.db.interface: expected a name of at most 100 characters, in one line',
    ],
    [
      'an endpoint with a very long name',
      { ...minimal, requires: { ['d'.repeat(101)]: 'mysql' } },
      `metadata: requires.${'d'.repeat(101)}: expected a name of at most 100 characters`,
    ],
    [
      'a bad endpoint name',
      { ...minimal, requires: { 'D B': 'x' } },
      'metadata: requires.D B: invalid endpoint name "D B"',
    ],
    [
      'a bad scope',
      { ...minimal, requires: { db: { interface: 'x', scope: 'galaxy' } } },
      'metadata: requires.db.scope: expected "global" or "container", got "galaxy"',
    ],
    [
      'a bad limit',
      { ...minimal, requires: { db: { interface: 'x', limit: -1 } } },
      'metadata: requires.db.limit: expected a non-negative int, got -1',
    ],
    [
      'a bad optional',
      { ...minimal, requires: { db: { interface: 'x', optional: 'yes' } } },
      'metadata: requires.db.optional: expected bool, got "yes"',
    ],
    [
      'one name in two roles',
      { ...minimal, provides: { db: 'x' }, peers: { db: 'y' } },
      'charm "wordpress" using a duplicated relation name: "db"',
    ],
    [
      'a reserved name',
      { ...minimal, provides: { 'juju-x': 'x' } },
      'charm "wordpress" using a reserved relation name: "juju-x"',
    ],
    [
      'the name juju',
      { ...minimal, requires: { juju: 'x' } },
      'charm "wordpress" using a reserved relation name: "juju"',
    ],
    [
      'juju-info required by a principal',
      { ...minimal, requires: { 'juju-info': 'juju-info' } },
      'charm "wordpress" using a reserved relation name: "juju-info"',
    ],
    [
      'a reserved interface provided',
      { ...minimal, provides: { info: 'juju-info' } },
      'charm "wordpress" relation "info" using a reserved interface: "juju-info"',
    ],
    [
      'a subordinate that attaches to nothing',
      { ...minimal, subordinate: true, requires: { db: 'x' } },
      'subordinate charm "wordpress" lacks "requires" relation with container scope',
    ],
    [
      'a subordinate flag that is a text',
      { ...minimal, subordinate: 'yes' },
      'metadata: subordinate: expected bool, got "yes"',
    ],
    [
      'storage without a type',
      { ...minimal, storage: { data: {} } },
      'charm "wordpress" storage "data": type must be specified: block or filesystem',
    ],
    [
      'an unknown resource type',
      { ...minimal, resources: { a: { type: 'tape' } } },
      'metadata: resources.a.type: unsupported resource type "tape"',
    ],
    [
      'an endpoint bound twice',
      { ...minimal, requires: { db: 'x' }, 'extra-bindings': { db: null } },
      'relation "db" cannot be used in extra bindings',
    ],
  ];
  test.each(cases)('parseMetadata refuses %s', (_, raw, message) => {
    expect(() => parseMetadata(raw)).toThrow(expect.objectContaining({ code: 'not valid', message }));
  });
});
