import { expect, test } from 'vitest';
import { facades } from './index.ts';

test('announces the versions and places of Juju 3.6.28, and our own for agents', () => {
  const announced = facades.map(({ spec }) => [spec.name, spec.on, spec.versions.join(' ')].join(': '));
  expect(announced.sort()).toEqual([
    'Action: model: 7',
    'AgentWatcher: model: 1',
    'AllWatcher: model: 3',
    'Annotations: model: 2',
    'Application: model: 15 16 17 18 19 20 21 22',
    'Bundle: both: 6',
    'Charms: model: 5 6 7',
    'Client: model: 6 7 8',
    'Cloud: controller: 7',
    'Controller: controller: 11 12',
    'Lives: both: 1',
    'LocalImages: controller: 1',
    'MachineAgent: model: 1',
    'MachineManager: model: 9 10',
    'ModelConfig: both: 3',
    'ModelManager: controller: 9 10',
    'Pinger: both: 1',
    'Provisioning: model: 1',
    'Requirements: model: 1',
    'Resources: model: 3',
    'StringsWatcher: model: 1',
  ]);
});
