import { expect, test } from 'vitest';
import type { Entities, Kind } from '../kinds.ts';
import type { RelationDoc } from '../relation/document.ts';
import { inCollections, type Collected, type DumpedModel } from './juju-collections.ts';

const endpoint = { interface: 'db', scope: 'global', limit: 0, optional: false } as const;
const relation = {
  id: 3,
  key: 'web:db mysql:server',
  life: 'dying',
  createdAt: '',
  endpoints: [
    { ...endpoint, application: 'web', name: 'db', role: 'requirer' },
    { ...endpoint, application: 'mysql', name: 'server', role: 'provider' },
  ],
} as unknown as RelationDoc;

const model: DumpedModel = {
  uuid: 'm',
  relation: (id) => (id === '3' ? relation : undefined),
  offer: (name) => (name === 'shared' ? ({ uuid: 'offer uuid' } as Entities['offer']) : undefined),
  count: (kind, index, value) => (`${kind} ${index} ${value}` === 'relation application mysql' ? 2 : 0),
};

function collected<P extends Kind>(
  kind: P,
  doc: Partial<Entities[P]>,
  shown: object = doc,
): readonly Collected[] {
  return inCollections(model, { kind, doc: doc as Entities[P], shown });
}

test('a relation’s document has its applications and its number of units', () => {
  expect(collected('relation', relation)).toEqual([
    {
      collection: 'relations',
      document: expect.objectContaining({
        _id: 'm:web:db mysql:server',
        'model-uuid': 'm',
        id: 3,
        life: 1,
        unitcount: 0,
        suspended: false,
        endpoints: [
          { applicationname: 'web', relation: { ...endpoint, name: 'db', role: 'requirer' } },
          { applicationname: 'mysql', relation: { ...endpoint, name: 'server', role: 'provider' } },
        ],
      }),
    },
  ]);
});

test('a relation with an offer is also in the collection of the offer’s connections', () => {
  const offered = { offer: 'shared', user: 'bob', model: 'other', ingress: [] };
  const [, connection] = collected('relation', {
    ...relation,
    remote: { token: 't', application: 'remote-1', offered },
  });
  expect(connection).toEqual({
    collection: 'applicationOfferConnections',
    document: {
      _id: 'm:3',
      'model-uuid': 'm',
      'relation-id': 3,
      'relation-key': relation.key,
      'offer-uuid': 'offer uuid',
      username: 'bob',
      'source-model-uuid': 'other',
    },
  });
});

test.each<[Kind, object, string, string]>([
  [
    'scope',
    { relation: '3', unit: 'web/0', role: 'requirer', container: '' },
    'relationscopes',
    'r#3#requirer#web/0',
  ],
  [
    'scope',
    { relation: '3', unit: 'log/1', role: 'provider', container: 'web/0' },
    'relationscopes',
    'r#3#web/0#provider#log/1',
  ],
  ['settings', { relation: '3', owner: 'mysql/0', values: {} }, 'settings', 'r#3#provider#mysql/0'],
  ['settings', { relation: '3', owner: 'mysql', values: {} }, 'settings', 'r#3#mysql'],
  ['unit-state', { unit: 'web/0', agent: null }, 'unitstates', 'u#web/0'],
])('the document of kind %s %j is in the collection %s as %s', (kind, doc, collection, id) => {
  expect(collected(kind, doc)).toMatchObject([{ collection, document: { _id: `m:${id}` } }]);
});

test('a consumed application is distinguished from the proxy of a consumer; both count their relations', () => {
  const saas = { offerUuid: 'offer uuid', url: 'ctrl:admin/other.mysql' };
  expect(
    collected('remote-application', { name: 'mysql', model: 'other', saas } as Partial<
      Entities['remote-application']
    >),
  ).toMatchObject([
    {
      collection: 'remoteApplications',
      document: {
        name: 'mysql',
        life: 0,
        relationcount: 2,
        'is-consumer-proxy': false,
        'offer-uuid': 'offer uuid',
        url: saas.url,
        'source-model-uuid': 'other',
      },
    },
  ]);
  expect(collected('remote-application', { name: 'remote-1', model: 'other', ending: true })).toMatchObject([
    { document: { life: 1, relationcount: 0, 'is-consumer-proxy': true, 'offer-uuid': '', url: '' } },
  ]);
});

test('a unit’s state has the relations that its agent knows, by id', () => {
  const known = { endpoint: 'db', members: { 'mysql/0': 4 }, apps: { mysql: 1 }, changedPending: '' };
  const agent = { relations: { 3: known }, secret: 'of the agent' };
  const [{ document }] = collected('unit-state', { unit: 'web/0', agent }, { unit: 'web/0' }) as [Collected];
  expect(document).toEqual({
    unit: 'web/0',
    _id: 'm:u#web/0',
    'model-uuid': 'm',
    'relation-state': {
      3: '{"id":3,"members":{"mysql/0":4},"application-members":{"mysql":1},"changed-pending":""}',
    },
  });
});

test('a kind without a collection in Juju keeps its name and its document', () => {
  expect(collected('lease', { holder: 'web/0' } as object)).toEqual([
    { collection: 'lease', document: { holder: 'web/0' } },
  ]);
});
