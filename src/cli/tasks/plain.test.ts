import { expect, test } from 'vitest';
import { hasHidden } from '../../kit/visible.ts';
import { colouredResults, plainResults } from './plain.ts';

const action = (id: number): { tag: string; receiver: string; name: string } => ({
  tag: `action-${id}`,
  receiver: `unit-app-${id}`,
  name: 'backup',
});
const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;

test('the failure of a single action is red, and the action’s output has no control characters of its own', () => {
  const failed = {
    action: action(2),
    status: 'failed',
    message: 'no \x1b[32mspace',
    output: { 'return-code': 0, stdout: 'full\x07\n' },
  };
  const [first, ...rest] = colouredResults([failed]).split('\n');
  const line = first!.slice(red('').length - '\x1b[39m'.length, -'\x1b[39m'.length);
  expect(first).toBe(red(line));
  expect(line).toMatch(/^Action id 2 failed: no .*\[32mspace$/);
  expect(hasHidden([line, ...rest].join(''))).toBe(false);
  expect(plainResults([failed])).toContain('Action id 2 failed: no \x1b[32mspace\n');
});

test('the statuses of several actions are coloured, and their outputs are not', () => {
  const tasks = [
    { action: action(2), status: 'completed', output: { stdout: 'status: failed\n' } },
    { action: action(3), status: 'failed', message: 'x', output: {} },
  ];
  const text = colouredResults(tasks);
  expect(text).toContain('status: \x1b[32mcompleted\x1b[39m\n');
  expect(text).toContain(`status: ${red('failed')}\n`);
  expect(text.split('\x1b[31m')).toHaveLength(2);
});
