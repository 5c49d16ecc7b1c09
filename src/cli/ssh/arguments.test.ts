import { describe, expect, test } from 'vitest';
import { parseScpArguments, parseSshArguments, splitLogin } from './arguments.ts';

test.each([
  ['0', { user: '', name: '0' }],
  ['ubuntu@mysql/0', { user: 'ubuntu', name: 'mysql/0' }],
  ['me@corp@10.0.0.1', { user: 'me@corp', name: '10.0.0.1' }],
])('the login %s', (login, parts) => {
  expect(splitLogin(login)).toEqual(parts);
});

describe('arguments of ssh', () => {
  test.each([
    ['', { options: [], command: [], port: 22, user: '' }],
    ['ls -la', { options: [], command: ['ls', '-la'] }],
    ['-- -x', { options: [], command: ['-x'] }],
    ['-v -L 80:h:80 id', { options: ['-v', '-L', '80:h:80'], command: ['id'] }],
    ['-Np2222 -l me', { options: ['-Np2222', '-l', 'me'], command: [], port: 2222, user: 'me' }],
    ['-o A=b -- id', { options: ['-o', 'A=b'], command: ['id'] }],
  ])('%s', (line, parts) => {
    expect(parseSshArguments(line.split(' ').filter(Boolean))).toMatchObject(parts);
  });
  test('a port that is not a port number is refused', () => {
    expect(() => parseSshArguments(['-p', 'x'])).toThrow('invalid port "x"');
  });
});

describe('arguments of scp', () => {
  const here = (path: string) => ({ user: '', target: '', path });
  test.each([
    ['a 0:b', { sources: [here('a')], destination: { user: '', target: '0', path: 'b' } }],
    [
      'ubuntu@mysql/0:/x/y: 1: .',
      {
        sources: [
          { user: 'ubuntu', target: 'mysql/0', path: '/x/y:' },
          { user: '', target: '1', path: '' },
        ],
        destination: here('.'),
      },
    ],
    ['./a:b 0/lxd/1:', { sources: [here('./a:b')], destination: { user: '', target: '0/lxd/1', path: '' } }],
    ['-rp a -P 2222 0:b', { options: ['-rp', '-P', '2222'], recursive: true, port: 2222 }],
    ['-P 22 a 0:r', { recursive: false }],
    ['a -- -b 0:c', { options: [], sources: [here('a'), here('-b')] }],
  ])('%s', (line, parts) => {
    expect(parseScpArguments(line.split(' '))).toMatchObject(parts);
  });
  test('scp with one file only is refused', () => {
    expect(() => parseScpArguments(['-r', 'a'])).toThrow('at least two arguments required');
  });
});
