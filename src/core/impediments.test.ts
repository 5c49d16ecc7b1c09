import { offerDoc, useOf } from '../testing/offers.ts';
import { attachedTo } from '../testing/storage-doc.ts';
import { describe, expect, test } from 'vitest';
import type { Entities, Kind } from './kinds.ts';
import { indexes } from './documents.ts';
import type { EntityRef, LivingKind } from './entity-ref.ts';
import {
  controllerImpediments,
  impediments,
  isCharmImpeded,
  isImpeded,
  type Impediment,
  type Refs,
} from './impediments.ts';
import { machineRemovalImpediments } from './machine/living.ts';

type Model = { readonly [K in Kind]?: Readonly<Record<string, Partial<Entities[K]>>> };

/** Reads a literal as the store would. */
function refs(model: Model): Refs {
  const find: Refs['find'] = (kind, index, value) => {
    const of = (indexes as unknown as Record<string, Record<string, (doc: object) => unknown>>)[kind]![
      index
    ]!;
    return docs(kind).filter((doc) => [of(doc)].flat().includes(value));
  };
  const docs = <P extends Kind>(kind: P): Entities[P][] =>
    Object.values(model[kind] ?? {}) as unknown as Entities[P][];
  return {
    get: (kind, id) => model[kind]?.[id] as never,
    list: docs,
    find,
    count: (kind, index, value) => (index === undefined ? docs(kind) : [...find(kind, index, value!)]).length,
  };
}

const of = (kind: LivingKind, id: string, model: Refs, most?: number): Impediment[] =>
  impediments({ kind, id }, model, most);
const ids = (list: readonly { entity?: EntityRef }[]): (string | undefined)[] =>
  list.map(({ entity }) => entity?.id);
const wordpress = { name: 'wordpress', life: 'alive' } as const;
const db = {
  id: 1,
  key: 'wordpress:db mysql:server',
  endpoints: [{ application: 'wordpress' }, { application: 'mysql' }],
} as unknown as Entities['relation'];
const inScope = (unit: string) => ({ relation: '1', unit, application: unit.split('/')[0]!, container: '' });
const texts = (list: { text: string }[]): string[] => list.map(({ text }) => text);

describe('impediments of a unit', () => {
  test('a unit waits for its subordinates and scopes', () => {
    const model = refs({
      unit: {
        'wordpress/0': { name: 'wordpress/0' },
        'log/0': { name: 'log/0', principal: 'wordpress/0' },
        'log/1': { name: 'log/1', principal: 'wordpress/1' },
      },
      relation: { 1: db },
      scope: { a: inScope('wordpress/0'), b: inScope('mysql/0') },
    });
    expect(of('unit', 'wordpress/0', model)).toEqual([
      {
        kind: 'subordinate',
        entity: { kind: 'unit', id: 'log/0' },
        text: 'unit "wordpress/0" has subordinate "log/0"',
      },
      {
        kind: 'scope',
        entity: { kind: 'relation', id: '1' },
        text: 'unit "wordpress/0" is in the scope of relation "wordpress:db mysql:server"',
      },
    ]);
    expect(of('unit', 'log/0', model)).toEqual([]);
  });
});

describe('impediments of a machine', () => {
  const unit = (name: string, more: Partial<Entities['unit']> = {}) => ({
    [name]: { name, application: 'wordpress', machine: '0', life: 'alive' as const, ...more },
  });

  test('a machine waits for its principals and containers', () => {
    const model = refs({
      machine: { 0: { id: '0' }, '0/lxd/0': { id: '0/lxd/0', parent: '0' } },
      unit: {
        ...unit('wordpress/0'),
        ...unit('log/0', { principal: 'wordpress/0' }),
        ...unit('wordpress/1', { machine: '1' }),
      },
    });
    expect(texts(of('machine', '0', model))).toEqual([
      'machine 0 has unit "wordpress/0" assigned',
      'machine 0 is hosting container "0/lxd/0"',
    ]);
    expect(of('machine', '0/lxd/0', model)).toEqual([]);
  });

  test("the controller's machine waits forever", () => {
    expect(texts(of('machine', '0', refs({ machine: { 0: { id: '0', isController: true } } })))).toEqual([
      'machine 0 runs the only controller',
    ]);
  });

  test.each<[string, Model, string[]]>([
    [
      'an alive unit refuses the machine’s removal',
      { application: { wordpress }, unit: unit('wordpress/0') },
      ['wordpress/0'],
    ],
    [
      'a dying unit does not refuse the machine’s removal',
      { application: { wordpress }, unit: unit('wordpress/0', { life: 'dying' }) },
      [],
    ],
    [
      'a unit of a dying application does not refuse the machine’s removal',
      { application: { wordpress: { ...wordpress, life: 'dying' } }, unit: unit('wordpress/0') },
      [],
    ],
    [
      'a container refuses the machine’s removal',
      { machine: { x: { id: '0/lxd/0', parent: '0' } } },
      ['0/lxd/0'],
    ],
  ])('%s', (_, model, refusing) => {
    expect(ids(machineRemovalImpediments(refs(model), '0'))).toEqual(refusing);
  });
});

