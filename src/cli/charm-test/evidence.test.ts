import { expect, test } from 'vitest';
import type { LogMessage } from '../../client/log-stream.ts';
import { hookFailed, hookRan } from '../../core/unit/hook-log.ts';
import { hookReport } from './evidence.ts';

/** Returns a log of lines `module|level|message`. */
function log(...lines: readonly string[]): LogMessage[] {
  return lines.map((line) => {
    const [mod = '', sev = '', msg = ''] = line.split('|');
    return { tag: 'unit-web-0', ts: '', loc: '', mod, sev, msg };
  });
}

const failing = [
  'unit.web/0.install|WARNING|Traceback (most recent call last):',
  'unit.web/0.install|INFO|printed',
  'unit.web/0.install|WARNING|  File "x", line 1',
  'unit.web/0.install|WARNING|ValueError: oops',
  'unit.web/0.install|WARNING|after',
  `grigri.unit|ERROR|${hookFailed('install', 'exit status 1')}`,
];

test('the output of the hook that failed last is reported with its traceback, without that of other hooks', () => {
  const before = ['unit.web/0.install|INFO|first try', failing.at(-1)!];
  expect(hookReport('web/0', log(...before, ...failing))).toEqual({
    unit: 'web/0',
    hook: 'install',
    output: [
      'Traceback (most recent call last):',
      'printed',
      '  File "x", line 1',
      'ValueError: oops',
      'after',
    ],
    traceback: ['Traceback (most recent call last):', '  File "x", line 1', 'ValueError: oops'],
  });
});

test('the last lines of the log are reported when the failed hook has succeeded since', () => {
  const report = hookReport('web/0', log(...failing, `grigri.unit|INFO|${hookRan('install')}`));
  expect(report.hook).toBeUndefined();
  expect(report.output.at(-1)).toBe(`unit: ${hookRan('install')}`);
});

test('the report of a failed hook without a traceback has no traceback', () => {
  const report = hookReport('web/0', log('unit.web/0.start|WARNING|no such file', failing.at(-1)!));
  expect(report).toEqual({ unit: 'web/0', hook: 'install', output: ['no such file'] });
});
