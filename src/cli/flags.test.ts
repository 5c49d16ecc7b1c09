import { describe, expect, test } from 'vitest';
import { parseFlags } from '../kit/gnuflag.ts';
import { bool, commas, duration, int, list, text } from './flags.ts';

const flags = {
  number: int('-n, --num-units', 'units', 1),
  config: list('--config', 'config'),
  to: commas('--to', 'where'),
  noPrompt: bool('--no-prompt', 'no prompt'),
  yes: bool('-y, --yes', 'yes'),
  model: text('-m, --model', 'model'),
  wait: duration('--wait', 'wait'),
};
const defaults = { number: 1, config: [], to: [], noPrompt: false, yes: false, model: '', wait: undefined };
const parse = (line: string, interspersed = true) =>
  parseFlags(flags, line.split(' ').filter(Boolean), { interspersed });

describe('parseFlags', () => {
  test.each([
    { line: '', values: {}, args: [] },
    { line: 'a -n 3 b', values: { number: 3 }, args: ['a', 'b'] },
    { line: 'a -n3', values: { number: 3 }, args: ['a'] },
    { line: '-n=3', values: { number: 3 }, args: [] },
    { line: '--num-units 3 a', values: { number: 3 }, args: ['a'] },
    { line: '--num-units=-1', values: { number: -1 }, args: [] },
    { line: '--config a=1 x --config b=2', values: { config: ['a=1', 'b=2'] }, args: ['x'] },
    { line: '--to 1,lxd:2 --to 3', values: { to: ['1', 'lxd:2', '3'] }, args: [] },
    { line: '--no-prompt a', values: { noPrompt: true }, args: ['a'] },
    { line: '--no-prompt=false', values: { noPrompt: false }, args: [] },
    { line: '-yn3', values: { yes: true, number: 3 }, args: [] },
    { line: '-ym x', values: { yes: true, model: 'x' }, args: [] },
    { line: '-m --yes', values: { model: '--yes' }, args: [] },
    { line: '-y -- -n 3', values: { yes: true }, args: ['-n', '3'] },
    { line: 'a - b', values: {}, args: ['a', '-', 'b'] },
    { line: '--wait 1m30s', values: { wait: 90_000 }, args: [] },
  ])('parseFlags reads "$line"', ({ line, values, args }) => {
    const parsed = parse(line);
    expect(parsed.values).toEqual({ ...defaults, ...values });
    expect(parsed.args).toEqual(args);
  });

  test('parseFlags does not parse words after the first argument when flags are not interspersed', () => {
    const { values, args } = parse('-m x host -n 3 --bogus', false);
    expect(values).toMatchObject({ model: 'x', number: 1 });
    expect(args).toEqual(['host', '-n', '3', '--bogus']);
  });

  test('parseFlags returns which flags were given', () => {
    expect(parse('-n 1 --no-prompt').given).toEqual(new Set(['number', 'noPrompt']));
  });

  test.each([
    ['--bogus', 'option provided but not defined: --bogus'],
    ['-x', 'option provided but not defined: -x'],
    ['--model', 'option needs an argument: --model'],
    ['-n', 'option needs an argument: -n'],
    ['-n x', 'invalid value "x" for option -n: expected a whole number'],
    ['--yes=maybe', 'invalid value "maybe" for option --yes: expected true or false'],
    ['--wait soon', 'invalid value "soon" for option --wait: invalid duration "soon"'],
    ['--wait=-5s', 'invalid value "-5s" for option --wait: invalid duration "-5s"'],
  ])('parseFlags refuses "%s"', (line, message) => {
    expect(() => parse(line)).toThrow(message);
  });
});
