import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkLimit, limits, type Limit } from './limits.ts';

const page = join(import.meta.dirname, '../../docs/reference/limits.md');
const rows = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/reference/limits.md', () => {
  test('docs/reference/limits.md has a row for each limit, and no other', () => {
    const written = rows.map(([, name]) => name!.replaceAll('`', ''));
    expect(written.sort()).toEqual(Object.keys(limits).sort());
  });

  test.each(rows)(
    'docs/reference/limits.md says of %s%s the number, who sends it, its cost and a test',
    (...cells) => {
      const [, name, of, limit, who, cost, , link] = cells;
      const entry: Limit = limits[name!.replaceAll('`', '') as keyof typeof limits];
      expect({ of, limit }).toEqual({ of: entry.of, limit: `${entry.max} ${entry.unit}` });
      expect(who).not.toBe('');
      expect(cost).not.toBe('');
      const target = join(dirname(page), /\]\((.+)\)/.exec(link!)![1]!);
      expect(existsSync(target), target).toBe(true);
      const key = name!.replaceAll('`', '');
      const names = new RegExp(`limits\\.${key}\\b|\\{[^{}]*\\b${key}\\b[^{}]*\\} = limits;`);
      expect(names.test(readFileSync(target, 'utf8')), `${target} tries limits.${key}`).toBe(true);
    },
  );
});

test('a size at the limit passes, and a larger one is refused with the limit and the subject', () => {
  const { max } = limits.charmState;
  expect(() => checkLimit(limits.charmState, max)).not.toThrow();
  expect(() => checkLimit(limits.charmState, max + 1, 'charm state of unit mysql/0')).toThrow(
    'charm state of unit mysql/0: 2097153 bytes exceed the limit of 2097152',
  );
});
