import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';
import { calledName } from './program.ts';
import { registry } from './registry.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());
const asJuju = { program: 'juju' };

test.each([
  ['/usr/bin/grigri', 'grigri'],
  ['/usr/local/bin/juju', 'juju'],
  ['juju_36', 'juju_36'],
  ['/src/main/cli.ts', 'grigri'],
  ['/dist/cli/cli.mjs', 'grigri'],
  ['/tmp/rm -rf', 'grigri'],
  ['', 'grigri'],
])('the name of a program called as %j is %s', (path, name) => {
  expect(calledName(path)).toBe(name);
});

/** Words on stderr, or on stdout for help. */
test.each([
  ['status', 'Please create a new controller using "juju bootstrap".'],
  ['bootstrap', 'run "juju bootstrap local"'],
  ['add-credential nowhere -f x', "To view all available clouds, use 'juju clouds'."],
  ['remove-credential', 'ERROR Usage: juju remove-credential <cloud-name> <credential-name>'],
  ['nosuch', 'ERROR juju: "nosuch" is not a juju command. See "juju --help".'],
  ['help', 'See "juju help commands" for all of them, "juju help <command>" for one, and "juju help topics"'],
  ['help plugins', 'A program juju-NAME in a directory of $PATH is the command NAME: "juju NAME" runs it'],
  ['completion bash', 'complete -o default -F _juju juju'],
  ['completion zsh', '#compdef juju'],
  ['completion fish', 'complete -c juju -f'],
])('a client called as juju says so: %s', async (line, words) => {
  const { stdout, stderr } = await cli.run(line, asJuju);
  expect(stdout + stderr).toContain(words);
  const own = await cli.run(line);
  expect(own.stdout + own.stderr).toContain(words.replaceAll('juju', 'grigri'));
});

describe('help of a client called as juju', () => {
  const names = Object.entries(registry).flatMap(([name, { hidden }]) => (hidden ? [] : [name]));

  test.each(names)('help %s names no other program in command lines', async (name) => {
    const { stdout, code } = await cli.run(['help', name], asJuju);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: juju ${name}`);
    for (const [, word] of stdout.matchAll(/\bgrigri ([a-z-]+)/g)) expect(names).not.toContain(word);
  });
});

test('a client called as juju runs the plugins of juju', async () => {
  for (const name of ['juju-hello', 'grigri-hello', 'grigri-other']) {
    writeFileSync(join(cli.folder, name), '');
    chmodSync(join(cli.folder, name), 0o755);
  }
  const run = async (program: string, line: string): Promise<readonly string[]> => {
    const started: string[] = [];
    const runOnTerminal = ([path]: readonly string[]): Promise<number> => {
      started.push(path!.slice(cli.folder.length + 1));
      return Promise.resolve(0);
    };
    await cli.run(line, { program, runOnTerminal, env: { PATH: cli.folder } });
    return started;
  };
  expect(await run('juju', 'hello')).toEqual(['juju-hello']);
  expect(await run('grigri', 'hello')).toEqual(['grigri-hello']);
  expect(await run('juju', 'other')).toEqual([]);
});
