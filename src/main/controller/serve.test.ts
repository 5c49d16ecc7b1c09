/** Startup of a controller, and its own log messages. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { connect } from '../../client/connect.ts';
import type { Connection } from '../../client/connection.ts';
import { SimulatedCloud, createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { repairRows } from '../../store/sqlite/repair.ts';
import { testController } from '../../testing/controller.ts';
import { parseAgentConf } from '../../wire/agent-conf.ts';
import { dataPaths } from './data-dir.ts';

const provider = createSimulatedProvider(new SimulatedCloud());

test('Events that concern the security of a controller are in its log, from its start to its end', async () => {
  await using controller = await testController(provider);
  const admin = await controller.connect();
  await admin.call('UserManager', 'AddUser', {
    users: [{ username: 'bob', 'display-name': '', password: 'not this' }],
  });
  await admin.call('Controller', 'ModifyControllerAccess', {
    changes: [{ 'user-tag': 'user-bob', action: 'grant', access: 'superuser' }],
  });
  await admin.close();
  await controller.restart();
  const events = controller.logged
    .filter(({ module }) => module === 'grigri.security')
    .map(({ message }) => (JSON.parse(message) as { event: string }).event);
  expect(events).toEqual([
    'sys_startup:controller',
    'authn_login_success:admin',
    'user_created:admin,bob:login',
    'authz_change:bob,login,superuser',
    'sys_shutdown:controller',
    'sys_startup:controller',
  ]);
  expect(JSON.stringify(controller.logged)).not.toContain('not this');
});

test('A controller that is not confirmed serves reads and accepts no change, and both afterwards', async () => {
  await using controller = await testController(provider);
  const model = await controller.addModel('before');
  const refused: unknown[] = [];
  await controller.restart(undefined, async (port, caCert) => {
    expect(caCert).toBe(controller.caCert);
    const options = { ...controller.connectOptions(), addresses: [`127.0.0.1:${port}`] };
    const connection = await connect(options);
    const { 'user-models': models } = await connection.call<{ 'user-models': { model: { name: string } }[] }>(
      'ModelManager',
      'ListModels',
      { tag: 'user-admin' },
    );
    expect(models.map((one) => one.model.name).sort()).toEqual(['before', 'controller']);
    refused.push(
      await controller.addModel('meanwhile').catch((error: unknown) => error),
      await connection
        .call('ModelManager', 'DestroyModels', { models: [{ 'model-tag': `model-${model}` }] })
        .catch((error: unknown) => error),
    );
    await connection.close();
  });
  const error = {
    code: 'try again',
    message: 'the controller is being upgraded: it accepts no changes yet',
  };
  expect(refused).toEqual([
    expect.objectContaining({ message: expect.stringContaining(error.message) as string }),
    { results: [{ error }] },
  ]);
  await controller.addModel('after');
  const names = [...controller.running().store.read().in('').list('model')].map(({ name }) => name);
  expect(names.sort()).toEqual(['after', 'before', 'controller']);
});

test('A controller that is confirmed accepts changes of others once its own start is through', async () => {
  await using controller = await testController(provider);
  const { restored } = dataPaths(controller.dataDir);
  let early: Connection | undefined;
  const restarted = controller.restart(
    // The start waits for whoever writes into the note.
    () => execFileSync('mkfifo', [restored]),
    async (port) => {
      early = await connect({ ...controller.connectOptions(), addresses: [`127.0.0.1:${port}`] });
    },
  );
  await expect.poll(() => early).toBeDefined();
  const add = (): Promise<unknown> =>
    early!
      .call('ModelManager', 'CreateModel', { name: 'm', 'owner-tag': 'user-admin', config: {} })
      .catch((error: unknown) => error);
  const answers: unknown[] = [];
  for (let n = 0; n < 5; n++) answers.push(await add());
  const at = new Date().toISOString();
  await writeFile(restored, JSON.stringify({ id: 'r', backup: 'b', at }));
  await restarted;
  for (const answer of answers) expect(answer).toMatchObject({ code: 'try again' });
  expect(await add()).toMatchObject({ name: 'm' });
  await early!.close();
});

test('Unfinished uploads are removed when a controller starts again', async () => {
  await using controller = await testController(provider);
  const { uploads } = dataPaths(controller.dataDir);
  await controller.restart(() => {
    mkdirSync(join(uploads, 'charm-half'), { recursive: true });
    writeFileSync(join(uploads, 'charm-half', 'archive'), 'cut off');
    writeFileSync(join(uploads, 'image'), 'cut off');
  });
  expect(readdirSync(uploads)).toEqual([]);
});

/** Damages the rows of a stopped controller that match `condition`. */
function damage(dataDir: string, condition: string): void {
  const db = new DatabaseSync(dataPaths(dataDir).store);
  db.exec(`UPDATE entry SET sum = sum + 1 WHERE ${condition}`);
  db.close();
}

