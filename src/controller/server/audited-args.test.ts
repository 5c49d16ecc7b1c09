/** The arguments of all facades in the audit log. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { auditedArgs } from '../../core/controller/audit.ts';
import { hasVersion, schemasAt, type FacadeSpec } from '../../wire/facade-spec.ts';
import { facades } from '../../wire/facades/index.ts';

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
