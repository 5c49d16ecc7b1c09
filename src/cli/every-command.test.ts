/** What every command has: help, refusals of unknown flags with suggestions, and of flags and formats without sense. */
import { afterAll, describe, expect, test } from 'vitest';
import { testCli } from '../testing/cli.ts';
import { withDashes } from '../kit/gnuflag.ts';
import { globalFlags, type Command } from './command.ts';
import { topics } from './help-topics.ts';
import { registry } from './registry.ts';

const cli = testCli();
afterAll(() => cli[Symbol.dispose]());

const commands: readonly (readonly [string, Command])[] = await Promise.all(
  Object.entries(registry)
    .filter(([, { hidden }]) => !hidden)
    .map(async ([name, { load }]) => [name, await load()] as const),
);

/** Long names of the command's own flags. */
const flagsOf = ({ flags }: Command): readonly string[] =>
  Object.values(flags)
    .flatMap(({ names }) => names.map(withDashes))
    .filter((name) => name.startsWith('--'));

describe.each(commands)('%s', (name, command) => {
  test('help is the same as a topic, a flag, and a flag after others', async () => {
    const topic = await cli.run(['help', name]);
    expect(topic).toMatchObject({ code: 0, stderr: '' });
    for (const argv of [
      [name, '--help'],
      [name, '-h'],
      ['--debug', name, '--help'],
    ])
      expect(await cli.run(argv), argv.join(' ')).toEqual(topic);
    for (const flag of flagsOf(command)) expect(topic.stdout).toContain(flag);
  });

  test('an unknown flag is wrong usage', async () => {
    for (const flag of ['--bogus-zzzzzz', '-Z'])
      expect(await cli.run([name, flag])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(`^ERROR option provided but not defined: ${flag}\n`),
        ) as string,
      });
  });

  test('a flag with a letter too many is answered with that flag', async () => {
    for (const flag of flagsOf(command)) {
      const { code, stderr } = await cli.run([name, `${flag}x`]);
      expect(code).toBe(2);
      expect(stderr).toContain(`ERROR option provided but not defined: ${flag}x\n\nDid you mean:\n`);
      expect(stderr).toMatch(new RegExp(`^\t${flag}$`, 'm'));
    }
  });

  test('a flag without its value is wrong usage, and so is an unknown format', async () => {
    for (const flag of Object.values({ ...globalFlags, ...command.flags })) {
      if (!flag.takesValue) continue;
      const shown = withDashes(flag.names[0]!);
      expect(await cli.run([name, shown]), shown).toMatchObject({
        code: 2,
        stderr: `ERROR option needs an argument: ${shown}\n`,
      });
    }
    if (!('format' in command.flags)) return;
    expect(await cli.run([name, '--format', 'nosuch'])).toMatchObject({
      code: 2,
      stderr: `ERROR invalid value "nosuch" for option --format: unknown format "nosuch"\n`,
    });
  });

  test('thirty arguments that nobody expects end with an error in words', async () => {
    const { code, stderr } = await cli.run([name, ...Array.from({ length: 30 }, (_, i) => `Word${i}!`)], {
      env: { PATH: '' },
    });
    expect([0, 1, 2], stderr).toContain(code);
    expect(stderr).not.toMatch(/^ {4}at |internal|undefined|\[object/m);
  });
});

test.each(Object.keys(topics))('help %s is text of whole lines', async (topic) => {
  const { code, stdout, stderr } = await cli.run(['help', topic]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\S.*\n$/s);
});