describe('impediments of an application', () => {
  test('an application waits for its units, and for units in its relations', () => {
    const model = refs({
      unit: { 'wordpress/0': { name: 'wordpress/0', application: 'wordpress' } },
      relation: { 1: db },
      scope: { b: inScope('mysql/0') },
    });
    expect(texts(of('application', 'wordpress', model))).toEqual([
      'application "wordpress" has unit "wordpress/0"',
      'unit "mysql/0" is in the scope of relation "wordpress:db mysql:server"',
    ]);
  });
  test('an application does not wait for relations that are empty', () => {
    expect(of('application', 'wordpress', refs({ relation: { 1: db } }))).toEqual([]);
  });
});

test('a relation waits for every unit in its scope', () => {
  const model = refs({
    relation: { 1: db },
    scope: { a: inScope('wordpress/0'), b: inScope('mysql/0'), c: { ...inScope('x/0'), relation: '2' } },
  });
  expect(ids(of('relation', '1', model))).toEqual(['wordpress/0', 'mysql/0']);
  expect(of('relation', '3', model)).toEqual([]);
  expect(['1', '3'].map((id) => isImpeded({ kind: 'relation', id }, model))).toEqual([true, false]);
});

test('storage attachments, containers and offers block as in Juju', () => {
  const storage = {
    id: 'data/0',
    ...attachedTo('wordpress/0'),
    machine: '0',
    instance: 'i-0',
    detachable: true,
  };
  const model = refs({
    machine: { 0: { id: '0' }, '0/lxd/0': { id: '0/lxd/0', parent: '0' } },
    unit: { 'wordpress/0': { name: 'wordpress/0' } },
    storage: { a: storage, b: { ...storage, id: 'root/0', detachable: false } },
    offer: {
      used: { name: 'used', application: 'wordpress' },
      unused: { name: 'unused', application: 'wordpress' },
    },
    relation: { 7: useOf(offerDoc('used', 'wordpress'), 7).relation },
  });
  expect(texts(of('unit', 'wordpress/0', model))).toEqual([
    'unit "wordpress/0" has storage "data/0" attached',
    'unit "wordpress/0" has storage "root/0" attached',
  ]);
  expect(texts(of('machine', '0', model)), 'what outlives it').toEqual([
    'machine 0 is hosting container "0/lxd/0"',
    'machine 0 has storage "data/0" attached',
  ]);
  expect(texts(of('application', 'wordpress', model))).toEqual([
    'application "wordpress" is used through offer "used"',
  ]);
});

test.each([
  ['an application', { application: { wordpress } }, true],
  ['a unit', { unit: { 'wordpress/0': { name: 'wordpress/0' } } }, true],
  ['a machine', { machine: { 1: { id: '1' } } }, true],
  ['no charm', { charm: { 'local:a-0': { url: 'local:a-0' } } }, false],
])('a model waits for %s', (_, model: Model, impeded) => {
  expect(isImpeded({ kind: 'model', id: 'm' }, refs(model))).toBe(impeded);
});

test('a controller waits for all models but its own', () => {
  const model = refs({
    controller: { self: { modelUuid: 'c' } },
    model: {
      c: { uuid: 'c', owner: 'admin', name: 'controller' },
      m: { uuid: 'm', owner: 'admin', name: 'demo' },
    },
  });
  expect(controllerImpediments(model)).toEqual([{ kind: 'model', id: 'm' }]);
});

test('a charm waits for applications that use it, including those with units that still run it', () => {
  const model = refs({
    application: { a: { name: 'a', charmUrl: 'local:a-1', older: { 'local:a-0': {} } } },
  });
  expect(['local:a-0', 'local:a-1', 'local:a-2'].map((url) => isCharmImpeded(model, url))).toEqual([
    true,
    true,
    false,
  ]);
});

test('a charm waits for the apply of a model file that is to give it to an application', () => {
  const begun = { at: '', user: 'admin', from: '', charms: ['local:a-0'] };
  const model = refs({ 'model-file': { shop: { name: 'shop', begun } } });
  expect(['local:a-0', 'local:a-1'].map((url) => isCharmImpeded(model, url))).toEqual([true, false]);
});

test('impediments are limited to the requested number', () => {
  const scope = { a: inScope('a/0'), b: inScope('b/0'), c: inScope('c/0') };
  expect(of('relation', '1', refs({ scope }), 1)).toHaveLength(1);
  expect(of('application', 'mysql', refs({ relation: { 1: db }, scope }), 2)).toHaveLength(2);
});

test.each([
  ['application', 'wordpress', 'mysql'],
  ['machine', '0', '1'],
] as const)('isImpeded answers for %s without listing its units', (kind, used, free) => {
  const model = refs({
    application: { wordpress },
    unit: { 'wordpress/0': { name: 'wordpress/0', application: 'wordpress', machine: '0' } },
  });
  const counting: Refs = {
    ...model,
    find: (of, index, value) => {
      if (of === 'unit') throw new Error('units were listed');
      return model.find(of, index, value);
    },
  };
  expect(isImpeded({ kind, id: used }, counting)).toBe(true);
  expect(isImpeded({ kind, id: free }, model)).toBe(false);
});
