import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deployLocal } from '../../../testing/deploy-local.ts';
import { renameSpace } from '../../transactions/set/rename-space.ts';
import { agentStarted } from '../../transactions/agent/agent-started.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers({ environ: { networks: { subnets: () => Promise.resolve([]) } } });
  await callers.addCharm('app', {
    requires: { db: { interface: 'x' } },
    provides: { web: { interface: 'http' } },
    'extra-bindings': { admin: null },
  });
});
afterEach(() => callers[Symbol.asyncDispose]());

const spaces = <R>(method: string, params: object = {}): Promise<R> => callers.call('Spaces', method, params);

const deploy = (name: string, rest: object = {}): Promise<unknown> =>
  deployLocal(callers, name, { 'charm-url': 'local:app-0', ...rest });

/** Reports the machine's addresses as its agent does: CIDRs of the addresses themselves. */
function report(machine: string, ...cidrs: string[]): Promise<void> {
  return callers.change((tx) =>
    agentStarted(tx, {
      machine,
      hostname: 'host',
      hardware: {},
      addresses: cidrs.map((cidr, n) => ({
        value: cidr.slice(0, cidr.indexOf('/')),
        cidr,
        interfaceName: `eth${n}`,
        macAddress: '',
      })),
    }),
  );
}

async function add(name: string, ...cidrs: string[]): Promise<void> {
  expect(await spaces('CreateSpaces', { spaces: [{ 'space-tag': `space-${name}`, cidrs }] })).toEqual({
    results: [{}],
  });
}

async function names(): Promise<Record<string, string[]>> {
  const { results } = await spaces<{ results: { name: string; subnets: { cidr: string }[] }[] }>(
    'ListSpaces',
  );
  return Object.fromEntries(results.map(({ name, subnets }) => [name, subnets.map(({ cidr }) => cidr)]));
}

async function move(space: string, cidrs: string[], force = false): Promise<unknown> {
  const { results } = await callers.call<{ results: { subnets?: { id: string }[] }[] }>(
    'Subnets',
    'SubnetsByCIDR',
    { cidrs },
  );
  const subnets = results.map(({ subnets: [one] = [] }) => `subnet-${one!.id}`);
  const moved = await spaces<{ results: unknown[] }>('MoveSubnets', {
    args: [{ subnets, 'space-tag': `space-${space}`, force }],
  });
  return moved.results[0];
}

test('subnets are known from the addresses that agents report, and are in alpha', async () => {
  await deploy('one');
  await report('0', '10.0.8.7/24', '10.0.9.7/24', '10.1.1.1/32');
  expect(await names()).toEqual({ alpha: ['10.0.8.0/24', '10.0.9.0/24'] });
  expect(await callers.call('Subnets', 'ListSubnets', {})).toEqual({
    results: ['10.0.8.0/24', '10.0.9.0/24'].map((cidr) => ({
      cidr,
      'vlan-tag': 0,
      life: 'alive',
      'space-tag': 'space-alpha',
      zones: [],
    })),
  });
  const before = callers.store.read().revision;
  await report('0', '10.0.8.7/24', '10.0.9.7/24', '10.1.1.1/32');
  expect(callers.store.read().revision).toBe(before);
});

test('a full model notes no more subnets', async () => {
  await deploy('one');
  await callers.change((tx) => {
    for (let n = 0; n < limits.subnets.max; n++) {
      const cidr = `10.${n >> 8}.${n & 255}.0/24`;
      tx.put('subnet', cidr, { id: String(n + 1), cidr, space: 'alpha', zones: [] });
    }
  });
  await report('0', '192.168.0.1/24');
  expect(callers.view().count('subnet')).toBe(limits.subnets.max);
  expect(callers.view().get('machine', '0')?.addresses).toHaveLength(1);
});

