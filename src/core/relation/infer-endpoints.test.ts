import { expect, test } from 'vitest';
import { parseMetadata } from '../charm/metadata.ts';
import { remoteView } from '../remote-application/relatable.ts';
import { requirementsOf, type RequireMode } from '../requirements/requirement.ts';
import { applicationView, inferEndpoints, type ApplicationView } from './infer-endpoints.ts';
import { formatEndpoint } from './key.ts';

function application(
  name: string,
  raw: object,
  { asked, mode = 'declared' }: { asked?: readonly string[]; mode?: RequireMode } = {},
): ApplicationView {
  const meta = parseMetadata({ name, ...raw });
  return applicationView(name, meta, requirementsOf(meta, asked, mode));
}

const nagios = {
  subordinate: true,
  requires: { checks: { interface: 'checks', scope: 'container' }, server: 'mysql' },
};
const strict = {
  subordinate: true,
  requires: { checks: { interface: 'checks', scope: 'container', optional: false } },
};

const applications: Record<string, ApplicationView> = Object.fromEntries(
  [
    application('wordpress', {
      requires: { db: 'mysql', cache: 'memcache' },
      provides: { url: 'http' },
      peers: { loadbalancer: 'reversenginx' },
    }),
    application('mysql', { provides: { server: 'mysql' } }),
    application('mysql2', { provides: { server: 'mysql', admin: 'mysql' } }),
    application('proxy', { requires: { backend: 'http' }, provides: { website: 'http' } }),
    application('riak', { peers: { ring: 'riak' } }),
    application('logging', {
      subordinate: true,
      requires: {
        info: { interface: 'juju-info', scope: 'container' },
        'logging-directory': { interface: 'logging', scope: 'container' },
      },
    }),
    application('wordlog', { provides: { 'logging-dir': { interface: 'logging', scope: 'container' } } }),
    application('monitor', { requires: { any: 'juju-info' } }),
    application('bogus', { requires: { host: { interface: 'juju-info', scope: 'container' } } }),
    application('nagios', nagios),
    application('strict', strict),
    application('asked', nagios, { asked: ['checks'] }),
    application('asked-outside', nagios, { asked: ['server'] }),
    application('all', nagios, { mode: 'all' }),
    application('lenient', strict, { mode: 'none' }),
    application('asked-of-lenient', strict, { mode: 'none', asked: ['checks'] }),
    remoteView('saas-without-endpoints', []),
  ].map((view) => [view.name, view]),
);
const infer = (...names: string[]) => inferEndpoints(names, (name) => applications[name]);

test.each([
  ['wordpress', 'mysql', 'wordpress:db mysql:server'],
  ['mysql', 'wordpress', 'mysql:server wordpress:db'],
  ['wordpress:db', 'mysql', 'wordpress:db mysql:server'],
  ['wordpress', 'mysql2:admin', 'wordpress:db mysql2:admin'],
  ['logging', 'wordpress', 'logging:info wordpress:juju-info'],
  ['logging', 'wordlog', 'logging:logging-directory wordlog:logging-dir'],
  ['logging:info', 'wordlog', 'logging:info wordlog:juju-info'],
  ['monitor', 'mysql', 'monitor:any mysql:juju-info'],
  // A subordinate is attached to any principal when nothing else fits and none of its container endpoints is required.
  ['nagios', 'wordpress', 'nagios:juju-info wordpress:juju-info'],
  ['riak', 'nagios', 'riak:juju-info nagios:juju-info'],
  ['nagios:juju-info', 'mysql:juju-info', 'nagios:juju-info mysql:juju-info'],
  ['nagios:juju-info', 'mysql', 'nagios:juju-info mysql:juju-info'],
  ['nagios', 'mysql', 'nagios:server mysql:server'],
  // Requirements come from the charm, the operator and the model.
  ['asked-outside', 'riak', 'asked-outside:juju-info riak:juju-info'],
  ['lenient', 'riak', 'lenient:juju-info riak:juju-info'],
])('the endpoints of a relation between %s and %s are inferred as %s', (a, b, expected) => {
  expect(infer(a, b).map(formatEndpoint).join(' ')).toBe(expected);
});

test('the implicit relation of a subordinate with any principal has container scope', () => {
  expect(infer('nagios', 'wordpress').map(({ role, scope }) => `${role} ${scope}`)).toEqual([
    'requirer container',
    'provider global',
  ]);
});

test.each([
  [
    'strict',
    'riak',
    'no relations found: "strict" requires checks (checks); "riak" has nothing that others relate to',
  ],
  [
    'nagios:checks',
    'riak',
    'no relations found: "nagios:checks" requires checks (checks); "riak" has nothing that others relate to',
  ],
  [
    'asked',
    'riak',
    'no relations found: "asked" requires checks (checks), requires server (mysql); "riak" has nothing that others relate to',
  ],
  [
    'riak',
    'all',
    'no relations found: "riak" has nothing that others relate to; "all" requires checks (checks), requires server (mysql)',
  ],
  [
    'asked-of-lenient:juju-info',
    'riak:juju-info',
    'no relations found: "asked-of-lenient:juju-info" has nothing that others relate to; "riak:juju-info" has nothing that others relate to',
  ],
  [
    'nagios',
    'strict',
    'no relations found: "nagios" requires checks (checks), requires server (mysql); "strict" requires checks (checks)',
  ],
  [
    'wordpress',
    'riak',
    'no relations found: "wordpress" provides url (http), requires db (mysql), requires cache (memcache); "riak" has nothing that others relate to',
  ],
  [
    'mysql',
    'mysql2',
    'no relations found: "mysql" provides server (mysql); "mysql2" provides server (mysql), provides admin (mysql)',
  ],
  [
    'riak',
    'riak',
    'no relations found: "riak" has nothing that others relate to; "riak" has nothing that others relate to',
  ],
  [
    'wordpress:db',
    'wordpress:db',
    'no relations found: "wordpress:db" requires db (mysql); "wordpress:db" requires db (mysql)',
  ],
  [
    'wordpress:cache',
    'mysql',
    'no relations found: "wordpress:cache" requires cache (memcache); "mysql" provides server (mysql)',
  ],
  [
    'bogus',
    'mysql',
    'no relations found: "bogus" requires host (juju-info); "mysql" provides server (mysql)',
  ],
  [
    'wordpress',
    'riak:ring',
    'no relations found: "wordpress" provides url (http), requires db (mysql), requires cache (memcache); "riak:ring" has nothing that others relate to',
  ],
  [
    'wordpress',
    'mysql2',
    'ambiguous relation: "wordpress mysql2" could refer to "wordpress:db mysql2:admin"; "wordpress:db mysql2:server"',
  ],
  ['wordpress', 'mysql:nope', 'application "mysql" has no "nope" relation'],
  [
    'mysql',
    'saas-without-endpoints',
    'no relations found: "mysql" provides server (mysql); "saas-without-endpoints" has nothing that others relate to',
  ],
  ['mysql', 'saas-without-endpoints:db', 'application "saas-without-endpoints" has no "db" relation'],
  ['wordpress', 'nope', 'application "nope" not found'],
  ['wordpress', 'mysql:', 'invalid endpoint "mysql:"'],
])('the endpoints of a relation between %s and %s cannot be inferred', (a, b, message) => {
  expect(() => infer(a, b)).toThrow(expect.objectContaining({ message }));
});

test('a relation is inferred from exactly two names', () => {
  expect(() => infer('mysql')).toThrow('a relation must involve two applications');
  expect(() => infer('a', 'b', 'c')).toThrow('a relation must involve two applications');
});