test('A controller with a damaged store serves reads, refuses changes and agents, and touches no instance', async () => {
  const confs: string[] = [];
  const cloud = new SimulatedCloud({
    onStart: ({ params }) => void confs.push(params.agent.agentConf),
  });
  await using controller = await testController(createSimulatedProvider(cloud));
  const model = await controller.addModel('m', { 'provisioner-harvest-mode': 'all' });
  const ask = async <T>(facade: string, method: string, params: object): Promise<T> => {
    const connection = await controller.connect(model);
    return connection.call<T>(facade, method, params).finally(() => connection.close());
  };
  const add = (): Promise<{ machines: { error?: { message: string } }[] }> =>
    ask('MachineManager', 'AddMachines', { params: [{ jobs: ['host-units'] }] });
  const instanceIds = async (): Promise<string[]> => {
    const { machines } = await ask<{ machines: Record<string, { 'instance-id': string }> }>(
      'Client',
      'FullStatus',
      {},
    );
    return Object.values(machines).map((machine) => machine['instance-id']);
  };
  const logInAsAgent = (): Promise<Connection> => {
    const { tag, apiPassword: password, nonce } = parseAgentConf(confs[0]!);
    return connect({ ...controller.connectOptions(model), login: { tag, password, nonce } });
  };
  await add();
  await expect.poll(instanceIds).not.toEqual(['pending']);
  const [instance] = await instanceIds();
  expect(instance).toBe(cloud.instances()[0]?.instance.id);
  await (await logInAsAgent()).close();

  // The machine's older version has no instance: a worker would start a new one and stop the existing one.
  await controller.restart(() => damage(controller.dataDir, `kind = 'machine' AND doc LIKE '%${instance}%'`));
  expect(await instanceIds()).toEqual(['pending']);
  await expect(logInAsAgent()).rejects.toMatchObject({
    code: 'try again',
    message: 'the controller is read-only: its store is damaged',
  });
  const { problem } = controller.running().store;
  expect(problem).toContain(`, machine "0" in model ${model} at revision `);
  expect((await add()).machines[0]?.error?.message).toContain(`could not be stored: ${problem}`);
  const admin = await controller.connect();
  expect(admin.login.problem).toBe(problem);
  await admin.close();
  expect(controller.logged.map(({ message }) => message)).toContainEqual(
    expect.stringContaining(`the controller is read-only problem=`),
  );
  // Only time can show that no worker runs: the first pass of each takes less.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(cloud.instances()).toHaveLength(1);

  const { store } = dataPaths(controller.dataDir);
  await controller.restart(() => repairRows(store, `${store}.damaged`));
  expect(controller.running().store.isDamaged).toBe(false);
  await expect.poll(instanceIds).not.toEqual(['pending']);
});

test("A start on a store that lost the controller's own document fails with the damage and the remedy", async () => {
  await using controller = await testController(provider);
  const restart = controller.restart(() => damage(controller.dataDir, `kind = 'controller'`));
  await expect(restart).rejects.toThrow(
    / is damaged: row \d+ .* run "grigri store-repair --data-dir \S+" then/,
  );
});

test('A request that blocks the controller is logged with its method, user, time and count', async () => {
  let burns = false;
  const validate: typeof provider.validate = (config, previous) => {
    const spent = (): number => process.threadCpuUsage().user + process.threadCpuUsage().system;
    if (burns) for (const first = spent(); spent() - first < 250_000;);
    return provider.validate(config, previous);
  };
  await using controller = await testController({ ...provider, validate });
  const connection = await controller.connect(await controller.addModel('slow'));
  const change = (value: string): Promise<unknown> =>
    connection.call('ModelConfig', 'ModelSet', { config: { 'logging-config': value } });
  const heldUp = (): unknown[] =>
    controller.logged
      .filter(({ message }) => message.includes('ModelConfig.ModelSet'))
      .map(({ level, message }) => [level, message.replace(/=\d{3}\b/, '=N')]);
  await change('<root>=INFO');
  expect(heldUp()).toEqual([]);
  burns = true;
  await change('<root>=WARNING');
  await change('<root>=DEBUG');
  const line = 'work held up the controller work=ModelConfig.ModelSet by=user-admin processorMs=N count=';
  await expect.poll(heldUp).toEqual([
    ['WARNING', `${line}1`],
    ['WARNING', `${line}2`],
  ]);
  await connection.close();
});
