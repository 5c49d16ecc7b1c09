import { expect, test } from 'vitest';
import { createSsh, formatSshTarget, parseSshTarget } from './ssh.ts';
import { hostKeyName } from '../../contract/ssh-target.ts';
import { sshVerdict, type SshErrorKind } from './verdict.ts';

test.each([
  ['host', { host: 'host' }, 'host'],
  ['me@10.0.0.7', { user: 'me', host: '10.0.0.7' }, '10.0.0.7'],
  ['me@host:2222', { user: 'me', host: 'host', port: 2222 }, '[host]:2222'],
  ['a@b@host', { user: 'a@b', host: 'host' }, 'host'],
  ['fd00::1', { host: 'fd00::1' }, 'fd00::1'],
  ['me@[fd00::1]:22', { user: 'me', host: 'fd00::1', port: 22 }, 'fd00::1'],
])('Target "%s" is parsed and formatted', (text, target, keyName) => {
  expect(parseSshTarget(text)).toEqual(target);
  expect(parseSshTarget(formatSshTarget(parseSshTarget(text)))).toEqual(target);
  expect(hostKeyName(parseSshTarget(text))).toBe(keyName);
});

test.each([
  '',
  '@host',
  'me@',
  '-oProxyCommand=x',
  'me@-x',
  '-x@host',
  'a b',
  'h;rm',
  'host:0',
  'host:x',
  '$(x)@h',
])('Target "%s" is rejected', (text) =>
  expect(() => parseSshTarget(text)).toThrow('is not [user@]host[:port]'),
);

test('Host names that ssh could parse as something else are rejected', () => {
  const options = { knownHostsFile: '/nowhere/k', identityFiles: [], mayAsk: false };
  expect(() => createSsh({ target: { host: '-oProxyCommand=x' }, ...options })).toThrow('not a host');
});

const target = { user: 'me', host: 'h', port: 2222 };

test.each<[string, SshErrorKind, RegExp]>([
  [
    '@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@\nHost key verification failed.\n',
    'host key',
    /does not match the one in \/k: .* ssh-keygen -f '\/k' -R '\[h\]:2222'$/,
  ],
  [
    'No RSA host key is known for h and you have requested strict checking.\nHost key verification failed.\n',
    'host key',
    /-R/,
  ],
  ['me@h: Permission denied (publickey).\n', 'denied', /me@h:2222 refuses .*Permission denied \(publickey\)/],
  [
    'ssh: connect to host h port 2222: Connection refused\n',
    'unreachable',
    /: connect to host h port 2222: Connection refused$/,
  ],
  [
    'ssh: Could not resolve hostname h: Name or service not known\n',
    'unreachable',
    /Could not resolve hostname h/,
  ],
  ['client_loop: send disconnect: Broken pipe\n', 'unreachable', /Broken pipe/],
  ['one\nlast words\n', 'failed', /last words$/],
  ['', 'failed', /without output$/],
])('Stderr %j is classified as a failure', (stderr, kind, message) => {
  const error = sshVerdict(stderr, target, '/k');
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(message);
});
