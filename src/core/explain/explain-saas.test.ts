/** What explain says of applications of other models, and of relations with them. */
import { expect, test } from 'vitest';
import type { RelationDoc } from '../relation/document.ts';
import type { RemoteApplicationDoc } from '../remote-application/document.ts';
import { networkRefused, permissionRevoked, refusedNetwork } from '../remote-application/trouble.ts';
import {
  ago,
  application,
  dying,
  explainView,
  lines,
  linesOf,
  relation,
  status,
} from '../../testing/explain-view.ts';
import { explainSaas, saasNamed } from './explain-saas.ts';
import { findEntity } from './find-entity.ts';

const unreached = 'cannot connect to external controller: no answer';
const end = { interface: 'mysql', limit: 0 };

/** The model has consumed an offer as `sql`, with which reader is related; `is`: status of what was consumed. */
function related({
  is = 'active',
  said = '',
  refused,
  suspended,
  more = {},
}: {
  readonly is?: string;
  readonly said?: string;
  /** Error by which the offering side refuses the relation. */
  readonly refused?: string;
  readonly suspended?: RelationDoc['suspended'];
  readonly more?: Partial<RelationDoc>;
}) {
  const sql: RemoteApplicationDoc = {
    name: 'sql',
    model: 'other',
    endpoints: [{ ...end, name: 'server', role: 'provider' }],
    createdAt: ago(60),
    saas: {
      offerUuid: 'o',
      url: 'far:admin/data.db',
      user: 'bob',
      status: { status: is, message: said, since: ago(1) },
    },
  };
  return explainView({
    'remote-application': { sql },
    application: application('reader'),
    relation: relation(1, 'reader:db sql:server', {
      remote: {
        token: 't',
        application: 'sql',
        consumed: { state: 'told', applicationToken: 'a' } as NonNullable<RelationDoc['remote']>['consumed'],
      } as NonNullable<RelationDoc['remote']>,
      ...(suspended && { suspended }),
      ...more,
    }),
    status: refused === undefined ? {} : status('relation', '1', 'error', refused),
  });
}

const saas = (view: ReturnType<typeof related>): string[] =>
  linesOf(explainSaas(saasNamed(['sql'], view)!, view));

test('a SAAS is explained by its name, unless another entity has that name', () => {
  const view = related({});
  expect(saasNamed(['saas sql'], view)?.name).toBe('sql');
  expect(saasNamed(['saas', 'sql'], view)?.name).toBe('sql');
  for (const names of [['sql:server'], ['reader', 'sql'], ['unit', 'sql'], ['saas'], []])
    expect(saasNamed(names, view)).toBeUndefined();
  expect(saas(view)).toEqual([
    'saas sql: of far:admin/data.db, active; 1 relation',
    'remove',
    '$ remove-saas sql',
  ]);
});

test('a relation is found by the name of its SAAS', () => {
  const view = related({});
  for (const names of [['reader', 'sql'], ['sql:server'], ['reader:db sql:server']])
    expect(findEntity(names, view)).toEqual({ kind: 'relation', id: '1' });
});

test('the operator of a controller that is not reached is to start it or to give its new addresses', () => {
  const view = related({ is: 'error', said: unreached });
  const acts = [
    '> operator controller far: make it run, at an address that this controller reaches',
    '$ consume far:admin/data.db sql',
  ];
  expect(saas(view)).toEqual([
    `saas sql: of far:admin/data.db, ${unreached}; 1 relation`,
    `  relation reader:db sql:server: ${unreached}`,
    ...acts,
    'remove',
    '$ remove-saas sql',
  ]);
  expect(lines({ kind: 'relation', id: '1' }, view)).toEqual([
    `relation reader:db sql:server: alive, ${unreached}; 0 units are in its scope`,
    ...acts,
    'remove',
    '$ remove-relation 1',
  ]);
  expect(lines({ kind: 'model', id: 'u' }, view)).toEqual([
    'model default: alive, 1 problem in it',
    `  saas sql: ${unreached}`,
    ...acts,
  ]);
});

