import { expect, test } from 'vitest';
import { boolean, parseFlags, type Flag } from './gnuflag.ts';

const flags = {
  yes: { names: ['y', 'yes'], default: false, takesValue: false, parse: boolean('no boolean') },
  name: { names: ['n', 'name'], default: '', takesValue: true, parse: (text) => text },
} satisfies Record<string, Flag<boolean> | Flag<string>>;
const parse = (...argv: string[]) => parseFlags(flags, argv, { interspersed: true });

test.each([
  ['a flag that stands alone takes a value after =, long or short', ['-y=false', '--yes=T'], { yes: true }],
  ['one-letter flags share a word, the last with its value', ['-yna'], { yes: true, name: 'a' }],
  ['a value may be empty', ['--name='], { name: '' }],
  ['a flag that is given twice has its last value', ['-n', 'a', '--name', 'b'], { name: 'b' }],
])('%s', (_, argv, values) => {
  expect(parse(...argv).values).toMatchObject(values);
});

test.each([['-h'], ['--help']])('%s ends the reading of flags where no flag defines it', (word) => {
  expect(parse('a', word, '--bogus')).toMatchObject({ help: true, args: ['a'] });
  const help: Flag<boolean> = { ...flags.yes, names: ['h', 'help'] };
  expect(parseFlags({ ...flags, help }, [word, 'b'], { interspersed: true })).toMatchObject({
    help: false,
    values: { help: true },
    args: ['b'],
  });
});

test('a value that is no boolean is refused with the message that the flag defines', () => {
  expect(() => parse('-y=maybe')).toThrow('invalid value "maybe" for option -y: no boolean');
  expect(() => parse('--yes=')).toThrow('invalid value "" for option --yes: no boolean');
});
