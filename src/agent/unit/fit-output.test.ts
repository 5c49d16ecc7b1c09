import { expect, test } from 'vitest';
import { jsonBytes } from '../../core/json-bytes.ts';
import { fitOutput } from './fit-output.ts';

type Output = Parameters<typeof fitOutput>[0];

test.each<[what: string, output: Output, max: number, fitted: Output, cut: string[]]>([
  ['what fits', { stdout: 'abc' }, 16, { stdout: 'abc' }, []],
  ['a stream', { stdout: 'abcdef', a: 1 }, 22, { stdout: 'abc', a: 1 }, ['stdout']],
  ['the longer stream', { stdout: 'ab', stderr: 'abcdef' }, 30, { stdout: 'ab', stderr: 'abc' }, ['stderr']],
  ['both', { stdout: 'abc', stderr: 'abcdef' }, 27, { stdout: 'ab', stderr: '' }, ['stderr', 'stdout']],
  ['lines, which are longer in JSON', { stdout: '\n\n\n\n' }, 18, { stdout: '\n\n' }, ['stdout']],
  ['a character of two units', { stdout: 'a🎉' }, 17, { stdout: 'a' }, ['stdout']],
  [
    'base64, to whole bytes',
    { stdout: 'AAAABBBB', 'stdout-encoding': 'base64' },
    46,
    { stdout: 'AAAA', 'stdout-encoding': 'base64' },
    ['stdout'],
  ],
  ['nothing of results', { result: 'abcdef', stdout: 'a' }, 10, { result: 'abcdef', stdout: '' }, ['stdout']],
])('fitOutput cuts %s', (_, output, max, fitted, cut) => {
  expect(fitOutput(output, max)).toEqual({ output: fitted, cut });
  if (!('result' in output)) expect(jsonBytes(fitted)).toBeLessThanOrEqual(max);
});
