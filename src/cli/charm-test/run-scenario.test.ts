import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../operate/scenario/parse.ts';
import { firstNew } from './run-scenario.ts';

const before = ['$ deploy web', 'wait until unit web/0 is active', '$ exec --unit web/0 date', '> 2026'];

describe('a changed scenario goes on from its first new step', () => {
  test.each<[string, string[], number, number | undefined]>([
    ['nothing differs but comments and lines', ['', ...before], 3, 3],
    ['a step was added after all', [...before, '$ remove-unit web/0'], 3, 3],
    ['the step that failed was mended', [before[0]!, 'wait until unit web/0 is blocked'], 1, 1],
    ['the step that failed was removed', [before[0]!], 1, 1],
    ['a check that had passed is another one', [before[0]!, 'wait until unit web/0 is blocked'], 3, 1],
    ['the output of a command that had passed is another one', [...before.slice(0, 3), '> 2027'], 3, 2],
    ['a step that changes the model is put between checks', [...before.slice(0, 2), '$ expose web'], 3, 2],
    ['a step that has changed the model is another one', ['$ deploy db', ...before.slice(1)], 3, undefined],
    ['a step that has changed the model is gone', before.slice(1), 1, undefined],
  ])('%s', (_, after, played, expected) => {
    expect(firstNew(scenario(before), scenario(after), played)).toBe(expected);
  });
});

function scenario(lines: readonly string[]) {
  return parseScenario('story', ['# A page is served', ...lines].join('\n'));
}