test('a subnet has a maximum number of zones, and an agent that reports another zone is heard all the same', async () => {
  await deploy('one');
  const zones = Array.from({ length: limits.subnetZones.max }, (_, n) => `z${n}`).sort();
  await callers.change((tx) => {
    tx.put('subnet', '10.0.8.0/24', { id: '1', cidr: '10.0.8.0/24', space: 'alpha', zones });
    tx.put('machine', '0', { ...tx.get('machine', '0')!, zone: 'zone-of-its-own' });
  });
  await report('0', '10.0.8.7/24');
  expect(callers.view().get('subnet', '10.0.8.0/24')?.zones).toEqual(zones);
  expect(callers.view().get('machine', '0')?.addresses).toHaveLength(1);
});

test('an answer about spaces has no more entries than the limit of an answer', async () => {
  await deploy('one');
  await callers.change((tx) => {
    const one = tx.get('application', 'one')!;
    for (let n = 0; n < limits.answerEntries.max / 1000; n++)
      tx.put('application', `app${n}`, { ...one, name: `app${n}` });
  });
  const entities = Array.from({ length: 1000 }, () => ({ tag: 'space-alpha' }));
  const { results } = await spaces<{ results: { error?: { code: string }; applications: string[] }[] }>(
    'ShowSpace',
    { entities },
  );
  expect(results[0]?.applications.length).toBeGreaterThan(100);
  expect(results.at(-1)?.error?.code).toBe('quota limit exceeded');
});

test('spaces are added with subnets, shown and renamed with all that names them', async () => {
  await deploy('one');
  await report('0', '10.0.8.7/24', '10.0.9.7/24');
  await add('db', '10.0.8.0/24');
  expect(await names()).toEqual({ alpha: ['10.0.9.0/24'], db: ['10.0.8.0/24'] });
  await deploy('two', { 'endpoint-bindings': { db: 'db' }, constraints: { spaces: ['db'] } });
  await callers.call('Application', 'Expose', {
    application: 'two',
    'exposed-endpoints': { web: { 'expose-to-spaces': ['db'] } },
  });
  await callers.call('ModelConfig', 'ModelSet', { config: { 'default-space': 'db' } });
  expect(await spaces('ShowSpace', { entities: [{ tag: 'space-db' }, { tag: 'space-nope' }] })).toMatchObject(
    {
      results: [
        {
          space: { id: '1', name: 'db', subnets: [{ cidr: '10.0.8.0/24' }] },
          applications: ['two'],
          'machine-count': 1,
        },
        { error: { code: 'not found', message: 'space "nope" not found' } },
      ],
    },
  );
  const changes = [{ 'from-space-tag': 'space-db', 'to-space-tag': 'space-data' }];
  expect(await spaces('RenameSpace', { changes })).toEqual({ results: [{}] });
  expect(await names()).toEqual({ alpha: ['10.0.9.0/24'], data: ['10.0.8.0/24'] });
  expect(callers.view().get('application', 'two')).toMatchObject({
    endpointBindings: { '': 'alpha', db: 'data' },
    constraints: { spaces: ['data'] },
    exposed: { web: { spaces: ['data'] } },
  });
  expect(callers.view().get('machine', '1')?.constraints).toEqual({ spaces: ['data'] });
  expect(callers.view().in('').get('model', callers.model)?.config['default-space']).toBe('data');
});

test('a rename that one request has begun and not ended is ended by the next request', async () => {
  await deploy('one');
  await report('0', '10.0.8.7/24');
  await add('db');
  await callers.change((tx) => {
    renameSpace(tx, { from: 'db', to: 'data' });
    tx.put('machine', '0', { ...tx.get('machine', '0')!, constraints: { spaces: ['db'] } });
  });
  const changes = [{ 'from-space-tag': 'space-data', 'to-space-tag': 'space-files' }];
  expect(await spaces('RenameSpace', { changes })).toEqual({ results: [{}] });
  expect(callers.view().get('machine', '0')?.constraints).toEqual({ spaces: ['files'] });
  expect(callers.view().get('space', 'files')).not.toHaveProperty('formerly');
});

