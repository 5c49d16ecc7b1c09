import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../client/calls.ts';
import { uploadCharm } from '../../client/http.ts';
import type { DeployRequest } from '../../core/application/check-deploy.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { newModel, testOperator } from '../../testing/operator.ts';
import { writeZip } from '../../testing/zip.ts';
import { localCharm } from '../files/upload-charm.ts';
import type { ModelSession } from '../sessions.ts';
import type { CharmSource } from './charm-source.ts';
import { deployCharm, planCharm, type DeployEvent } from './deploy-charm.ts';

let controller: TestController;
let folder: string;
let web: CharmSource;
beforeAll(async () => {
  controller = await testController();
  folder = mkdtempSync(join(tmpdir(), 'grigri-operate-'));
  const file = join(folder, 'web.charm');
  await writeZip(file, {
    'metadata.yaml':
      'name: web\nsummary: s\ndescription: d\nrequires:\n  db: {interface: kv, optional: false}\n',
    'config.yaml': 'options:\n  port: {type: int}\n',
    'hooks/install': { text: '#!/bin/sh\n', mode: 0o100755 },
  });
  web = await localCharm(file, uploadCharm);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await controller[Symbol.asyncDispose]();
});

const request: DeployRequest = {
  name: 'site',
  numUnits: 1,
  constraints: {},
  placement: [],
  config: { port: 80 },
  trust: true,
  endpointBindings: {},
};

async function charmsOf({ connection }: ModelSession): Promise<readonly string[]> {
  return (await call(connection, 'Charms', 'List', { names: [] }))['charm-urls'];
}

describe('deployCharm', () => {
  test('deployCharm sends the charm and creates the application as requested', async () => {
    await using session = await newModel(controller, 'whole');
    const operator = testOperator<DeployEvent>();
    const deployed = await deployCharm(operator, {
      source: web,
      request,
      open: () => Promise.resolve(session),
    });
    expect(operator.events).toEqual([
      { kind: 'charm located', charm: 'web', revision: 0 },
      {
        kind: 'deploying',
        application: 'site',
        charm: 'web',
        charmUrl: 'local:web-0',
        base: { name: 'ubuntu', channel: '24.04/stable' },
      },
    ]);
    expect(deployed).toMatchObject({
      charmUrl: 'local:web-0',
      requirements: { pending: [{ application: 'site', units: 1 }] },
    });
    const config = await call(session.connection, 'Application', 'Get', {
      application: 'site',
      branch: 'master',
    });
    expect(config.config['port']).toMatchObject({ value: 80 });
    expect(config['application-config']['trust']).toMatchObject({ value: true });
  });

  test('deployCharm refuses a request that the charm does not allow before it opens a session', async () => {
    const open = (): Promise<never> => Promise.reject(new Error('a session was opened'));
    const wrong = { ...request, config: { port: 'x' } };
    await expect(
      deployCharm(testOperator<DeployEvent>(), { source: web, request: wrong, open }),
    ).rejects.toMatchObject({ code: 'not valid', message: 'option "port" expected int, got "x"' });
  });

  test.each([
    ['a name that is taken', {}, 'already exists'],
    ['a machine that is not there', { name: 'b', placement: [{ scope: '#', directive: '7' }] }, 'not found'],
  ])('deployCharm refuses %s before the charm is sent', async (_, refusedParams, code) => {
    await using session = await newModel(controller, `taken-${code.replace(' ', '-')}`);
    const open = (): Promise<ModelSession> => Promise.resolve(session);
    const operator = testOperator<DeployEvent>();
    if (code === 'already exists') await deployCharm(operator, { source: web, request, open });
    const before = await charmsOf(session);
    await expect(
      deployCharm(operator, { source: web, request: { ...request, ...refusedParams }, open }),
    ).rejects.toMatchObject({ code });
    expect(await charmsOf(session)).toEqual(before);
  });

  test('deployCharm sends a directive of the provider under the model’s UUID', async () => {
    await using session = await newModel(controller, 'placed');
    const placement = [{ scope: 'model-uuid', directive: 'zone=nowhere' }];
    const open = (): Promise<ModelSession> => Promise.resolve(session);
    await expect(
      deployCharm(testOperator<DeployEvent>(), { source: web, request: { ...request, placement }, open }),
    ).rejects.toThrow('availability zone "nowhere" not valid');
  });
});

test('planCharm returns the requirements that the application would wait for, and changes nothing', async () => {
  await using session = await newModel(controller, 'planned');
  const missing = await planCharm(testOperator<DeployEvent>(), {
    source: web,
    request,
    open: () => Promise.resolve(session),
  });
  expect(missing).toEqual([{ endpoint: 'db', interface: 'kv', applications: [] }]);
  expect(await charmsOf(session)).toEqual([]);
});
