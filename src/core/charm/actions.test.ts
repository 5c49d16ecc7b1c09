import { expect, test } from 'vitest';
import { parseActions } from './actions.ts';

test('an action has a description and parameters', () => {
  const backup = {
    description: 'Dump it all.',
    params: { target: { type: 'string', default: '/tmp' } },
    required: ['target'],
    additionalProperties: false,
    parallel: true,
    'execution-group': 'io',
  };
  expect(parseActions({ backup, 'do-it': null })).toEqual({
    backup: {
      description: 'Dump it all.',
      params: {
        title: 'backup',
        description: 'Dump it all.',
        type: 'object',
        properties: { target: { type: 'string', default: '/tmp' } },
        required: ['target'],
        additionalProperties: false,
      },
      parallel: true,
      executionGroup: 'io',
    },
    'do-it': {
      description: 'No description',
      params: { title: 'do-it', description: 'No description', type: 'object', properties: {} },
      parallel: false,
      executionGroup: '',
    },
  });
});

test('a charm without actions.yaml has no actions', () => {
  expect(parseActions(undefined)).toEqual({});
  expect(parseActions(null)).toEqual({});
});

test.each([
  [[], 'invalid actions: expected a map'],
  [{ Bad: {} }, 'bad action name Bad'],
  [{ 'a-': {} }, 'bad action name a-'],
  [{ 'juju-run': {} }, 'cannot use action name juju-run: "juju" is a reserved name'],
  [{ a: 5 }, 'invalid actions: a: expected a map, got 5'],
  [{ a: { params: [] } }, 'invalid actions: a.params: expected a map, got []'],
  [{ a: { required: 'x' } }, 'invalid actions: a.required: expected a list of names, got "x"'],
  [{ a: { parallel: 'yes' } }, 'invalid actions: a.parallel: expected bool, got "yes"'],
])('the content %j of actions.yaml is refused', (raw, message) => {
  expect(() => parseActions(raw)).toThrow(expect.objectContaining({ code: 'not valid', message }));
});