describe('refusals', () => {
  beforeEach(async () => {
    await deploy('one');
    await report('0', '10.0.8.7/24');
    await add('db');
  });

  test.each([
    ['a name that is taken', { 'space-tag': 'space-db', cidrs: [] }, 'space "db" already exists'],
    ['the default space', { 'space-tag': 'space-alpha', cidrs: [] }, 'space "alpha" already exists'],
    [
      'an unknown subnet',
      { 'space-tag': 'space-x', cidrs: ['10.0.0.0/24'] },
      'subnet "10.0.0.0/24" not found',
    ],
    ['no CIDR', { 'space-tag': 'space-x', cidrs: ['x'] }, '"x" is not a valid CIDR'],
    ['no tag of a space', { 'space-tag': 'space-X!', cidrs: [] }, '"space-X!" is not a valid space tag'],
  ])('%s is refused', async (_name, space, message) => {
    expect(await spaces('CreateSpaces', { spaces: [space] })).toMatchObject({
      results: [{ error: { message } }],
    });
  });

  test.each([
    ['alpha', 'x', 'the "alpha" space cannot be renamed'],
    ['nope', 'x', 'space "nope" not found'],
    ['db', 'alpha', 'space "alpha" already exists'],
  ])('%s is not renamed to %s', async (from, to, message) => {
    const changes = [{ 'from-space-tag': `space-${from}`, 'to-space-tag': `space-${to}` }];
    expect(await spaces('RenameSpace', { changes })).toMatchObject({ results: [{ error: { message } }] });
  });

  test.each([
    ['alpha', 'the alpha space cannot be removed'],
    ['nope', 'space "nope" not found'],
  ])('%s is not removed', async (name, message) => {
    const param = [{ space: { tag: `space-${name}` } }];
    expect(await spaces('RemoveSpace', { 'space-param': param })).toMatchObject({
      results: [{ error: { message } }],
    });
  });

  test('bindings, constraints and default-space name spaces that exist', async () => {
    const error = { message: 'space "dmz" not found', code: 'not found' };
    expect(await deploy('two', { 'endpoint-bindings': { db: 'dmz' } })).toEqual({ error });
    expect(await deploy('two', { constraints: { spaces: ['^dmz'] } })).toEqual({ error });
    expect(await deploy('two', { 'endpoint-bindings': { db: 'db' } })).toEqual({});
    await expect(
      callers.call('ModelConfig', 'ModelSet', { config: { 'default-space': 'dmz' } }),
    ).rejects.toMatchObject(error);
  });

  test('only administrators of the model change spaces', async () => {
    await callers.addUser('bob');
    await callers.grant('bob', 'write');
    const create = callers.call(
      'Spaces',
      'CreateSpaces',
      { spaces: [{ 'space-tag': 'space-x', cidrs: [] }] },
      { as: 'bob' },
    );
    await expect(create).rejects.toMatchObject({ code: 'unauthorized access' });
    await callers.call('Spaces', 'ListSpaces', {}, { as: 'bob' });
  });
});

describe('moving subnets', () => {
  beforeEach(async () => {
    await deploy('one');
    await report('0', '10.0.8.7/24', '10.0.9.7/24');
    await add('db', '10.0.8.0/24');
  });

  test('subnets move to the space, and the answer names the spaces that they were in', async () => {
    expect(await move('db', ['10.0.9.0/24'])).toEqual({
      'new-space': 'space-db',
      'moved-subnets': [{ subnet: 'subnet-2', 'old-space': 'space-alpha', cidr: '10.0.9.0/24' }],
    });
    expect(await names()).toEqual({ alpha: [], db: ['10.0.8.0/24', '10.0.9.0/24'] });
  });

  test('a binding that would break refuses the move, unless the move is forced', async () => {
    await deploy('two', { 'endpoint-bindings': { db: 'db' }, placement: [{ scope: '#', directive: '0' }] });
    expect(await move('alpha', ['10.0.8.0/24'])).toEqual({
      'new-space': '',
      error: {
        code: '',
        message:
          'moving subnet(s) to space "alpha" violates endpoint binding db:db for application "two"\n' +
          '\tunits not connected to the space: two/0',
      },
    });
    expect(await move('alpha', ['10.0.8.0/24'], true)).toMatchObject({ 'new-space': 'space-alpha' });
    expect(callers.logged.at(-1)?.msg).toContain('violates endpoint binding');
    expect(await names()).toEqual({ alpha: ['10.0.8.0/24', '10.0.9.0/24'], db: [] });
  });

  test('unknown subnets and spaces are refused', async () => {
    expect(await move('nope', ['10.0.8.0/24'])).toMatchObject({
      error: { message: 'space "nope" not found' },
    });
    const args = [{ subnets: ['subnet-99'], 'space-tag': 'space-db', force: false }];
    expect(await spaces('MoveSubnets', { args })).toMatchObject({
      results: [{ error: { message: 'subnet "99" not found' } }],
    });
  });
});