test('a relation that is removed while the offering controller is not reached waits for the same controller', () => {
  const consumed = { state: 'made', applicationToken: 'a' };
  const remote = { token: 't', application: 'sql', consumed } as unknown as NonNullable<
    RelationDoc['remote']
  >;
  const view = related({ is: 'error', said: unreached, more: { ...dying(2), remote } });
  expect(lines({ kind: 'relation', id: '1' }, view)).toEqual([
    'relation reader:db sql:server: dying, no unit is in its scope any more',
    expect.stringMatching(/^ {2}other-side: /),
    `    saas sql: ${unreached}`,
    '> operator controller far: make it run, at an address that this controller reaches',
    '$ consume far:admin/data.db sql',
    '> cleaner relation reader:db sql:server: tells the offering model',
    '$ remove-relation 1 --force',
  ]);
});

test('a network that the offering model does not let in is to be allowed in that model', () => {
  const refused = networkRefused('10.0.2.0/32');
  const view = related({ refused });
  const acts = [
    '> operator model far:admin/data: let network 10.0.2.0/32 in, or integrate anew with --via',
    '$ model-config -m far:admin/data saas-ingress-allow=<networks>',
  ];
  expect(lines({ kind: 'relation', id: '1' }, view).slice(0, 3)).toEqual([
    `relation reader:db sql:server: alive, ${refused}; 0 units are in its scope`,
    ...acts,
  ]);
  expect(saas(view).slice(1, 4)).toEqual([`  relation reader:db sql:server: ${refused}`, ...acts]);
  expect(lines({ kind: 'model', id: 'u' }, view).slice(1)).toEqual([
    `  relation reader:db sql:server: ${refused}`,
    ...acts,
  ]);
  for (const other of ['', 'network x', `${refused}!`]) expect(refusedNetwork(other)).toBeUndefined();
});

test.each([
  ['permission denied', 'see to it that it accepts this', 'show-offer far:admin/data.db'],
  ['no more relations', 'see to it that it accepts this', 'show-offer far:admin/data.db'],
])('a relation that is refused with "%s" is a task for the owner of the offer', (refused, task, line) => {
  expect(lines({ kind: 'relation', id: '1' }, related({ refused })).slice(0, 3)).toEqual([
    `relation reader:db sql:server: alive, ${refused}; 0 units are in its scope`,
    `> operator offer far:admin/data.db: ${task}`,
    `$ ${line}`,
  ]);
});

test('a suspended relation is to be resumed in the offering model, where revoked access is granted again', () => {
  const suspended = related({ suspended: { reason: 'audit' } });
  expect(lines({ kind: 'relation', id: '1' }, suspended).slice(0, 3)).toEqual([
    'relation reader:db sql:server: alive, suspended: audit; 0 units are in its scope',
    '> operator offer far:admin/data.db: resume the relation there',
    '$ offers -m far:admin/data',
  ]);
  const revoked = related({ suspended: { reason: permissionRevoked } });
  expect(lines({ kind: 'relation', id: '1' }, revoked).slice(1, 4)).toEqual([
    '> operator offer far:admin/data.db: let bob consume it again, and resume the relation',
    '$ grant bob consume far:admin/data.db',
    '$ offers -m far:admin/data',
  ]);
});

test('a suspended relation says in the offering model how it is resumed', () => {
  const offered = { offer: 'db', user: 'bob', model: 'other', ingress: [] };
  const remote = { token: 't', application: 'remote-a', offered };
  const view = explainView({
    relation: relation(4, 'remote-a:db mysql:server', { remote, suspended: { reason: permissionRevoked } }),
  });
  expect(lines({ kind: 'relation', id: '4' }, view).slice(0, 4)).toEqual([
    `relation remote-a:db mysql:server: alive, suspended: ${permissionRevoked}; 0 units are in its scope`,
    '> operator relation 4: resume it once its reason is gone',
    '$ grant bob consume default.db',
    '$ resume-relation 4',
  ]);
});

test('a SAAS whose offer is gone is to be removed, or consumed again', () => {
  const view = related({ is: 'terminated', said: 'offer has been removed' });
  expect(lines({ kind: 'model', id: 'u' }, view)).toEqual([
    'model default: alive, 1 problem in it',
    '  saas sql: whose offer has been removed',
    '> operator saas sql: remove it, or consume the offer once it is there again',
    '$ remove-saas sql',
  ]);
});
