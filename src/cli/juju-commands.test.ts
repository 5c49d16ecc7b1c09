/** Juju's commands and grigri's: which exist, and what is said about commands that grigri lacks. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';
import { flagDifference, withCliTables } from '../testing/cli-table.ts';
import { jujuCommands } from '../testing/juju-commands.ts';
import { refusalOf } from './refused.ts';
import { findCommand } from './registry.ts';
import { suggestions } from '../core/suggestions.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());

const names = Object.entries(jujuCommands).flatMap(([name, { aliases }]) => [
  name,
  ...(aliases?.split(' ') ?? []),
]);

test.each(names)("Juju's command %s exists, or is refused with a reason", (name) => {
  expect(findCommand(name)?.name ?? refusalOf(name)).toBeTruthy();
});

test.each([
  ['metadata', /images/],
  ['add-branch', /no branches/],
  ['collect-metrics', /not metered/],
])('the command %s of a plugin or an earlier Juju is refused with its own reason', (name, reason) => {
  expect(refusalOf(name)).toMatch(reason);
});

test.each([
  ['set-series', 'set-application-base'],
  ['run-action', 'run'],
  ['show-action-output', 'show-operation'],
  ['upgrade-juju', 'upgrade-model'],
  ['sync-tools', 'sync-agent-binary'],
  ['cancel-action', 'cancel-task'],
  ['get-config', 'config'],
  ['unset-model-config', 'model-config --reset'],
])('the former name %s is refused with a name that exists: %s', (former, name) => {
  expect(findCommand(former)).toBeUndefined();
  expect(refusalOf(former)).toBe(`it is now called ${name}`);
  expect(findCommand(name.split(' ')[0]!)).toBeDefined();
});

test('the page of commands is what the commands declare: npm run docs:cli', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/cli.md'), 'utf8');
  const cells = (text: string): string => text.replaceAll(/[ -]+/g, ' ');
  expect(cells(page)).toBe(cells(await withCliTables(page)));
});

test('the difference of flags has each name that only one side has', () => {
  const flag = { names: ['n', 'lines'], default: '', takesValue: true, parse: (text: string) => text };
  const flags = { lines: { ...flag, description: '', shownDefault: '' } };
  expect(flagDifference({ flags }, 'n/num m/model')).toEqual({
    missing: ['m', 'model', 'num'],
    own: ['lines'],
  });
});

test.each(['scale-application', 'find', 'download'])(
  'the refused command %s ends with exit code 1 and its reason, whatever its arguments are',
  async (name) => {
    const run = await cli.run(`${name} --any -n 3 thing`);
    expect(run).toEqual({
      code: 1,
      stdout: '',
      stderr: `ERROR grigri does not have Juju's command "${name}": ${refusalOf(name)}\n`,
    });
    expect((await cli.run(`help ${name}`)).stderr).toBe(run.stderr);
  },
);

describe('suggestions', () => {
  const known = ['deploy', 'destroy-model', 'destroy-unit', 'status', 'storage', 'show-storage', 'ssh'];
  test.each([
    ['deploi', ['deploy']],
    ['destroy', ['destroy-model', 'destroy-unit']],
    ['STATUS', []],
    ['stat', ['status']],
    ['xyz', []],
    ['', []],
    ['sh', ['ssh']],
    ['a'.repeat(100_000), []],
  ])('the suggestions for %.20s are %j', (word, expected) => {
    expect(suggestions(word, known)).toEqual(expected);
  });

  test('an unknown command is answered with similar ones', async () => {
    expect(await cli.run('statsu')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'ERROR grigri: "statsu" is not a grigri command. See "grigri --help".\n\nDid you mean:\n\tstatus\n',
    });
  });

  test('an unknown flag is answered with similar ones', async () => {
    expect(await cli.run('remove-unit a/0 --forse')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ERROR option provided but not defined: --forse\n\nDid you mean:\n\t--force\n',
    });
  });

  test('an unknown flag without a command is an error', async () => {
    expect(await cli.run('--bogus')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ERROR option provided but not defined: --bogus\n/) as string,
    });
  });
});

test.each([['--version'], ['--debug --version'], ['-q version'], ['--logging-config <root>=DEBUG version']])(
  '"%s" prints the version',
  async (line) => {
    expect(await cli.run(line)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3\.6\.\d+-/) as string,
    });
  },
);

test.each([
  ['help', /Starter commands/],
  ['--help', /Starter commands/],
  ['help topics', /^environment +Variables/m],
  ['help global-options', /^q, quiet +/m],
  ['help environment', /^JUJU_MODEL +Model to operate in/m],
  ['help plugins', /Plugins found:\n {4}none\n/],
  ['help wait-for unit', /^Usage: grigri wait-for/],
  ['help commands', /^deploy +/m],
])('"%s" prints help', async (line, text) => {
  expect(await cli.run(line)).toMatchObject({ code: 0, stdout: expect.stringMatching(text) as string });
});

test.each(['help nothing', 'help wait-for nothing', 'help status more', 'help __complete'])(
  '"%s" is wrong usage',
  async (line) => {
    expect(await cli.run(line)).toMatchObject({ code: 2, stdout: '' });
  },
);

describe('plugins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-plugins-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'grigri-greet'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'grigri-find'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'grigri-status'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(folder, 'grigri-notes'), 'no program', { mode: 0o644 });

  async function run(line: string) {
    const calls: { argv: readonly string[]; env: unknown }[] = [];
    const result = await cli.run(line, {
      env: { PATH: `:/nowhere:${folder}` },
      runOnTerminal: (argv, env) => (calls.push({ argv, env }), Promise.resolve(7)),
    });
    return { ...result, calls };
  }

  test.each([
    ['greet', [], {}],
    ['greet -m shop --loud=1 bob', ['-m', 'shop', '--loud=1', 'bob'], { JUJU_MODEL: 'shop' }],
    ['greet --controller=c1 -- -m x', ['--controller=c1', '--', '-m', 'x'], { JUJU_CONTROLLER: 'c1' }],
    ['help greet', ['--help'], {}],
  ])('"%s" runs the plugin, with its arguments and exit code', async (line, args, env) => {
    expect(await run(line)).toMatchObject({
      code: 7,
      calls: [{ argv: [join(folder, 'grigri-greet'), ...args], env }],
    });
  });

  test('a plugin takes the place of a refused command, and of no other', async () => {
    expect((await run('find mysql')).calls).toHaveLength(1);
    expect((await run('status --help')).calls).toHaveLength(0);
  });

  test.each(['notes', '../greet', 'GREET'])('%s is no plugin', async (name) => {
    expect(await run(name)).toMatchObject({ code: 2, calls: [] });
  });

  test('plugins are listed, and suggested', async () => {
    expect((await run('help plugins')).stdout).toContain('\n    find\n    greet\n    status\n');
    expect((await run('gret')).stderr).toContain('Did you mean:\n\tgreet\n');
  });
});
