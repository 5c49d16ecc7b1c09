import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hasVersion, schemasAt, type FacadeSpec } from '../../wire/facade-spec.ts';
import { facades } from '../../wire/facades/index.ts';
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

/** Members whose names suggest a secret, and the facades in which they are none: tags, names, and public keys. */
const harmless: Readonly<Record<string, string>> = {
  'application-token': 'CrossModelRelations CrossModelSecrets',
  'auth-tag': 'Controller',
  credential: 'ModelManager',
  'credential-tag': 'ModelManager',
  'instance-key': 'Application Charms Resources Rollouts',
  keys: 'ModelConfig ModelManager',
  'model-credentials': 'ModelManager',
  'public-key': 'BackupArchives',
  publicKey: 'Backups',
  'relation-token': 'CrossModelRelations',
  'ssh-keys': 'KeyManager',
};

test('each argument of users whose name suggests a secret is left out, or known to be none', () => {
  const suggests =
    /password|macaroon|secret|credential|token|content|config|settings|yaml|text|private|key|auth/i;
  const shown: Record<string, Set<string>> = {};
  // What agents ask for is in no audit log.
  const ofUsers: readonly FacadeSpec[] = facades.filter(({ name }) => name !== 'MachineAgent');
  for (const { name, methods, versions } of ofUsers)
    for (const spec of Object.values(methods))
      for (const version of versions.filter((one) => hasVersion(spec, one)))
        for (const member of membersOf(z.toJSONSchema(schemasAt(spec, version).params, inputs)))
          if (suggests.test(member) && auditedArgs(name, { [member]: 'hush' }, 1_000).includes('hush'))
            (shown[member] ??= new Set()).add(name);
  const found = Object.entries(shown).map(([member, names]) => [member, [...names].sort().join(' ')]);
  expect(Object.fromEntries(found)).toEqual(harmless);
});

const inputs = { unrepresentable: 'any', io: 'input' } as const;

/** Names of all members of objects that the JSON schema describes. */
function membersOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(membersOf)];
}
