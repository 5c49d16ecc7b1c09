/** Bundles and other models: what bundles consume, what they offer. */
import { describe, expect, test } from 'vitest';
import { apply, emptyModel, plan } from '../../testing/bundle/model.ts';
import { mysql, wordpress } from '../../testing/bundle/charms.ts';
import { charms, done, lines } from '../../testing/bundle/plan-lines.ts';
import { diffBundle, type BundleDiff } from './diff-bundle.ts';
import { formatBundle } from './format-bundle.ts';
import { mergeDocuments } from './overlay.ts';
import { parseBundle } from './parse-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';

const shop = {
  saas: { db: { url: 'ctrl:admin/data.db' } },
  applications: { wordpress: { charm: './wordpress', num_units: 1 } },
  relations: [['wordpress:db', 'db']],
};
const data = {
  applications: {
    mysql: {
      charm: './mysql',
      offers: {
        sql: { endpoints: ['db'], acl: { bob: 'consume', admin: 'admin' } },
        other: { endpoints: ['db'] },
      },
    },
  },
};
const offering = (sql: object): object => ({
  applications: { mysql: { charm: './mysql', offers: { sql } } },
});

describe('a SAAS', () => {
  test('a SAAS is consumed before its relations are added, which meet requirements', () => {
    const planned = plan(shop, emptyModel, charms);
    expect(lines(planned)).toEqual([
      'upload charm ./wordpress',
      'deploy application wordpress on ubuntu@24.04 using ./wordpress',
      'consume offer db at ctrl:admin/data.db',
      'add relation wordpress:db - db:server',
      'add unit wordpress/0 to new machine',
    ]);
    const model = apply(emptyModel, planned.steps, charms);
    expect(lines(plan(shop, model, charms))).toEqual([]);
    const vague = { ...shop, relations: [['wordpress:db', 'db:server']] };
    expect(lines(plan(vague, model, charms))).toEqual([]);
  });

  test('a terminated SAAS is consumed again, and so is a SAAS of another offer', () => {
    const model = done(shop);
    expect(lines(plan(shop, { ...model, saas: {} }, charms))).toEqual([
      'consume offer db at ctrl:admin/data.db',
    ]);
    const moved = { ...shop, saas: { db: { url: 'ctrl:admin/new.db' } } };
    expect(lines(plan(moved, model, charms))).toEqual(['consume offer db at ctrl:admin/new.db']);
  });

  test('a relation with a SAAS whose endpoints are not known is made as the bundle has it', () => {
    const unknown = { ...shop, saas: { db: { url: 'far:admin/data.db' } } };
    expect(lines(plan(unknown, emptyModel, charms))).toContain('add relation wordpress:db - db');
  });

  test.each([
    ['an application of the name', { applications: { db: { charm: './mysql' } } }, 'local application'],
    ['an endpoint that the offer lacks', { ...shop, relations: [['wordpress:db', 'db:x']] }, 'has no "x"'],
    ['no endpoint that fits', { ...shop, relations: [['wordpress:cache', 'db']] }, 'no relations found'],
  ])('a SAAS is refused: %s', (_, bundle, why) => {
    const model = 'saas' in bundle ? emptyModel : done(bundle);
    expect(() => plan('saas' in bundle ? bundle : shop, model, charms)).toThrow(why);
  });
});

describe('offers of a bundle', () => {
  test('offers come after all applications, and access to them after the offers', () => {
    const planned = plan(data, emptyModel, charms);
    expect(lines(planned)).toEqual([
      'upload charm ./mysql',
      'deploy application mysql on ubuntu@24.04 using ./mysql',
      'create offer other using mysql:db',
      'create offer sql using mysql:db',
      'grant user admin admin access to offer sql',
      'grant user bob consume access to offer sql',
    ]);
    expect(lines(plan(data, apply(emptyModel, planned.steps, charms), charms))).toEqual([]);
  });

  test("access higher than the bundle's stays, lower access is raised, and other endpoints change the offer", () => {
    const model = done(offering({ endpoints: ['db'], acl: { bob: 'admin', eve: 'read' } }));
    const wanted = offering({ endpoints: ['juju-info', 'db'], acl: { bob: 'consume', eve: 'consume' } });
    expect(lines(plan(wanted, model, charms))).toEqual([
      'update offer sql using mysql:juju-info,db',
      'grant user eve consume access to offer sql',
    ]);
  });

  test('an offer is refused when another application of the model has an offer of its name', () => {
    const other = { applications: { db2: { charm: './mysql', offers: { sql: { endpoints: ['db'] } } } } };
    expect(() => plan(other, done(data), charms)).toThrow(
      'cannot add application offer "sql": an offer of application "mysql" has that name',
    );
  });
});

