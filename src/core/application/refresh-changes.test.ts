import { expect, test } from 'vitest';
import { parseCharm } from '../charm/parse-charm.ts';
import { refreshChanges, type RefreshChange, type RefreshedState } from './refresh-changes.ts';

interface Given {
  readonly revision?: number;
  readonly metadata?: object;
  readonly options?: object;
  readonly files?: object;
  readonly application?: Partial<RefreshedState['application']>;
  readonly resources?: readonly { name: string; fingerprint: string; size: number }[];
}

function state({
  revision = 1,
  metadata,
  options,
  files,
  application,
  resources = [],
}: Given): RefreshedState {
  const charm = parseCharm({
    'metadata.yaml': { name: 'db', summary: 's', description: 'd', ...metadata },
    'config.yaml': { options: options ?? {} },
    ...files,
  });
  return {
    application: {
      base: { name: 'ubuntu', channel: '24.04/stable' },
      config: {},
      endpointBindings: { '': 'alpha' },
      trust: false,
      ...application,
    },
    charm: { url: `local:db-${revision}`, ...charm },
    resources,
  };
}

const wish = { pool: 'rootfs', provider: 'rootfs', detachable: false, size: 1024, count: 1 };
const port = { type: 'int', default: 80 };

const cases: readonly (readonly [
  title: string,
  before: Given,
  after: Given,
  changes: readonly RefreshChange[],
])[] = [
  ['nothing', {}, {}, []],
  [
    'another charm on another base, trusted',
    {},
    { revision: 2, application: { base: { name: 'ubuntu', channel: '26.04/stable' }, trust: true } },
    [
      { part: 'charm', name: '', from: 'local:db-1', to: 'local:db-2' },
      { part: 'base', name: '', from: 'ubuntu@24.04', to: 'ubuntu@26.04' },
      { part: 'trust', name: '', from: 'false', to: 'true' },
    ],
  ],
  [
    'a value whose option goes is dropped',
    { options: { port, motto: { type: 'string' } }, application: { config: { motto: 'a', port: 1 } } },
    { options: { port }, application: { config: { port: 2 } } },
    [
      { part: 'config', name: 'motto', from: '"a"', note: 'the charm has no such option' },
      { part: 'config', name: 'port', from: '1', to: '2' },
      { part: 'option', name: 'motto', from: 'string' },
    ],
  ],
  [
    'a value of another type gives way to the default, or to none',
    { options: { port, size: port }, application: { config: { port: 1, size: 1 } } },
    { options: { port: { type: 'boolean', default: true }, size: { type: 'boolean' } } },
    [
      {
        part: 'config',
        name: 'port',
        from: '1',
        note: 'not a value of type boolean: the option has its default true',
      },
      { part: 'config', name: 'size', from: '1', note: 'not a value of type boolean: the option is not set' },
      { part: 'option', name: 'port', from: 'int 80', to: 'boolean true' },
      { part: 'option', name: 'size', from: 'int 80', to: 'boolean' },
    ],
  ],
  [
    'endpoints, bindings and actions',
    {
      metadata: {
        requires: { old: { interface: 'a' }, kept: { interface: 'b' } },
        peers: { ring: { interface: 'r' } },
      },
      files: { 'actions.yaml': { dump: {} } },
    },
    {
      metadata: {
        requires: { kept: { interface: 'b', limit: 1 } },
        provides: { new: { interface: 'a', scope: 'container' } },
        'extra-bindings': { admin: null },
      },
      application: { endpointBindings: { '': 'alpha', kept: 'dmz' } },
      files: { 'actions.yaml': { restore: {} } },
    },
    [
      { part: 'endpoint', name: 'admin', to: 'extra binding' },
      { part: 'endpoint', name: 'kept', from: 'requires b', to: 'requires b, at most 1' },
      { part: 'endpoint', name: 'new', to: 'provides a in the same container' },
      { part: 'endpoint', name: 'old', from: 'requires a' },
      { part: 'endpoint', name: 'ring', from: 'peers r' },
      { part: 'binding', name: 'kept', from: 'alpha', to: 'dmz' },
      { part: 'action', name: 'dump', from: 'declared' },
      { part: 'action', name: 'restore', to: 'declared' },
    ],
  ],
  [
    'storage, resources and the LXD profile',
    {
      metadata: { resources: { dump: { filename: 'd' } } },
      application: { storage: { data: wish } },
      resources: [{ name: 'dump', fingerprint: 'a'.repeat(96), size: 3 }],
    },
    {
      metadata: { resources: { dump: { filename: 'd' }, more: { filename: 'm' } } },
      application: { storage: { data: { ...wish, count: 2 }, logs: wish } },
      resources: [{ name: 'dump', fingerprint: 'b'.repeat(96), size: 4 }],
      files: { 'lxd-profile.yaml': { config: { 'security.nesting': 'true' } } },
    },
    [
      { part: 'storage', name: 'data', from: 'rootfs,1,1024M', to: 'rootfs,2,1024M' },
      { part: 'storage', name: 'logs', to: 'rootfs,1,1024M' },
      {
        part: 'resource',
        name: 'dump',
        from: `3 bytes, SHA-384 ${'a'.repeat(12)}`,
        to: `4 bytes, SHA-384 ${'b'.repeat(12)}`,
      },
      { part: 'resource', name: 'more', to: 'no content' },
      {
        part: 'lxd-profile',
        name: '',
        to: '{"description":"","config":{"security.nesting":"true"},"devices":{}}',
      },
    ],
  ],
];

test.each(cases)('a refresh changes: %s', (_, before, after, changes) => {
  expect(refreshChanges(state(before), state(after))).toEqual(changes);
});
