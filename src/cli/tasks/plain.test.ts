import { expect, test } from 'vitest';
import { colouredResults, plainResults } from './plain.ts';

const action = (id: number): { tag: string; receiver: string; name: string } => ({
  tag: `action-${id}`,
  receiver: `unit-app-${id}`,
  name: 'backup',
});
const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;

test('the failure of a single action is red, and what it wrote has no control characters of its own', () => {
  const failed = {
    action: action(2),
    status: 'failed',
    message: 'no \x1b[32mspace',
    output: { 'return-code': 0, stdout: 'full\x07\n' },
  };
  const [first, ...rest] = colouredResults([failed]).split('\n');
  expect(first).toMatch(/^\x1b\[31mAction id 2 failed: no [^\x1b]*\[32mspace\x1b\[39m$/);
  expect(rest.join('\n')).not.toMatch(/[\x07\x1b]/);
  expect(plainResults([failed])).toContain('Action id 2 failed: no \x1b[32mspace\n');
});

test('the statuses of several actions are coloured, and not what they wrote', () => {
  const tasks = [
    { action: action(2), status: 'completed', output: { stdout: 'status: failed\n' } },
    { action: action(3), status: 'failed', message: 'x', output: {} },
  ];
  const text = colouredResults(tasks);
  expect(text).toContain('status: \x1b[32mcompleted\x1b[39m\n');
  expect(text).toContain(`status: ${red('failed')}\n`);
  expect(text.match(/\x1b\[31m/g)).toHaveLength(1);
});
