import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeDocuments } from './overlay.ts';
import { parseBundle } from './parse-bundle.ts';

describe('overlays of a bundle', () => {
  const base = `
series: jammy
applications:
  mysql: { charm: mysql, num_units: 1, to: [0], options: { a: 1, b: 2 }, constraints: mem=1G }
  blog: { charm: blog, num_units: 1, to: [1] }
machines: { "0": { constraints: mem=1G }, "1": }
relations:
- [blog:db, mysql:db]
- [blog, [mysql:web, mysql:x]]
`;
  const merged = (...overlays: string[]): unknown =>
    mergeDocuments([base, ...overlays].map((text) => parse(text)));

  test('values in an overlay replace, maps are merged, and null removes a key', () => {
    expect(
      merged(
        'applications: { mysql: { num_units: 3, to: [0, 1, new], options: { b: 3, a: null, c: 4 }, constraints: null } }',
      ),
    ).toMatchObject({
      applications: {
        mysql: { charm: 'mysql', num_units: 3, to: [0, 1, 'new'], options: { b: 3, c: 4 } },
        blog: { charm: 'blog' },
      },
    });
    expect(JSON.stringify(merged('applications: { mysql: { constraints: null } }'))).not.toContain(
      '"constraints":null',
    );
  });

  test('maps of a model file are merged, and null removes a key of them', () => {
    const file = {
      settings: { 'http-proxy': 'a', 'no-proxy': 'b', 'ftp-proxy': 'c' },
      access: { bob: 'read', carol: 'admin' },
      secrets: { pw: { content: { one: { env: 'A' } }, grants: ['web'] }, old: {} },
      'storage-pools': { fast: { provider: 'tmpfs', attributes: { size: '1G' } } },
    };
    const overlay = {
      settings: { 'http-proxy': 'x', 'ftp-proxy': null },
      access: { bob: 'write' },
      secrets: { pw: { grants: ['db'] }, old: null },
      'storage-pools': { fast: { attributes: { mode: 'x' } } },
    };
    expect(mergeDocuments([file, overlay])).toMatchObject({
      settings: { 'http-proxy': 'x', 'no-proxy': 'b' },
      access: { bob: 'write', carol: 'admin' },
      secrets: { pw: { content: { one: { env: 'A' } }, grants: ['db'] } },
      'storage-pools': { fast: { provider: 'tmpfs', attributes: { size: '1G', mode: 'x' } } },
    });
    const merged = mergeDocuments([file, overlay]) as Record<'settings' | 'secrets', object>;
    expect([Object.keys(merged.settings), Object.keys(merged.secrets)]).toEqual([
      ['http-proxy', 'no-proxy'],
      ['pw'],
    ]);
    expect(mergeDocuments([file, { access: null }])).not.toHaveProperty('access');
  });

  test('an application without content is removed, with its relations', () => {
    const result = parseBundle(merged('applications: { mysql: }')).bundle;
    expect(Object.keys(result.applications)).toEqual(['blog']);
    expect(result.relations).toEqual([]);
  });

  test('an application that was removed can be added by a later overlay', () => {
    const result = parseBundle(
      merged('applications: { mysql: }', 'applications: { mysql: { charm: other } }'),
    ).bundle;
    expect(result.applications['mysql']).toMatchObject({ charm: 'other', units: 0 });
  });

  test('machines are replaced as a whole, and other keys by the values in the overlay', () => {
    expect(
      merged('machines: { "5": { constraints: mem=2G } }\nseries: null\ndefault-base: ubuntu@24.04'),
    ).toMatchObject({
      machines: { '5': { constraints: 'mem=2G' } },
      'default-base': 'ubuntu@24.04',
    });
  });

  test('relations are added, and existing ones are not added again', () => {
    const result = merged('relations: [[blog:db, mysql:db], [blog:log, mysql:log]]') as {
      relations: unknown[];
    };
    expect(result.relations).toEqual([
      ['blog:db', 'mysql:db'],
      ['blog', ['mysql:web', 'mysql:x']],
      ['blog:log', 'mysql:log'],
    ]);
  });

  test('the older name of applications is equivalent in an overlay', () => {
    const result = mergeDocuments([
      { services: { a: { charm: 'a' } } },
      { applications: { a: { num_units: 1 } } },
    ]);
    expect(parseBundle(result).bundle.applications['a']).toMatchObject({ charm: 'a', units: 1 });
  });

  test.each([
    ['nothing', [{ applications: { a: { charm: 'a' } } }, null]],
    ['no overlay', [{ applications: { a: { charm: 'a' } } }]],
  ])('an overlay with %s changes nothing', (_, documents) => {
    expect(parseBundle(mergeDocuments(documents)).bundle.applications['a']?.charm).toBe('a');
  });

  test.each([['text'], [[1]], [{ applications: [] }], [{ relations: {} }]])(
    '%j is refused as an overlay',
    (overlay) => {
      expect(() => mergeDocuments([{}, overlay])).toThrow(/expected a (map|list)/);
    },
  );
});
