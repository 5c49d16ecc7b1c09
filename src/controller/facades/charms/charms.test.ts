import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm(
    'app',
    {
      provides: { web: 'http' },
      peers: { ring: 'ring' },
      storage: { data: { type: 'filesystem', location: '/data', multiple: { range: '0-' } } },
      resources: { image: { type: 'file', filename: 'image.tar', description: 'An image' } },
    },
    {
      revision: 4,
      config: { port: { type: 'int', description: 'Where', default: 80 } },
      lxdProfile: { description: 'nested', config: { 'security.nesting': 'true' }, devices: {} },
      actions: {
        backup: { description: 'Backs up', params: { type: 'object' }, parallel: false, executionGroup: '' },
      },
    },
  );
});
afterEach(() => callers[Symbol.asyncDispose]());

const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Charms', method, params, how);

test('CharmInfo returns all metadata of a charm', async () => {
  const endpoint = { limit: 0, optional: false, scope: 'global' };
  expect(await call('CharmInfo', { url: 'local:app-4' })).toMatchObject({
    url: 'local:app-4',
    revision: 4,
    config: { port: { type: 'int', description: 'Where', default: 80 } },
    meta: {
      name: 'app',
      subordinate: false,
      provides: { web: { name: 'web', role: 'provider', interface: 'http', ...endpoint } },
      peers: { ring: { name: 'ring', role: 'peer', interface: 'ring' } },
      storage: {
        data: { name: 'data', type: 'filesystem', location: '/data', 'count-min': 0, 'count-max': -1 },
      },
      resources: { image: { name: 'image', type: 'file', path: 'image.tar' } },
      // Every client can parse this version; the charm states no version.
      'min-juju-version': '0.0.0',
    },
    actions: { specs: { backup: { description: 'Backs up', params: { type: 'object' } } } },
    manifest: { bases: [{ name: 'ubuntu', channel: '24.04/stable' }] },
    'lxd-profile': { description: 'nested', config: { 'security.nesting': 'true' }, devices: {} },
  });
  await expect(call('CharmInfo', { url: 'local:none-0' })).rejects.toMatchObject({ code: 'not found' });
});

test.each([
  ['3.6', '3.6.0'],
  ['3.6.28', '3.6.28'],
  ['2.9-beta1', '2.9-beta1'],
])('CharmInfo tells a minimal version %s as %s', async (said, told) => {
  const url = await callers.addCharm('new', { 'min-juju-version': said });
  expect(await call('CharmInfo', { url })).toMatchObject({ meta: { 'min-juju-version': told } });
});

test('List returns all charms, or those of a name', async () => {
  await callers.addCharm('other');
  expect(await call('List', {})).toEqual({ 'charm-urls': ['local:app-4', 'local:other-0'] });
  expect(await call('List', { names: ['other', 'none'] })).toEqual({ 'charm-urls': ['local:other-0'] });
});

test('ResolveCharms resolves local charms, with bases or, for old clients, series', async () => {
  const origin = { source: 'local', type: 'charm', id: '' };
  const params = {
    resolve: [
      { reference: 'local:app-4', 'charm-origin': origin },
      { reference: 'ch:mysql', 'charm-origin': origin },
    ],
  };
  expect(await call('ResolveCharms', params)).toMatchObject({
    Results: [
      { url: 'local:app-4', 'charm-origin': origin, 'supported-bases': [{ name: 'ubuntu' }] },
      { url: 'ch:mysql', error: { code: 'not supported' } },
    ],
  });
  expect(await call('ResolveCharms', params, { version: 6 })).toMatchObject({
    Results: [{ 'supported-series': ['noble'] }, {}],
  });
});

test('Resources.ListResources has an entry for each resource that the charm declares', async () => {
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'app', 'charm-url': 'local:app-4', 'num-units': 1, Force: true }],
  });
  const entities = [{ tag: 'application-app' }, { tag: 'application-none' }];
  expect(await callers.call('Resources', 'ListResources', { entities })).toMatchObject({
    results: [
      {
        resources: [
          {
            id: 'app/image',
            name: 'image',
            path: 'image.tar',
            description: 'An image',
            fingerprint: null,
            size: 0,
          },
        ],
        'unit-resources': [{ tag: 'unit-app-0', resources: [] }],
      },
      { resources: [], error: { code: 'not found' } },
    ],
  });
});

test('CheckCharmPlacement allows local charms, and refuses those of a store', async () => {
  await callers.call('Application', 'Deploy', {
    applications: [{ application: 'placed', 'charm-url': 'local:app-4', 'num-units': 0, Force: true }],
  });
  const placements = [
    { application: 'placed', 'charm-url': 'local:app-9' },
    { application: 'placed', 'charm-url': 'ch:amd64/app-9' },
    { application: 'none', 'charm-url': 'local:app-9' },
  ];
  expect(await call('CheckCharmPlacement', { placements })).toMatchObject({
    results: [{}, { error: { code: 'not supported' } }, { error: { code: 'not found' } }],
  });
});
