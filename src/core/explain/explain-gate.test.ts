import { describe, expect, test } from 'vitest';
import { ago, application, explainView, lines, machine, status, unit } from '../../testing/explain-view.ts';
import type { Case } from '../../testing/explain-cases.ts';
import { parseMetadata } from '../charm/metadata.ts';
import type { Entities } from '../kinds.ts';
import type { ExplainView } from './explanation.ts';

const charm = (name: string, raw: object): Record<string, Partial<Entities['charm']>> => ({
  [name]: { url: name, meta: parseMetadata({ name, ...raw }) },
});
const charms = {
  ...charm('web', {}),
  ...charm('db', { requires: { site: { interface: 'http', optional: false } } }),
};
const gate = { endpoint: '', interface: '', applications: ['db'], health: 'active' };
const web = application('web', {
  charmUrl: 'web',
  after: { db: { health: 'active' } },
  pending: { since: ago(30), missing: [gate] },
});
const db = application('db', { charmUrl: 'db' });
const view = (documents: Parameters<typeof explainView>[0]): ExplainView =>
  explainView({ charm: charms, ...documents });
const waits = 'application web: alive, waiting for db to be active';
const clear = '$ set-after web --none';

const cases: readonly Case[] = [
  [
    'on an application that nobody deployed',
    'web',
    view({ application: web }),
    [
      waits,
      '  gate on db: no application has that name',
      '> operator application web 30m: deploy an application db, or wait for it no longer',
      '$ deploy <charm> db',
      clear,
    ],
  ],
  [
    'on an application without units',
    'web',
    view({ application: { ...web, ...db } }),
    [
      waits,
      '  gate on db: it has no units',
      '    application db: alive, it has no units',
      '> operator application db: add a unit, or remove the application',
      '$ add-unit db',
      '$ remove-application db',
    ],
  ],
  [
    'on an application that is blocked',
    'web',
    view({
      application: { ...web, ...db },
      machine: machine('0'),
      unit: unit('db/0', '0'),
      status: {
        ...status('workload', 'db/0', 'blocked', 'no disk'),
        ...status('unit-agent', 'db/0', 'idle'),
      },
    }),
    [
      waits,
      '  gate on db: unit db/0 is blocked (no disk)',
      '    unit db/0: alive, its charm reports blocked: no disk',
      '> operator unit db/0 1m: do what the message of the charm asks for',
    ],
  ],
  [
    'on an application whose units are healthy',
    'web',
    view({
      application: { ...web, ...db },
      machine: machine('0'),
      unit: unit('db/0', '0'),
      status: { ...status('workload', 'db/0', 'active'), ...status('unit-agent', 'db/0', 'idle') },
    }),
    [waits, '  gate on db: its units are healthy: it is about to open'],
  ],
  [
    'with an expression that a unit without problems does not meet',
    'web',
    view({
      application: {
        ...application('web', {
          charmUrl: 'web',
          pending: { since: ago(30), missing: [{ ...gate, health: 'workload-message=="up"' }] },
        }),
        ...db,
      },
      machine: machine('0'),
      unit: unit('db/0', '0'),
      status: { ...status('workload', 'db/0', 'active'), ...status('unit-agent', 'db/0', 'idle') },
    }),
    [
      'application web: alive, waiting for db to have workload-message=="up"',
      '  gate on db: unit db/0 is active, and workload-message=="up" is not met',
      '> charm unit db/0: gets db to have workload-message=="up"',
    ],
  ],
  [
    'in a circle with a required relation',
    'web',
    view({
      application: {
        ...web,
        ...application('db', {
          charmUrl: 'db',
          pending: {
            since: ago(20),
            missing: [{ endpoint: 'site', interface: 'http', applications: ['web'] }],
          },
        }),
      },
    }),
    [
      waits,
      '  gate on db: it has no units',
      '    application db: alive, waiting for application: web (site); web waits for it too: they wait for each other forever',
      '      application web: above',
      '      gates of web: they open when db is healthy, which requires web',
      '> operator application web: change what it waits for, or the relation',
      clear,
    ],
  ],
];

describe('the explanation of a gate', () => {
  test.each(cases)('%s', (_, name, documents, expected) => {
    expect(lines({ kind: 'application', id: name }, documents)).toEqual(expected);
  });
});
