import { expect, test } from 'vitest';
import { limits } from '../../../../core/limits.ts';
import { Details } from './shortened.ts';

const unit = (message: string) => ({
  'workload-status': { status: 'active', info: message, data: {} },
  ports: Array.from({ length: 30 }, (_, n) => `${n}/tcp`),
  subordinates: { 'log/0': { 'workload-status': { status: 'active', info: 'y'.repeat(300), data: {} } } },
});

test('long entities are cut once the entities before them fill the answer, and the remark counts the cut ones', () => {
  const details = new Details();
  const long = unit('x'.repeat(16 * 1024));
  const room = Math.floor(limits.statusDetails.max / (17 * 1024));
  for (let n = 0; n < room; n++) expect(details.of(long)).toBe(long);
  expect(details.remark).toBe('');
  let cut = long;
  for (let n = 0; n < room; n++) cut = details.of(long);
  expect(cut).toEqual({
    'workload-status': { status: 'active', info: 'x'.repeat(200), data: {} },
    ports: long.ports.slice(0, 20),
    // Subordinates are entities of their own.
    subordinates: long.subordinates,
  });
  expect(details.remark).toMatch(/^status too long: details of \d+ entities are cut/);
  const short = unit('fine');
  expect(details.of(short)).toBe(short);
});
