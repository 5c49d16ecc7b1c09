import { expect, test } from 'vitest';
import { summarise } from './summarise.ts';

const created = (n: number): { subject: string; what: string; detail: string } => ({
  subject: `unit mysql/${n}`,
  what: 'created',
  detail: `on machine ${n}`,
});

test('a few events are shown one by one, with their details', () => {
  expect(summarise([created(0), created(1), created(2)])).toEqual([
    'unit mysql/0: created on machine 0',
    'unit mysql/1: created on machine 1',
    'unit mysql/2: created on machine 2',
  ]);
});

test('many events are one line, in natural order', () => {
  const many = Array.from({ length: 12 }, (_, n) => created(n)).reverse();
  const other = { subject: 'model', what: 'config a set to 1', detail: '' };
  expect(summarise([other, ...many])).toEqual([
    'model: config a set to 1',
    'units mysql/0 to mysql/11 (12): created',
  ]);
});

test('different events of one entity are shown one by one', () => {
  const opened = ['80', '81', '82', '83'].map((port) => ({
    subject: 'unit a/0',
    what: `opened ${port}/tcp`,
    detail: '',
  }));
  expect(summarise(opened)).toHaveLength(4);
});