describe('removal', () => {
  const remove = async (options: object = {}): Promise<unknown> =>
    (
      await spaces<{ results: unknown[] }>('RemoveSpace', {
        'space-param': [{ space: { tag: 'space-db' }, ...options }],
      })
    ).results[0];

  beforeEach(async () => {
    await deploy('one');
    await report('0', '10.0.8.7/24');
    await add('db', '10.0.8.0/24');
  });

  test('an unused space goes, and its subnets are in alpha', async () => {
    expect(await remove()).toEqual({});
    expect(await names()).toEqual({ alpha: ['10.0.8.0/24'] });
  });

  test('a used space stays, and the answer names its uses; by force the uses end', async () => {
    await deploy('two', { 'endpoint-bindings': { '': 'db' }, constraints: { spaces: ['db'] } });
    await callers.call('ModelConfig', 'SetModelConstraints', { constraints: { spaces: ['^db'] } });
    const uses = {
      constraints: [{ tag: 'application-two' }, { tag: `model-${callers.model}` }],
      bindings: [{ tag: 'application-two' }],
    };
    expect(await remove()).toEqual(uses);
    expect(await remove({ force: true, 'dry-run': true })).toEqual(uses);
    expect(callers.view().get('space', 'db')).toBeDefined();
    expect(await remove({ force: true })).toEqual({});
    expect(callers.view().get('application', 'two')).toMatchObject({
      endpointBindings: { '': 'alpha' },
      constraints: {},
    });
    expect(callers.view().in('').get('model', callers.model)?.constraints).toEqual({});
  });

  test('exposure and default-space keep a space, too', async () => {
    await callers.call('ModelConfig', 'ModelSet', { config: { 'default-space': 'db' } });
    expect(await remove()).toMatchObject({
      error: { message: 'cannot remove space "db": it is the model\'s default-space' },
    });
    await callers.call('Application', 'Expose', {
      application: 'one',
      'exposed-endpoints': { '': { 'expose-to-spaces': ['db'] } },
    });
    expect(await remove()).toMatchObject({
      error: { message: 'cannot remove space "db": exposed to it: one' },
    });
    expect(await remove({ force: true })).toEqual({});
    expect(callers.view().get('application', 'one')?.exposed).toEqual({ '': { cidrs: [], spaces: [] } });
  });
});

test('spaces are reloaded from the addresses of all machines', async () => {
  await deploy('one');
  await report('0', '10.0.8.7/24');
  await callers.change((tx) => tx.remove('subnet', '10.0.8.0/24'));
  await spaces('ReloadSpaces');
  expect(await names()).toEqual({ alpha: ['10.0.8.0/24'] });
});

test('the history tells of spaces and of subnets that move', async () => {
  await deploy('one');
  await report('0', '10.0.8.7/24');
  await add('db', '10.0.8.0/24');
  const history = await callers.call('Lives', 'History', { names: [], limit: 0 });
  const text = JSON.stringify(history);
  expect(text).toContain('"subject":"subnet 10.0.8.0/24","what":"found"');
  expect(text).toContain('space alpha -> db');
});
