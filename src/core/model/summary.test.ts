import { expect, test } from 'vitest';
import type { Refs } from '../impediments.ts';
import type { StatusDoc } from '../status/document.ts';
import { colourOf, summarizeModel } from './summary.ts';

type Status = Pick<StatusDoc, 'kind' | 'status' | 'entity' | 'message'>;

/** Records of a model with these statuses; `counts` by kind, containers as `machine container`. */
function records(
  statuses: readonly Status[],
  counts: Record<string, number> = {},
): Pick<Refs, 'count' | 'find'> {
  const find = (colour: string | undefined): Status[] => statuses.filter((one) => colourOf(one) === colour);
  return {
    count: (kind, index, value) =>
      kind === 'status' ? find(value).length : (counts[index === undefined ? kind : `${kind} ${value}`] ?? 0),
    find: (_kind, _index, value) => find(value) as never,
  };
}

const unit = (entity: string, status: string, message = ''): Status => ({
  kind: 'workload',
  entity,
  status,
  message,
});

test.each<[string, readonly Status[], string, readonly string[]]>([
  ['has nothing', [], 'green', []],
  ['works', [unit('a/0', 'active'), unit('a/1', 'waiting', 'for b')], 'green', []],
  ['has a blocked unit', [unit('a/0', 'blocked', 'needs b')], 'yellow', ['a/0: needs b']],
  [
    'has a failed hook beside a blocked unit',
    [
      unit('a/0', 'blocked', 'needs b'),
      { kind: 'unit-agent', entity: 'b/0', status: 'error', message: 'hook failed: "start"' },
    ],
    'red',
    ['b/0: hook failed: "start"', 'a/0: needs b'],
  ],
  [
    'has a machine that cannot be started',
    [{ kind: 'instance', entity: '3', status: 'provisioning error', message: 'no room' }],
    'red',
    ['3: no room'],
  ],
  [
    'has an application in error, which only repeats its units',
    [{ kind: 'application', entity: 'a', status: 'error', message: 'x' }],
    'green',
    [],
  ],
])('the summary of a model that %s', (_, statuses, colour, messages) => {
  const summary = summarizeModel(records(statuses));
  expect(summary.colour).toBe(colour);
  expect(summary.messages.map(({ agent, message }) => `${agent}: ${message}`)).toEqual(messages);
});

test('a model’s summary counts containers apart from their host machines', () => {
  const counts = { machine: 5, 'machine container': 2, unit: 7, application: 3, relation: 1 };
  expect(summarizeModel(records([], counts)).size).toEqual({
    machines: 3,
    containers: 2,
    units: 7,
    applications: 3,
    relations: 1,
  });
});

test('a model’s summary quotes a few agents, and cuts their messages', () => {
  const many = Array.from({ length: 1000 }, (_, n) =>
    unit(`a/${n}`, n % 2 ? 'error' : 'blocked', 'x'.repeat(5000)),
  );
  const { messages } = summarizeModel(records(many));
  expect(messages).toHaveLength(20);
  expect(new Set(messages.map(({ message }) => message.length))).toEqual(new Set([256]));
});
