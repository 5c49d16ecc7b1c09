import { describe, expect, test } from 'vitest';
import { parseMetadata } from '../charm/metadata.ts';
import { missingStatus, missingWords, requirementsOf, type RequireMode } from './requirement.ts';

const inContainer = { scope: 'container' };
const wordpress = {
  requires: {
    db: { interface: 'mysql', optional: false },
    cache: 'memcache',
    mail: { interface: 'smtp', optional: true },
  },
  provides: { website: { interface: 'http', optional: false } },
  peers: { cluster: { interface: 'cluster', optional: false } },
};

describe('required endpoints of wordpress', () => {
  const meta = parseMetadata({ name: 'wordpress', ...wordpress });
  test.each<readonly [RequireMode, readonly string[] | undefined, string]>([
    ['declared', undefined, 'db'],
    ['declared', ['mail'], 'db mail'],
    ['declared', ['db'], 'db'],
    ['all', undefined, 'db cache'],
    ['all', ['mail'], 'db cache mail'],
    ['none', undefined, ''],
    ['none', ['cache'], 'cache'],
  ])('mode %s with %j requested requires: %s', (mode, asked, expected) => {
    const found = requirementsOf(meta, asked, mode);
    expect(found.map(({ endpoint }) => endpoint).join(' ')).toBe(expected);
    expect(found.some(({ anyPrincipal }) => anyPrincipal)).toBe(false);
  });
  test('a charm stored before required endpoints existed requires nothing', () => {
    const { required: _, ...before } = meta;
    expect(requirementsOf(before, undefined, 'declared')).toEqual([]);
  });
});

test.each<readonly [RequireMode]>([['declared'], ['all'], ['none']])(
  'a subordinate without a required container endpoint needs any principal, with %s',
  (mode) => {
    const requires = {
      info: { interface: 'juju-info', ...inContainer, optional: true },
      master: { interface: 'syslog', optional: false },
    };
    const meta = parseMetadata({ name: 'logging', subordinate: true, requires });
    expect(requirementsOf(meta, undefined, mode).at(-1)).toEqual({
      endpoint: 'juju-info',
      interface: 'juju-info',
      anyPrincipal: true,
      shown: 'info (juju-info)',
    });
  },
);

describe('words for missing requirements', () => {
  const missing = (endpoint: string, its: string, ...applications: string[]) => ({
    endpoint,
    interface: its,
    applications,
  });
  const gate = (application: string, health: string) => ({ ...missing('', '', application), health });
  test.each([
    [
      [missing('db', 'mysql'), missing('logging-master', 'syslog')],
      'relations: db (mysql), logging-master (syslog)',
      'blocked missing relations: db (mysql), logging-master (syslog)',
    ],
    [[missing('db', 'mysql')], 'relations: db (mysql)', 'blocked missing relation: db (mysql)'],
    [
      [missing('db', 'mysql', 'mysql')],
      'applications: mysql (db)',
      'waiting waiting for application: mysql (db)',
    ],
    [
      [missing('db', 'mysql', 'a', 'b'), missing('cache', 'kv'), missing('store', 's3', 'ceph')],
      'relations: cache (kv); for applications: a or b (db), ceph (store)',
      'blocked missing relation: cache (kv); waiting for applications: a or b (db), ceph (store)',
    ],
    [[gate('db', 'active')], 'db to be active', 'waiting waiting for db to be active'],
    [
      [missing('db', 'mysql'), gate('cache', 'name=="x"'), gate('db', `name=="${'x'.repeat(200)}"`)],
      `relations: db (mysql); for cache to have name=="x", db to have name=="${'x'.repeat(93)}…`,
      `blocked missing relation: db (mysql); waiting for cache to have name=="x", db to have name=="${'x'.repeat(93)}…`,
    ],
    [
      Array.from({ length: 300 }, (_, n) => missing(`x${n}`, 'i')),
      'relations: x0 (i), x1 (i), x2 (i), x3 (i), x4 (i), x5 (i), x6 (i), x7 (i), x8 (i), x9 (i) and 290 more',
      'blocked missing relations: x0 (i), x1 (i), x2 (i), x3 (i), x4 (i), x5 (i), x6 (i), x7 (i), x8 (i), x9 (i) and 290 more',
    ],
  ])('the missing requirements %j have words and a status', (all, words, shown) => {
    expect(missingWords(all)).toBe(words);
    const { status, message } = missingStatus(all);
    expect(`${status} ${message}`).toBe(shown);
  });
});
