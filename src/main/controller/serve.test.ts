/** What a controller does when it starts, and what it says of itself while it runs. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSimulatedCloud, createSimulatedProvider } from '../../providers/simulated/index.ts';
import { testController } from '../../testing/controller.ts';
import { dataPaths } from './data-dir.ts';

const provider = createSimulatedProvider(createSimulatedCloud());

test('uploads that a controller did not finish are gone when it starts again', async () => {
  await using controller = await testController(provider);
  const { uploads } = dataPaths(controller.dataDir);
  await controller.restart(() => {
    mkdirSync(join(uploads, 'charm-half'), { recursive: true });
    writeFileSync(join(uploads, 'charm-half', 'archive'), 'cut off');
    writeFileSync(join(uploads, 'image'), 'cut off');
  });
  expect(readdirSync(uploads)).toEqual([]);
});

test('a request that holds up the controller is logged with its method, its user, its time and how often', async () => {
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
