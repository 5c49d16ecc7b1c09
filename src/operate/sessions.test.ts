import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../client/connect.ts';
import { testController, type TestController } from '../testing/controller.ts';
import { testClient } from '../testing/operator.ts';
import { chooseController, openController, openModel, resolveModel } from './sessions.ts';

let controller: TestController;
let uuid: string;
beforeAll(async () => {
  controller = await testController();
  uuid = await controller.addModel('shop');
});
afterAll(() => controller[Symbol.asyncDispose]());

describe('a session', () => {
  test.each([
    ['its name', 'shop'],
    ['its owner and name', 'admin/shop'],
    ['the controller and its name', 'ctrl:shop'],
  ])('a session with a model is opened by %s', async (_, name) => {
    const { connection, model, modelUuid, login } = await openModel(testClient(controller), name);
    await connection.close();
    expect({ model, modelUuid, tag: login.tag }).toEqual({
      model: 'admin/shop',
      modelUuid: uuid,
      tag: 'user-admin',
    });
  });

  test('a session with a model is opened by the model’s UUID after the controller was asked for its models', async () => {
    expect(await resolveModel(testClient(controller), uuid)).toEqual({
      controller: 'ctrl',
      model: 'admin/shop',
      uuid,
    });
  });

  test('a session is opened with the model that the client has chosen when none is named', async () => {
    const client = testClient(controller, { chosen: { controller: '', model: 'ctrl:shop' } });
    expect(await resolveModel(client, '')).toMatchObject({ model: 'admin/shop' });
    expect(await chooseController(client, '')).toBe('ctrl');
  });

  test.each([
    ['a model that is not there', () => openModel(testClient(controller), 'nope'), 'model not found'],
    ['a controller that is not known', () => openController(testClient(controller), 'nope'), 'not found'],
  ])('a session with %s is refused', async (_, open, code) => {
    await expect(open()).rejects.toMatchObject({ code });
  });

  test('a session with a model that was removed fails with an error that says so', async () => {
    const client = testClient(controller);
    client.modelsKnown.set('ctrl', {
      'admin/gone': { uuid: uuid.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f')), type: 'iaas' },
    });
    await expect(openModel(client, 'gone')).rejects.toThrow(
      'model "ctrl:admin/gone" has been removed from the controller',
    );
  });

  test('a session records the version of the controller', async () => {
    const client = testClient(controller);
    const { connection } = await openController(client, 'ctrl');
    await connection.close();
    expect(client.details.get('ctrl')?.['agent-version']).toBe(connection.login.serverVersion);
  });

  test('a session starts a controller that does not answer, and tries again', async () => {
    let runs = false;
    const client = testClient(controller, {
      connect: (options) => connect(runs ? options : { ...options, addresses: ['127.0.0.1:1'] }),
      startIfStopped: () => Promise.resolve((runs = true)),
    });
    const { connection } = await openController(client, 'ctrl');
    await connection.close();
  });

  test('the error of a session names the controller that cannot be reached', async () => {
    const client = testClient(controller, {
      connect: (options) => connect({ ...options, addresses: ['127.0.0.1:1'] }),
    });
    await expect(openController(client, 'ctrl')).rejects.toThrow(/^controller "ctrl" cannot be reached: /);
  });
});
