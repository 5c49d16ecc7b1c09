/** Output of charms and agents must neither control an operator's terminal nor imitate other output. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { FormattedStatus } from './format/formatted.ts';
import { explanationTree } from './format/explanation-tree.ts';
import { statusTabular } from './format/status-tabular.ts';
import { hasHidden } from '../kit/visible.ts';
import { output, testCli } from '../testing/cli.ts';
import { CommandContext } from './context.ts';
import type { CliIo } from './io.ts';
import { formatLine } from './commands/debug-log.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());

const evil = 'ready\x1b[2J\x1b]0;title\x07\nunit-other-0: 10:00:00 INFO juju fine';

test('the program makes control characters visible on both output streams, and keeps them in JSON', () => {
  const data = join(cli.folder, 'forged');
  mkdirSync(data);
  const name = 'evil\x1b[31m\x07';
  writeFileSync(
    join(data, 'controllers.yaml'),
    `controllers: {${JSON.stringify(name)}: {uuid: u, api-endpoints: ["127.0.0.1:1"], ca-cert: x, cloud: c}}\n`,
  );
  const program = join(import.meta.dirname, '../main/cli.ts');
  const run = (...args: string[]): { stdout: string; stderr: string } =>
    spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
      env: { ...process.env, JUJU_DATA: data },
    });
  expect(run('controllers').stdout).toContain('evil\\u001b[31m\\u0007');
  expect(run('show-controller', `no${name}`).stderr).toContain('noevil\\u001b[31m\\u0007');
  const json = JSON.parse(run('controllers', '--format', 'json').stdout) as { controllers: object };
  expect(Object.keys(json.controllers)).toEqual([name]);
});

test('a message in the debug log cannot forge another line', () => {
  const line = formatLine(
    {
      ts: '2026-01-01T10:00:00Z',
      tag: 'unit-web-0',
      sev: 'INFO',
      mod: 'unit.web/0.juju-log',
      loc: '',
      msg: evil,
    },
    { date: false, ms: false, utc: true, location: false, colour: 'off' },
  );
  expect(line).toBe(
    'unit-web-0: 10:00:00 INFO unit.web/0.juju-log ready\\u001b[2J\\u001b]0;title\\u0007\n' +
      '    unit-other-0: 10:00:00 INFO juju fine\n',
  );
});

test.each(['off', 'on'] as const)(
  'no part of an agent’s log record forges a line, nor ends the log (colour %s)',
  (colour) => {
    const line = formatLine(
      { ts: evil, tag: evil, sev: evil, mod: evil, loc: evil, msg: 'said' },
      { date: true, ms: false, utc: true, location: true, colour },
    );
    expect(line.match(/\n/g)).toHaveLength(1);
    // Escape sequences come only from grigri's own colours.
    expect(line.split('\u001b').length - 1).toBe(colour === 'on' ? 2 : 0);
    expect(line).not.toContain('\u0007');
    expect(line).toMatch(/said\n$/);
  },
);

test('a status message stays in its cell', () => {
  const status: FormattedStatus = {
    model: { name: 'm', type: 'iaas', controller: 'c', cloud: 'x', version: '3.6', 'model-status': {} },
    machines: {},
    storage: {},
    controller: { timestamp: '' },
    applications: {
      web: {
        'charm-name': 'web',
        'application-status': { current: 'active', message: evil },
        units: { 'web/0': { 'workload-status': { current: 'active', message: evil } } },
      },
    },
  };
  const text = statusTabular(status, { colour: 'on' });
  expect(hasHidden(stripVTControlCharacters(text))).toBe(false);
  expect(text).toContain('\\u001b]0;title');
  expect(text.split('\n').filter((line) => line.startsWith('unit-other'))).toEqual([]);
});

test('an explanation keeps one line for each entity', () => {
  const text = explanationTree({
    now: '2026-01-01T00:00:00Z',
    explanation: { kind: 'unit', name: 'web/0', text: evil, 'waits-for': [], more: 0 },
    next: [],
    quotas: [],
  } as unknown as Parameters<typeof explanationTree>[0]);
  expect(text).toBe('web/0: ready\\u001b[2J\\u001b]0;title\\u0007 unit-other-0: 10:00:00 INFO juju fine\n');
});

test.each(['info', 'warning', 'verbose', 'showTransient'] as const)(
  'a message printed by %s has its control characters made visible',
  (method) => {
    let printed = '';
    const stderr = output((text) => (printed += text), true);
    const context = new CommandContext({ stderr } as CliIo, { quiet: false, verbose: true, outputFile: '' });
    context[method]('the controller says \x1b[31mred\x9b');
    expect(printed.replace('\r\x1b[K', '')).toContain('the controller says \\u001b[31mred\\u009b');
  },
);

test('an error message with foreign text cannot control the terminal', async () => {
  const { stderr, code } = await cli.run(['show-cloud', '--client', 'x\x1b[2J']);
  expect(code).toBe(1);
  expect(stderr).toContain('x\\u001b[2J');
});
