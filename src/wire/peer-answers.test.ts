import { expect, test } from 'vitest';
import { peerAnswers, readAnswer } from './peer-answers.ts';

test('lists that Go leaves out, and members that are new, are read', () => {
  const answer = { results: [{ 'watcher-id': '7', changes: { 'relation-token': 't', novelty: 1 } }] };
  expect(readAnswer(peerAnswers.relation, answer).results).toEqual([
    { 'watcher-id': '7', changes: { 'changed-units': [], 'departed-units': [] } },
  ]);
  expect(readAnswer(peerAnswers.nextOfLives, { changes: null })).toEqual({ changes: [] });
});

test('an error beside an empty result is read', () => {
  const error = { message: 'gone', code: 'not found' };
  const answer = { results: [{ 'watcher-id': '', changes: null, error }] };
  expect(readAnswer(peerAnswers.done, answer).results[0]?.error).toEqual(error);
  expect(readAnswer(peerAnswers.relation, answer).results[0]?.error).toEqual(error);
});

test.each([
  ['no object', peerAnswers.done, null],
  ['no result', peerAnswers.done, { results: [] }],
  ['two results', peerAnswers.done, { results: [{}, {}] }],
  [
    'a unit without a number',
    peerAnswers.nextOfRelation,
    { changes: { 'changed-units': [{ settings: {} }] } },
  ],
  ['a unit with a negative number', peerAnswers.nextOfRelation, { changes: { 'departed-units': [-1] } }],
  ['an unknown life', peerAnswers.nextOfLives, { changes: [{ life: 'undead' }] }],
])('an answer with %s is not valid', (_, schema, answer) => {
  expect(() => readAnswer(schema, answer)).toThrow('answer is not valid');
});
