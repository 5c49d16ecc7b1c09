import { expect, test } from 'vitest';
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from './event.ts';
import { selectEvents } from './select-events.ts';
import { defined } from '../defined.ts';

const mysql0: EntityRef = { kind: 'unit', id: 'mysql/0' };
const mysql: EntityRef = { kind: 'application', id: 'mysql' };
const model: EntityRef = { kind: 'model', id: 'm' };

const event = (what: string, about: EntityRef[], report?: HistoryEvent['report']): HistoryEvent => ({
  subject: 'it',
  what,
  detail: '',
  about,
  ...defined({ report }),
});
const events = [
  event('born', [mysql0, mysql]),
  event('active', [mysql0], 'status'),
  event('executing', [mysql0], 'agent-status'),
  event('blocked', [mysql], 'status'),
  event('charm', []),
  event('suspended', [{ kind: 'model', id: '' }], 'status'),
];

test.each([
  ['a unit’s history has its statuses, without its agent’s per hook', mysql0, false, ['born', 'active']],
  [
    'a unit’s history has all statuses when they are requested',
    mysql0,
    true,
    ['born', 'active', 'executing'],
  ],
  [
    'an application’s history has the creation of its units and its own status',
    mysql,
    false,
    ['born', 'blocked'],
  ],
  [
    'a model’s history has all events, with only its own statuses',
    model,
    false,
    ['born', 'charm', 'suspended'],
  ],
  [
    'a model’s history has all statuses when they are requested',
    model,
    true,
    ['born', 'active', 'executing', 'blocked', 'charm', 'suspended'],
  ],
] as const)('%s', (_, entity, statuses, shown) => {
  expect(selectEvents(events, { entity, statuses }).map((one) => one.what)).toEqual(shown);
});
