import { describe, expect, test } from 'vitest';
import { parseCharm, type ParsedCharm } from '../charm/parse-charm.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import { checkRefresh, type RefreshRequest, type RefreshSnapshot } from './check-refresh.ts';

interface Files {
  readonly meta?: object;
  readonly config?: object;
  readonly bases?: readonly string[];
}
function charm({ meta = {}, config = {}, bases = ['24.04'] }: Files): ParsedCharm {
  return parseCharm({
    'metadata.yaml': { name: 'web', summary: '', description: '', ...meta },
    'config.yaml': { options: config },
    'manifest.yaml': {
      bases: bases.map((channel) => ({ name: 'ubuntu', channel, architectures: ['amd64'] })),
    },
  });
}
const before: Files = {
  meta: { requires: { db: { interface: 'mysql' } }, peers: { ring: { interface: 'ring' } } },
  config: {
    port: { type: 'int' },
    title: { type: 'string' },
    gone: { type: 'string' },
    retyped: { type: 'string' },
  },
};
const request: RefreshRequest = { config: {}, endpointBindings: {}, force: false, forceBase: false };
const end = (more: Partial<RelationEndpoint> = {}): RelationEndpoint => ({
  application: 'site',
  name: 'db',
  role: 'requirer',
  interface: 'mysql',
  scope: 'global',
  limit: 0,
  optional: false,
  ...more,
});
const other = end({ application: 'mysql', name: 'server', role: 'provider' });
const related = (own: RelationEndpoint) => ({
  key: 'site:db mysql:server',
  endpoints: [own, other],
  life: 'alive' as const,
});

function refresh(
  files: Files,
  {
    asked = {},
    application = {},
    relations = [related(end())],
  }: {
    asked?: Partial<RefreshRequest>;
    application?: Partial<RefreshSnapshot['application']>;
    relations?: ReturnType<typeof related>[];
  } = {},
): ReturnType<typeof checkRefresh> {
  return checkRefresh(
    { ...request, ...asked },
    {
      application: {
        name: 'site',
        base: { name: 'ubuntu', channel: '24.04/stable' },
        subordinate: false,
        config: { port: 80, title: 'Old', gone: 'x', retyped: 'seven' },
        endpointBindings: { '': 'alpha', db: 'alpha', lost: 'alpha' },
        ...application,
      },
      from: { url: 'local:web-0', ...charm(before) },
      to: { url: 'local:web-1', ...charm({ ...before, ...files }) },
      relations,
    },
  );
}

test('option values that the new charm accepts are kept, values of the request override them, and the others are forgotten', () => {
  const config = {
    port: { type: 'int' },
    title: { type: 'string', default: 'New' },
    retyped: { type: 'int', default: 7 },
  };
  expect(refresh({ config }, { asked: { config: { title: 'Given' } } }).config).toEqual({
    port: 80,
    title: 'Given',
  });
});

test('a refresh changes bindings as `bind` does: endpoints keep their spaces, but those in the old default space follow a new one', () => {
  const bindings = { '': 'alpha', db: 'alpha', ring: 'dmz', lost: 'dmz' };
  const after = (asked: Record<string, string>): object =>
    refresh({}, { asked: { endpointBindings: asked }, application: { endpointBindings: bindings } })
      .endpointBindings;
  expect(after({ ring: 'alpha' })).toEqual({ '': 'alpha' });
  expect(after({})).toEqual({ '': 'alpha', ring: 'dmz' });
  expect(after({ '': 'beta' })).toEqual({ '': 'beta', ring: 'dmz' });
});

describe('a refresh is refused', () => {
  const limited = { meta: { requires: { db: { interface: 'mysql', limit: 1 } } } };
  const twice = [related(end()), { ...related(end()), key: 'site:db other:server' }];
  test.each<[string, Files, Parameters<typeof refresh>[1], string, string]>([
    ['an unknown option', {}, { asked: { config: { nope: '1' } } }, 'not valid', 'unknown option "nope"'],
    ['a wrong type', {}, { asked: { config: { port: 'x' } } }, 'not valid', 'option "port" expected int'],
    ['unmet assumptions', { meta: { assumes: ['k8s-api'] } }, {}, 'not supported', 'it assumes k8s-api'],
    ['no bases any more', { bases: [] }, {}, '', 'cannot downgrade from v2 charm format to v1'],
    [
      'a subordinate',
      {},
      { application: { subordinate: true } },
      '',
      "cannot change an application's subordinacy",
    ],
    [
      'another base',
      { bases: ['22.04'] },
      {},
      'not valid',
      'base "ubuntu@24.04" not supported by charm, supported bases are: ubuntu@22.04',
    ],
    [
      'another operating system',
      { bases: ['22.04'] },
      { asked: { forceBase: true }, application: { base: { name: 'debian', channel: '12/stable' } } },
      'not valid',
      'OS "debian" not supported by charm',
    ],
    ['a missing endpoint', { meta: {} }, {}, '', 'would break relation "site:db mysql:server"'],
    [
      'another interface',
      { meta: { requires: { db: { interface: 'pgsql' } } } },
      { asked: { force: true, forceBase: true } },
      '',
      'would break relation',
    ],
    [
      'an endpoint that became one of containers',
      { meta: { requires: { db: { interface: 'mysql', scope: 'container' } } } },
      {},
      '',
      'would break relation',
    ],
    ['a lower limit', limited, { relations: twice }, 'quota limit exceeded', 'site:db has 2 relations'],
    [
      'a base that the call asks for',
      {},
      { asked: { base: { name: 'ubuntu', channel: '22.04/stable' } } },
      'not valid',
      'base "ubuntu@22.04" not supported by charm',
    ],
    ['a required endpoint', {}, { application: { require: ['cache'] } }, 'not valid', 'endpoint "cache"'],
    [
      'an endpoint to bind',
      {},
      { asked: { endpointBindings: { no: 'alpha' } } },
      'not valid',
      'unknown endpoint',
    ],
  ])('for %s', (_, files, rest, code, message) => {
    expect(() => refresh(files, rest)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(
          /^cannot upgrade application "site" to charm "local:web-1": /,
        ) as unknown,
      }) as Error,
    );
    expect(() => refresh(files, rest)).toThrow(message);
  });
  test('unless forced, for other bases and for more relations than an endpoint takes', () => {
    expect(() => refresh(limited, { asked: { force: true }, relations: twice })).not.toThrow();
    expect(() => refresh({ bases: ['22.04'] }, { asked: { forceBase: true } })).not.toThrow();
    expect(() =>
      refresh({ meta: { assumes: ['k8s-api'] } }, { asked: { force: true }, relations: [] }),
    ).not.toThrow();
  });
});

test('a relation in containers holds an endpoint that the charm declares as global', () => {
  const own = end({ name: 'juju-info', role: 'provider', interface: 'juju-info', scope: 'container' });
  expect(() => refresh({}, { relations: [related(own)] })).not.toThrow();
});
