import { expect, test } from 'vitest';
import { precheck, type Circumstances } from './precheck.ts';

type Docs = Readonly<Record<string, readonly object[]>>;
type View = Parameters<typeof precheck>[0];

const model = { life: 'alive', credential: 'c', config: {} } as Circumstances['model'];
const machine = { id: '0', life: 'alive', instance: { id: 'i' } };
const application = { name: 'a', life: 'alive', charmUrl: 'local:a-0' };
const unit = { name: 'a/0', life: 'alive', application: 'a', charmUrl: 'local:a-0' };

function view(docs: Docs): View {
  const idOf = (doc: object): unknown =>
    'name' in doc && !('cloud' in doc) ? doc.name : 'id' in doc ? doc.id : '';
  return {
    list: (kind: string) => docs[kind] ?? [],
    get: (kind: string, id: string) =>
      docs[kind]?.find((doc) => idOf(doc) === id || (kind === 'credential' && id === 'c')),
    in: () => view(docs),
  } as unknown as View;
}

test.each<[string, Docs, Partial<Circumstances>, string | undefined]>([
  ['a model at rest', { machine: [machine], application: [application], unit: [unit] }, {}, undefined],
  ['the own model', {}, { isControllers: true }, "the controller's own model cannot be migrated"],
  ['a dying model', {}, { model: { ...model, life: 'dying' } }, 'model is dying'],
  [
    'a restored model',
    {},
    { model: { ...model, restored: { id: 'r', backup: '', at: '', state: 'held' } } },
    'the model waits until its restore is accepted (accept-restore)',
  ],
  ['a revoked credential', { credential: [{ id: 'c', revoked: true }] }, {}, 'model has revoked credentials'],
  ['a dying machine', { machine: [{ ...machine, life: 'dying' }] }, {}, 'machine 0 is dying'],
  ['no instance yet', { machine: [{ id: '0', life: 'alive' }] }, {}, 'machine 0 not running'],
  [
    'an agent that is away',
    { machine: [machine] },
    { isPresent: () => false },
    'machine 0 agent not functioning at this time (down)',
  ],
  ['a dying application', { application: [{ ...application, life: 'dying' }] }, {}, 'application a is dying'],
  ['a roll-out', { application: [{ ...application, rollout: {} }] }, {}, 'application a is being rolled out'],
  ['a dying unit', { unit: [{ ...unit, life: 'dying' }] }, {}, 'unit a/0 is dying'],
  [
    'another charm',
    { application: [application], unit: [{ ...unit, charmUrl: 'local:a-1' }] },
    {},
    'unit a/0 is upgrading',
  ],
  [
    'a unit that waits for its machine, of a charm that was refreshed meanwhile',
    { application: [application], unit: [{ ...unit, charmUrl: 'local:a-1', unplaced: {} }] },
    {},
    undefined,
  ],
  ['a dying relation', { relation: [{ id: 1, life: 'dying' }] }, {}, 'relation 1 is dying'],
  ['ending storage', { storage: [{ id: 'd/0', ending: {} }] }, {}, 'storage d/0 is being removed'],
  ['an offer', { offer: [{ name: 'db' }] }, {}, undefined],
  ['a consumed application', { 'remote-application': [{ name: 'db' }] }, {}, undefined],
  [
    'an end that a model here has not heard of',
    {
      'relation-end': [
        { controller: 'c', model: 'n' },
        { controller: '', model: 'm' },
      ],
    },
    {},
    'the end of a relation has still to be told to model m',
  ],
  [
    'a secret elsewhere',
    { 'secret-revision': [{ content: 'vault:m/abc/1.2' }] },
    {},
    'secret abc is kept in secret backend vault: let the model use backend internal (model-secret-backend), and wait until its secrets are there',
  ],
  [
    'a backend of the model',
    {},
    { model: { ...model, config: { 'secret-backend': 'vault' } } },
    'model keeps its secrets in backend vault: let the model use backend internal (model-secret-backend), and wait until its secrets are there',
  ],
])('%s', (_, docs, circumstances, problem) => {
  const all = { model, isControllers: false, isPresent: () => true, ...circumstances };
  expect(precheck(view(docs), all)).toBe(problem);
});
