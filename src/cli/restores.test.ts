import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type TestCli } from '../testing/cli.ts';
import { testController, type TestController } from '../testing/controller.ts';

const restore = { id: 'r-1', backup: '2026-01-01T00:00:00.000Z', at: '2026-01-02T00:00:00.000Z' };

let cli: TestCli;
let controller: TestController;
let work: string;
beforeAll(async () => {
  cli = testCli();
  controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  work = await controller.addModel('work');
  await cli.run('switch work');
});
afterAll(async () => {
  cli[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

async function run(line: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line, input === undefined ? {} : { input });
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}

test('show-restore and accept-restore of a model that was not restored say so', async () => {
  const words = 'Model "admin/work" was not restored from a backup.\n';
  expect(await run('show-restore')).toBe(words);
  expect(await run('accept-restore')).toBe(words);
});

test('a restored model says that it waits, what differs and what becomes of it, and goes on when its operator has agreed', async () => {
  await controller.running().store.change((root) => {
    for (const model of root.list('model'))
      root.put('model', model.uuid, {
        ...model,
        restored: {
          ...restore,
          state: 'held',
          listed: true,
          ...(model.uuid === work && { volumes: { count: 1, ids: ['v-1'] } }),
        },
      });
  }, 'test');
  expect(await run('status')).toContain(
    `hooks wait: the model was restored from the backup of ${restore.backup}`,
  );
  expect(await run('explain')).toMatch(/grigri show-restore -m work[^]*grigri accept-restore -m work/);
  const shown =
    `Model "admin/work" was restored at ${restore.at} from the backup of ${restore.backup}. ` +
    'Until accept-restore, what is newer stays as it is, and no hook runs.\n';
  const table =
    'Kind Name Difference When accepted\n' +
    'volume v-1 no storage in the backup has it stays, unless the storage that it was made for was removed before the backup\n';
  const squeezed = (text: string): string => text.replaceAll(/ +/g, ' ');
  expect(squeezed(await run('show-restore'))).toBe(squeezed(shown + table));
  expect(JSON.parse((await cli.run('show-restore --format json')).stdout)).toMatchObject({
    restored: { id: 'r-1', state: 'held' },
    differences: [{ kind: 'volume', name: 'v-1' }],
  });
  expect(await run('accept-restore', 'n\n')).toMatch(
    /^1: [^]*Continue \[y\/N\]\? ERROR accepting the restore: aborted\n/,
  );
  expect(await run('show-restore')).toContain('Until accept-restore');
  expect(await run('accept-restore', 'y\n')).toContain('Model "admin/work" goes on.\n');
  expect(await run('show-restore')).toContain('that was accepted (--hooks keep).');
  expect(await run('status')).not.toContain('hooks wait');
});

test('accept-restore asks nothing where nothing differs', async () => {
  expect(await run('accept-restore -m controller --hooks rerun')).toMatch(
    /Nothing newer than that is known[^]*Model "admin\/controller" goes on\.\n$/,
  );
});

test.each(['show-restore', 'accept-restore'])('%s refuses another value of --hooks', async (command) => {
  expect(await run(`${command} --hooks both`)).toBe(
    '2: ERROR invalid value "both" for --hooks: expected keep or rerun\n',
  );
});
