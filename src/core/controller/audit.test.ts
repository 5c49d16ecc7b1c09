import { describe, expect, test } from 'vitest';
import { auditedArgs, auditSettings } from './audit.ts';

const MiB = 1024 * 1024;

describe('settings of the audit log', () => {
  test('the defaults are those of Juju', () => {
    const { excluded, ...rest } = auditSettings({});
    expect(rest).toEqual({ isEnabled: true, captureArgs: false, maxBytes: 300 * MiB, backups: 10 });
    expect(excluded.has('Client.FullStatus')).toBe(true);
    expect(excluded.has('Application.Get')).toBe(false);
    expect(excluded.has('Application.Deploy')).toBe(false);
  });

  test.each([
    [['ReadOnlyMethods', 'Application.Deploy'], true, true],
    ['Application.Deploy', false, true],
    [[], false, false],
  ])('methods are excluded from the audit log by name or as ReadOnlyMethods: %j', (words, status, deploy) => {
    const { excluded } = auditSettings({ 'audit-log-exclude-methods': words });
    expect([excluded.has('Client.FullStatus'), excluded.has('Application.Deploy')]).toEqual([status, deploy]);
  });

  test('the size, the number of backups and the switches of the audit log are read', () => {
    expect(
      auditSettings({
        'auditing-enabled': false,
        'audit-log-capture-args': true,
        'audit-log-max-size': '1M',
        'audit-log-max-backups': 2,
      }),
    ).toMatchObject({ isEnabled: false, captureArgs: true, maxBytes: MiB, backups: 2 });
  });
});

test('audited arguments are written as JSON and cut, and are left out where they may hold secrets', () => {
  expect(auditedArgs('Application', { a: 1 }, 100)).toBe('{"a":1}');
  expect(auditedArgs('Application', { a: 'xxxx' }, 5)).toBe('{"a"…');
  expect(auditedArgs('UserManager', { password: 'x' }, 100)).toBe('*****');
});

test.each([
  ['ModelArrivals', { secrets: [{ content: { key: 'hush' } }] }, '*****'],
  [
    'Controller',
    { specs: [{ 'target-info': { 'auth-tag': 'user-admin', password: 'hush', macaroons: '["hush"]' } }] },
    '{"specs":[{"target-info":{"auth-tag":"user-admin","password":"*****","macaroons":"*****"}}]}',
  ],
  [
    'Application',
    { applications: [{ application: 'web', config: { pass: 'hush' }, 'config-yaml': 'pass: hush' }] },
    '{"applications":[{"application":"web","config":{"pass":"*****"},"config-yaml":"*****"}]}',
  ],
])('audited arguments of %s tell no secrets', (facade, params, args) => {
  expect(auditedArgs(facade, params, 1_000)).toBe(args);
});