describe('problems of offers and SAAS are reported with their paths', () => {
  const parse = (raw: object): string => {
    try {
      const { bundle } = parseBundle(raw);
      return verifyBundle(bundle, (name) => ({ mysql, wordpress })[name]).join('\n');
    } catch (error) {
      return (error as Error).message;
    }
  };
  test.each<[string, object, string | RegExp]>([
    ['no URL', { saas: { db: {} } }, /saas\.db\.url: application offer URL has invalid form/],
    ['a URL with an endpoint', { saas: { db: { url: 'a/m.o:db' } } }, /saas\.db\.url: an endpoint belongs/],
    ['a name that is none', { saas: { 'D B': { url: 'a/m.o' } } }, /saas\.D B: not a valid name/],
    ['no endpoints', offering({}), /offers\.sql\.endpoints: at least one endpoint is required/],
    [
      'a level that is none',
      offering({ endpoints: ['db'], acl: { bob: 'write' } }),
      /acl\.bob: expected one of read, consume, admin, got "write"/,
    ],
    [
      'a user that can be none',
      offering({ endpoints: ['db'], acl: { 'b b': 'read' } }),
      /acl: "b b" is not a valid user name/,
    ],
    [
      'an unknown endpoint',
      offering({ endpoints: ['x'] }),
      'applications.mysql.offers.sql: application "mysql" has no "x" relation',
    ],
    [
      'one offer of two applications',
      {
        applications: {
          mysql: data.applications.mysql,
          wordpress: { charm: './wordpress', offers: { sql: { endpoints: ['db'] } } },
        },
      },
      'applications.wordpress.offers.sql: mysql has an offer of that name',
    ],
    [
      'one name for two',
      { ...shop, saas: { wordpress: { url: 'admin/data.db' } }, relations: [] },
      'saas.wordpress: an application of the file has that name',
    ],
    [
      'two of other models',
      { ...shop, saas: { ...shop.saas, sql: { url: 'admin/data.sql' } }, relations: [['db', 'sql']] },
      'relations[0]: db and sql are both of other models',
    ],
    [
      'the same twice',
      {
        ...shop,
        relations: [
          ['wordpress:db', 'db'],
          ['db', 'wordpress:db'],
        ],
      },
      'relations[1]: db wordpress:db is listed twice',
    ],
  ])('%s', (_, part, why) => {
    const said = parse({ applications: { mysql: { charm: './mysql' } }, ...part });
    if (typeof why === 'string') expect(said).toBe(why);
    else expect(said).toMatch(why);
  });

  test('a user of another domain may be named', () => {
    expect(parse(offering({ endpoints: ['db'], acl: { 'bob@external': 'read' } }))).toBe('');
  });
});

test('an overlay changes SAAS and offers, and removes them with their relations', () => {
  const merged = (overlay: object): unknown => mergeDocuments([shop, overlay]);
  expect(merged({ saas: { more: { url: 'a/b.c' } } })).toMatchObject({
    saas: { db: { url: 'ctrl:admin/data.db' }, more: { url: 'a/b.c' } },
  });
  expect(merged({ saas: { db: { url: 'a/b.c' } } })).toMatchObject({ saas: { db: { url: 'a/b.c' } } });
  expect(merged({ saas: { db: null } })).toMatchObject({ saas: {}, relations: [] });
  expect(mergeDocuments([data, { applications: { mysql: { offers: { sql: null } } } }])).toMatchObject({
    applications: { mysql: { offers: { other: { endpoints: ['db'] } } } },
  });
});

test('an exported bundle has offers in an overlay, and SAAS before the applications', () => {
  const { bundle } = parseBundle({ ...shop, applications: { ...shop.applications, ...data.applications } });
  const [base, overlay] = formatBundle(bundle);
  expect(Object.keys(base ?? {})).toEqual(['saas', 'applications', 'relations']);
  expect(overlay).toEqual({
    applications: {
      mysql: {
        offers: {
          other: { endpoints: ['db'] },
          sql: { endpoints: ['db'], acl: { admin: 'admin', bob: 'consume' } },
        },
      },
    },
  });
});

test('differences of SAAS and offers are reported; users whom the bundle does not name are no difference', () => {
  const diff = (raw: object, model: object): BundleDiff =>
    diffBundle({
      bundle: parseBundle(raw).bundle,
      model: parseBundle(model).bundle,
      withDefaults: parseBundle(model).bundle,
      machines: new Map(),
      annotations: false,
      resources: {},
      charmName: () => '',
    });
  expect(
    diff(offering({ endpoints: ['db'] }), offering({ endpoints: ['db'], acl: { admin: 'admin' } })),
  ).toEqual({});
  expect(
    diff(offering({ endpoints: ['db'], acl: { bob: 'read' } }), offering({ endpoints: ['db'] })),
  ).toEqual({
    applications: {
      mysql: {
        offers: {
          sql: {
            bundle: { endpoints: ['db'], acl: { bob: 'read' } },
            model: { endpoints: ['db'], acl: {} },
          },
        },
      },
    },
  });
  expect(diff({ ...shop, saas: { db: { url: 'x:a/m.o' }, more: { url: 'a/b.c' } } }, shop)).toEqual({
    saas: {
      db: { bundle: 'x:a/m.o', model: 'ctrl:admin/data.db' },
      more: { bundle: 'a/b.c', model: null },
    },
  });
});
