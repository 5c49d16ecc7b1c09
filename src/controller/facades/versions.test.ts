import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { jujuMethods } from '../../testing/juju-methods.ts';
import { hasVersion, type VersionRange } from '../../wire/facade-spec.ts';
import { facades } from './index.ts';

test('facades announce only versions that Juju 3.6.28 has, in the places where Juju has them', () => {
  const announced = facades.map(({ spec }) => [spec.name, spec.on, spec.versions.join(' ')].join(': '));
  expect(announced.sort()).toEqual([
    'Action: model: 7',
    'AgentWatcher: model: 1',
    'AllModelWatcher: controller: 4',
    'AllWatcher: model: 3',
    'Annotations: model: 2',
    'Application: model: 19 20 21 22',
    'ApplicationOffers: controller: 4 5',
    'BackupArchives: controller: 1',
    'Backups: model: 3',
    'Block: model: 2',
    'Bundle: both: 6',
    'Charms: model: 6 7',
    'Client: model: 6 8',
    'Cloud: controller: 7',
    'Controller: controller: 11 12',
    'ControllerPrograms: controller: 1',
    'CredentialManager: model: 1',
    'CrossController: controller: 1',
    'CrossModelRelations: model: 2 3',
    'CrossModelSecrets: model: 1 2',
    'Forecasts: model: 1',
    'HighAvailability: both: 2',
    'ImageMetadataManager: model: 1',
    'KeyManager: model: 1',
    'Lives: both: 1',
    'LocalImages: controller: 1',
    'MachineAgent: model: 1',
    'MachineManager: model: 9 10',
    'ModelArrivals: controller: 1',
    'ModelConfig: both: 3',
    'ModelFiles: both: 1',
    'ModelGeneration: model: 4',
    'ModelManager: controller: 9 10',
    'ModelSummaryWatcher: controller: 1',
    'ModelUpgrader: controller: 1',
    'NotifyWatcher: both: 1',
    'OfferStatusWatcher: model: 1',
    'Payloads: model: 1',
    'Pinger: both: 1',
    'Provisioning: model: 1',
    'RelationStatusWatcher: model: 1',
    'RemoteRelationWatcher: model: 1',
    'Requirements: model: 1',
    'Resources: model: 3',
    'Rollouts: model: 1',
    'SSHClient: model: 4',
    'SecretBackends: controller: 1',
    'Secrets: model: 1 2',
    'SecretsRevisionWatcher: model: 1',
    'Spaces: model: 6',
    'Storage: model: 6 7',
    'StoreReport: controller: 1',
    'StringsWatcher: model: 1',
    'Subnets: model: 5',
    'UserManager: controller: 3',
  ]);
});

const ofJuju = facades.filter(({ spec }) => !spec.own);
const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Names of Juju's methods in that version. */
function methodsOf(facade: string, version: number): string[] {
  const { methods, older } = jujuMethods[facade]!;
  const { more, less } = older?.[version] ?? {};
  return [...words(methods).filter((name) => !words(less).includes(name)), ...words(more)].sort();
}

describe.each(ofJuju.map(({ spec }) => ({ name: spec.name, spec })))('$name', ({ spec }) => {
  const refused = Object.keys(spec.notServed ?? {});

  test.each(spec.versions)('version %i has every method that Juju has in it, or says why not', (version) => {
    const has = ([, range]: [string, VersionRange]): boolean => hasVersion(range, version);
    const answered = [...Object.entries(spec.methods), ...Object.entries(spec.notServed ?? {})];
    expect(
      answered
        .filter(has)
        .map(([name]) => name)
        .sort(),
    ).toEqual(methodsOf(spec.name, version));
  });

  test('a method that is declared as not served is one of Juju’s, and is in the page of facades', () => {
    const all = spec.versions.flatMap((version) => methodsOf(spec.name, version));
    expect(refused.filter((name) => !all.includes(name))).toEqual([]);
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/facades.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| ${spec.name} |`)) ?? '';
    expect(row).toContain(`| ${spec.versions.join(', ')} |`);
    expect(refused.filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('a method that is not served', () => {
  let callers: Callers;
  beforeAll(async () => {
    callers = await createCallers();
  });
  afterAll(() => callers[Symbol.asyncDispose]());

  const rows = ofJuju.flatMap(({ spec }) =>
    Object.entries(spec.notServed ?? {}).map(([method, refusal]) => ({
      facade: spec.name,
      version: spec.versions.findLast((version) => hasVersion(refusal, version))!,
      method,
      answer: { code: refusal.code, message: refusal.message },
    })),
  );
  test.each(rows)('$facade.$method: $answer.message', async ({ facade, version, method, answer }) => {
    await expect(callers.call(facade, method, {}, { version })).rejects.toMatchObject(answer);
  });
});
