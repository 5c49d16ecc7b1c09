import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settingsId } from '../../../core/settings/document.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import { agentStarted } from '../../transactions/agent/agent-started.ts';
import { commitHook } from '../../transactions/agent/commit-hook.ts';
import { enterScope } from '../../transactions/agent/enter-scope.ts';
import { unitDeployed } from '../../transactions/agent/unit-agent.ts';
import { createSpace } from '../../transactions/begin/create-space.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers({ environ: { networks: { subnets: () => Promise.resolve([]) } } });
  await callers.addCharm('app', {
    peers: { peers: { interface: 'p' } },
    requires: { db: { interface: 'x' } },
    'extra-bindings': { admin: null },
  });
  await deploy('app', { 'num-units': 2 });
  for (const [machine, n] of [
    ['0', 5],
    ['1', 6],
  ] as const)
    await callers.change((tx) =>
      agentStarted(tx, {
        machine,
        hostname: 'host',
        hardware: {},
        addresses: [
          { value: `10.0.0.${n}`, cidr: `10.0.0.${n}/24`, interfaceName: 'eth0' },
          { value: `10.0.8.${n}`, cidr: `10.0.8.${n}/24`, interfaceName: 'eth1' },
        ],
      }),
    );
  await callers.change((tx) => {
    createSpace(tx, { name: 'data', cidrs: ['10.0.8.0/24'] });
    createSpace(tx, { name: 'dmz', cidrs: [] });
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

async function deploy(name: string, rest: object = {}): Promise<void> {
  expect(await deployLocal(callers, name, { 'charm-url': 'local:app-0', ...rest })).not.toHaveProperty(
    'error',
  );
}

async function bind(bindings: Record<string, string>, force = false): Promise<unknown> {
  const { results } = await callers.call<{ results: unknown[] }>('Application', 'MergeBindings', {
    args: [{ 'application-tag': 'application-app', bindings, force }],
  });
  return results[0];
}

const bindings = () => callers.view().get('application', 'app')?.endpointBindings;

describe('MergeBindings', () => {
  test('MergeBindings binds endpoints, which Get, ApplicationsInfo and the status show', async () => {
    expect(await bind({ db: 'data' })).toEqual({});
    const all = { '': 'alpha', admin: 'alpha', db: 'data', peers: 'alpha' };
    expect(await callers.call('Application', 'Get', { application: 'app', branch: 'master' })).toMatchObject({
      'endpoint-bindings': all,
    });
    expect(
      await callers.call('Application', 'ApplicationsInfo', { entities: [{ tag: 'application-app' }] }),
    ).toMatchObject({ results: [{ result: { 'endpoint-bindings': all } }] });
    expect(await callers.call('Client', 'FullStatus', { patterns: [] })).toMatchObject({
      applications: { app: { 'endpoint-bindings': all } },
      machines: { '0': { 'network-interfaces': { eth0: { space: 'alpha' }, eth1: { space: 'data' } } } },
    });
  });

  test.each([
    [{ nope: 'data' }, 'endpoint "nope" not found'],
    [{ db: 'nowhere' }, 'space "nowhere" not found'],
    [
      { db: 'dmz' },
      'binding endpoint "db" to space "dmz" is not feasible: one or more deployed machines lack an address in this space',
    ],
  ])('MergeBindings refuses %j', async (change, message) => {
    expect(await bind(change)).toMatchObject({ error: { message } });
    expect(bindings()).toEqual({ '': 'alpha' });
  });

  test('MergeBindings binds by force where machines have no address, and never against a constraint', async () => {
    expect(await bind({ db: 'dmz' }, true)).toEqual({});
    expect(bindings()).toEqual({ '': 'alpha', db: 'dmz' });
    await callers.call('Application', 'SetConstraints', {
      application: 'app',
      constraints: { spaces: ['^data'] },
    });
    expect(await bind({ db: 'data' }, true)).toMatchObject({
      error: { message: 'negative space constraint "data" conflicts with endpoint bindings' },
    });
  });

  test('MissingAddresses tells a machine for each space in which machines of an application have no address', async () => {
    await callers.call('Application', 'AddUnits', { application: 'app', 'num-units': 1, placement: [] });
    await deploy('new', { 'num-units': 1 });
    const ask = (...applications: object[]): Promise<unknown> =>
      callers.call('ModelFiles', 'MissingAddresses', { applications });
    expect(
      await ask(
        { application: 'app', spaces: ['alpha', 'dmz', 'data', 'nowhere'] },
        { application: 'app', spaces: ['dmz'] },
        { application: 'new', spaces: ['dmz'] },
        { application: 'none', spaces: ['dmz'] },
      ),
    ).toEqual({ missing: [{ application: 'app', space: 'dmz', machine: '0' }] });
    await callers.change((tx) =>
      agentStarted(tx, {
        machine: '1',
        hostname: 'host',
        hardware: {},
        addresses: [{ value: '10.0.0.6', cidr: '10.0.0.6/24', interfaceName: 'eth0' }],
      }),
    );
    expect(await ask({ application: 'app', spaces: ['data'] })).toEqual({
      missing: [{ application: 'app', space: 'data', machine: '1' }],
    });
  });

  test('a machine without addresses prevents no binding', async () => {
    await callers.call('Application', 'AddUnits', { application: 'app', 'num-units': 1, placement: [] });
    expect(await bind({ '': 'data' })).toEqual({});
  });
});

describe('databags', () => {
  const bag = (unit: string) =>
    callers.view().get('settings', settingsId({ relation: '0', owner: unit }))?.values;
  const configChanged = (unit: string, hookId: string, set: Record<string, string> = {}) =>
    callers.change((tx) =>
      commitHook(tx, {
        unit,
        hookId,
        agentState: {},
        openPorts: [],
        closePorts: [],
        relationSettings: Object.keys(set).length > 0 ? [{ relation: 0, app: false, set }] : [],
        announceAddresses: true,
      }),
    );

  beforeEach(() =>
    callers.change((tx) => {
      for (const unit of ['app/0', 'app/1']) {
        unitDeployed(tx, unit);
        enterScope(tx, { unit, relation: '0' });
      }
    }),
  );

  test('databags have the address of the binding, after config-changed', async () => {
    expect(bag('app/0')).toEqual({
      'egress-subnets': '10.0.0.5/32',
      'ingress-address': '10.0.0.5',
      'private-address': '10.0.0.5',
    });
    await bind({ peers: 'data' });
    expect(bag('app/0')).toMatchObject({ 'ingress-address': '10.0.0.5' });
    await configChanged('app/0', 'h1', { 'private-address': 'mine' });
    expect(bag('app/0')).toEqual({
      'egress-subnets': '10.0.8.5/32',
      'ingress-address': '10.0.8.5',
      // A value that the charm sets itself stays.
      'private-address': 'mine',
    });
    expect(bag('app/1')).toMatchObject({ 'ingress-address': '10.0.0.6' });
  });

  test('databags have the egress subnets of the model, and nothing of a space without an address', async () => {
    await callers.call('ModelConfig', 'ModelSet', {
      config: { 'egress-subnets': '192.0.2.0/24,10.9.0.0/16' },
    });
    await configChanged('app/0', 'h1');
    expect(bag('app/0')).toMatchObject({ 'egress-subnets': '192.0.2.0/24,10.9.0.0/16' });
    await bind({ peers: 'dmz' }, true);
    await configChanged('app/0', 'h2');
    expect(bag('app/0')).toEqual({});
  });

  test('databags of an endpoint that is bound at deploy have the address in its space', async () => {
    await deploy('other', {
      'endpoint-bindings': { peers: 'data' },
      placement: [{ scope: '#', directive: '0' }],
    });
    await callers.change((tx) => {
      unitDeployed(tx, 'other/0');
      enterScope(tx, { unit: 'other/0', relation: '1' });
    });
    expect(
      callers.view().get('settings', settingsId({ relation: '1', owner: 'other/0' }))?.values,
    ).toMatchObject({ 'ingress-address': '10.0.8.5' });
  });
});

test('a spare machine is taken only where it is in the requested spaces', async () => {
  await callers.call('MachineManager', 'AddMachines', {
    params: [{ base: { name: 'ubuntu', channel: '24.04' }, constraints: {}, jobs: ['JobHostUnits'] }],
  });
  await callers.change((tx) => {
    const machine = tx.get('machine', '2')!;
    tx.put('machine', '2', {
      ...machine,
      instance: { id: 'i-2', displayName: '', hardware: {}, isolation: '' },
    });
    agentStarted(tx, {
      machine: '2',
      hostname: 'host',
      hardware: {},
      addresses: [{ value: '10.0.8.9', cidr: '10.0.8.9/24', interfaceName: 'eth0' }],
    });
  });
  const machineOf = (unit: string) => callers.view().get('unit', unit)?.machine;
  await deploy('excluded', { constraints: { spaces: ['^data'] }, 'reuse-machines': true });
  expect(machineOf('excluded/0')).toBe('3');
  await deploy('elsewhere', { 'endpoint-bindings': { db: 'dmz' }, 'reuse-machines': true });
  expect(machineOf('elsewhere/0')).toBe('4');
  await deploy('bound', { 'endpoint-bindings': { db: 'data' }, 'reuse-machines': true });
  expect(machineOf('bound/0')).toBe('2');
});
