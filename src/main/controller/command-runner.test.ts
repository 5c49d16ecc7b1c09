/** Commands of users as real processes, against a real controller. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPort } from '../../core/host-port.ts';
import { silentLog } from '../../kit/log.ts';
import { testController, type TestController } from '../../testing/controller.ts';
import { connect } from '../../client/connect.ts';
import { discharge } from '../../client/discharge.ts';
import type { UserCommand } from '../../controller/server/command-runner.ts';
import type { JujuError } from '../../core/errors.ts';
import { createCommandRunner } from './command-runner.ts';

/** Time for a test: processes of a low priority take theirs on a busy host. */
const patience = { timeout: 300_000 };

let controller: TestController;
let model: string;
let uploads: string;
beforeAll(async () => {
  controller = await testController();
  model = await controller.addModel('one');
  uploads = join(controller.dataDir, 'uploads');
  writeFileSync(join(controller.dataDir, 'secret.yaml'), 'x: {password: hunter2}\n');
});
afterAll(() => controller[Symbol.asyncDispose]());

async function run(
  line: string,
  {
    signal = new AbortController().signal,
    user = 'admin',
    onText = (): void => undefined,
    shown = { password: controller.password, macaroons: [] } as Pick<UserCommand, 'password' | 'macaroons'>,
  } = {},
): Promise<{ code: number; text: string }> {
  const runner = createCommandRunner({
    controller: {
      name: 'test',
      uuid: 'f0000000-0000-4000-8000-000000000001',
      caCert: controller.caCert,
      addresses: [hostPort('127.0.0.1', controller.running().server.port)],
    },
    folder: uploads,
    log: () => silentLog,
  });
  let text = '';
  const code = await runner.run(
    {
      line,
      user,
      ...shown,
      model: { uuid: model, name: 'admin/one' },
      cloud: { name: 'test', type: 'simulated', region: 'default' },
    },
    {
      signal,
      onOutput: async (piece) => {
        text += piece;
        onText();
      },
    },
  );
  return { code, text };
}

test('a command works in the model of its request, with the rights of its user', patience, async () => {
  expect(await run('status --format json')).toMatchObject({
    code: 0,
    text: expect.stringContaining('"name":"one"') as string,
  });
  expect(await run('status', { user: 'nobody' })).toMatchObject({
    code: 1,
    text: expect.stringContaining('invalid entity name or password') as string,
  });
});

test('a command of a user with macaroons logs in with these macaroons', patience, async () => {
  const { caCert } = controller;
  const signal = new AbortController().signal;
  const login = { tag: 'user-admin', password: '' };
  const error: unknown = await connect({ ...controller.connectOptions(), login }).catch(
    (one: unknown) => one,
  );
  const { macaroon } = (error as JujuError).info!;
  const password = (): Promise<string> => Promise.resolve(controller.password);
  const slice = await discharge({ macaroon, caCert, user: 'admin', password, signal });
  expect(await run('whoami', { shown: { password: '', macaroons: [slice] } })).toMatchObject({
    code: 0,
    text: expect.stringMatching(/User: +admin/) as string,
  });
  expect(await run('status', { shown: { password: '', macaroons: [slice] } })).toMatchObject({ code: 0 });
  expect(await run('status', { shown: { password: '', macaroons: [] } })).toMatchObject({ code: 1 });
});

test('a command can neither read nor write files of the host', patience, async () => {
  const secret = join(controller.dataDir, 'secret.yaml');
  for (const line of [`config x --file ${secret}`, `status -o ${join(controller.dataDir, 'written')}`]) {
    const { code, text } = await run(line);
    expect(code, line).not.toBe(0);
    expect(text, line).not.toMatch(/hunter2|root:/);
  }
  expect(readdirSync(controller.dataDir)).not.toContain('written');
});

test('a command that is ended leaves no files behind', patience, async () => {
  const end = new AbortController();
  let watching: Promise<unknown> = Promise.resolve();
  await new Promise<void>((onText) => {
    watching = run('status --watch 1s', { signal: end.signal, onText });
    watching.catch(() => undefined);
  });
  end.abort(new Error('ended'));
  await expect(watching).rejects.toThrow('ended');
  expect(readdirSync(uploads)).toEqual([]);
});
