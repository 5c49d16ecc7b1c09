import { expect, test } from 'vitest';
import { readHostFacts } from './host-facts.ts';

const said = (...lines: string[]): string =>
  ['base=ubuntu@24.04', 'arch=x86_64', 'mem=8145000', ...lines, ''].join('\n');

test('Base, architecture and memory are reported in Juju’s terms', () => {
  const facts = readHostFacts(said('processor=0', 'processor=1'));
  expect(facts).toEqual({
    base: { name: 'ubuntu', channel: '24.04/stable' },
    hardware: { arch: 'amd64', cores: 2, mem: 7954 },
  });
});

test.each([
  [
    'the cores of each socket once, not per thread',
    ['processor=0', 'socket=0', 'cores=4', 'processor=1', 'socket=0', 'cores=4', 'socket=1', 'cores=4'],
    8,
  ],
  ['processors, where there are no sockets', ['processor=0', 'processor=1', 'processor=2'], 3],
])('Cores are counted: %s', (_, lines, cores) => {
  expect(readHostFacts(said(...lines)).hardware.cores).toBe(cores);
});

test('Unknown hardware is omitted', () => {
  expect(readHostFacts('base=debian@12\narch=aarch64\n').hardware).toEqual({ arch: 'arm64' });
});

test.each([
  ['base=@\narch=x86_64\n', 'its /etc/os-release names no operating system and release'],
  ['base=debian@12\narch=mips\n', 'processors of type "mips"'],
])('The inspection %j is refused', (text, message) => {
  expect(() => readHostFacts(text)).toThrow(message);
});
