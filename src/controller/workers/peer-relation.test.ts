import { expect, test } from 'vitest';
import { limits } from '../../core/limits.ts';
import { applyEvent, applyLives, nothingTold, stateOf } from './peer-relation.ts';

const unit = (number: number, settings = {}) => ({ 'unit-id': number, settings });
const event = (rest: object) => ({ 'changed-units': [], 'departed-units': [], ...rest });
const names = ['unit/0', 'unit/1', 'unit/2'];

test('the news of events adds up to the state of the side', () => {
  const told = nothingTold();
  const first = { life: 'alive', 'application-settings': { v: '8' } } as const;
  applyEvent(told, event({ ...first, 'changed-units': [unit(0, { a: '1' }), unit(1)], 'unit-count': 2 }));
  expect(applyEvent(told, event({ 'changed-units': [unit(0, { a: '2' })], 'departed-units': [1] }))).toEqual([
    '',
    'unit/0',
    'unit/1',
  ]);
  expect(stateOf(told, names)).toEqual({
    life: 'alive',
    forced: false,
    settings: { v: '8' },
    units: [{ number: 0, settings: { a: '2' } }],
    departed: [1, 2],
    networks: [],
  });
});

test('units that no event has told of yet are not said to have departed until all units have come', () => {
  const told = nothingTold();
  applyEvent(told, event({ 'changed-units': [unit(0)], 'unit-count': 2 }));
  expect(stateOf(told, names)).toMatchObject({ departed: [] });
  applyEvent(told, event({ 'departed-units': [2], 'unit-count': 2 }));
  expect(stateOf(told, names)).toMatchObject({ departed: [2] });
  applyEvent(told, event({ 'changed-units': [unit(7)], 'unit-count': 2 }));
  expect(stateOf(told, names)).toMatchObject({ departed: [1, 2] });
});

test('a suspension is told by either watcher, and ends', () => {
  const told = nothingTold();
  applyLives(told, [{ life: 'alive', suspended: true, 'suspended-reason': 'audit' }]);
  expect(stateOf(told, []).suspended).toEqual({ reason: 'audit' });
  applyEvent(told, event({ suspended: false }));
  expect(stateOf(told, []).suspended).toBeUndefined();
  applyLives(told, [{ life: 'dying', suspended: false, 'suspended-reason': '' }]);
  expect(stateOf(told, []).life).toBe('dying');
});

test('units are told of up to a limit', () => {
  const told = nothingTold();
  const { max } = limits.peerUnits;
  const all = Array.from({ length: max }, (_, number) => unit(number));
  expect(() => applyEvent(told, event({ 'changed-units': all }))).not.toThrow();
  expect(() => applyEvent(told, event({ 'changed-units': [unit(max)] }))).toThrow(
    'units of another controller in a relation: 10001 entries exceed the limit of 10000',
  );
});

test('units that left are remembered up to a limit, and only until all are known', () => {
  const told = nothingTold();
  const all = Array.from({ length: limits.peerUnits.max }, (_, number) => number + 1);
  applyEvent(told, event({ 'departed-units': all, 'unit-count': 1 }));
  expect(() => applyEvent(told, event({ 'departed-units': [0], 'unit-count': 1 }))).toThrow(
    'exceed the limit',
  );
  applyEvent(told, event({ 'changed-units': [unit(0)], 'unit-count': 1 }));
  applyEvent(told, event({ 'departed-units': all.map((number) => number + all.length), 'unit-count': 1 }));
  expect(told.gone.size).toBe(0);
});
