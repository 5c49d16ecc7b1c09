import { describe, expect, test } from 'vitest';
import { statusId, type StatusKind } from '../../core/status.ts';
import { cli, controller, prepareCli, writeCharm, outputOf as ok } from '../../testing/cli-world.ts';
import { eventually } from '../../testing/eventually.ts';

let model: string;

/**
 * Fills the model: it has mysql/0, which is dying on machine 0, whose agent is lost; and spare/0, which waits for
 * nothing.
 */
prepareCli(async () => {
  await ok('add-model shop');
  await ok('add-model empty --no-switch');
  writeCharm('mysql');
  await ok('deploy ./mysql');
  const shown = JSON.parse(await ok('show-model --format json')) as { shop: { 'model-uuid': string } };
  model = shown.shop['model-uuid'];
  await eventually(async () => expect(await ok('explain 0')).toContain('instance '));
  await say('machine-agent', '0', 'started');
  await say('unit-agent', 'mysql/0', 'idle');
  await controller.running().store.change((root) => {
    const tx = root.in(model);
    tx.put('unit', 'mysql/0', { ...tx.get('unit', 'mysql/0')!, deployed: true });
  }, 'test');
  await ok('remove-unit mysql/0 --no-prompt');
});

const say = (kind: StatusKind, entity: string, status: string, message = ''): Promise<void> =>
  controller.running().store.change((tx) => {
    tx.in(model).put('status', statusId(kind, entity), { kind, entity, status, message, since: tx.now });
  }, 'test');
/** Replaces ages and the simulated instance's name, which differ from run to run. */
const plain = (text: string): string =>
  text.replace(/\b\d+s\b/g, 'Ns').replace(/instance \S+/g, 'instance I');

describe('explain', () => {
  test('explain shows the use of a user’s limits, with or without the word user', async () => {
    const text = await ok('explain user admin');
    expect(text).toMatch(
      /^user admin: has superuser access\n\nLimits:\n {2}models: \d+ of 1,000 entries \(0 %\)\n {2}credentials: \d+ of 100 entries \(\d+ %\)\n$/,
    );
    expect(await ok('explain admin')).toBe(text);
    const json = JSON.parse(await ok('explain user admin --format json')) as { quotas: unknown[] };
    expect(json).toMatchObject({ explanation: { kind: 'user', id: 'admin' }, next: [] });
    expect(json.quotas).toContainEqual(expect.objectContaining({ limit: 'credentialsOfUser', max: 100 }));
    expect(await ok('explain user admin --format yaml')).toContain('limit: modelsOfUser');
    expect(await cli.run('explain user nobody')).toMatchObject({
      code: 1,
      stderr: 'ERROR user "nobody" not found\n',
    });
    expect((await cli.run('explain nobody')).stderr).toContain('"nobody" not found');
  });

  test('explain shows the chain of causes down to the user, with helpful commands', async () => {
    expect(plain(await ok('explain mysql'))).toMatchInlineSnapshot(`
      "application mysql: alive, its unit needs attention
      └─ unit mysql/0: dying for Ns, its agent is lost with that of machine 0
         └─ machine 0: alive, its agent has no connection; instance I is running

      Who must act:
        you, for machine 0 (Ns): make sure that the machine runs and reaches the controller, or remove it
            grigri remove-machine 0 --force  # removes machine 0 and the unit on it
        you, for unit mysql/0 (Ns): reconnect the agent, or force the removal of the unit
            grigri remove-unit mysql/0 --force  # removes unit mysql/0 without its agent
      "
    `);
  });

  test('explain names the model in suggested commands when it is not the current one', async () => {
    const text = await ok('explain mysql/0 -m shop');
    expect(text).toContain('grigri remove-unit mysql/0 --force -m shop ');
    expect(await ok('explain empty')).toContain('grigri destroy-model empty ');
    expect(await ok('explain model empty')).toContain('model empty: alive');
  });

  test('explain names the controller and not the model in commands about credentials', async () => {
    await controller.running().store.change((root) => {
      const empty = [...root.list('model')].find(({ name }) => name === 'empty')!;
      root.put('model', empty.uuid, { ...empty, credential: 'test_admin_mine' });
      const tx = root.in(empty.uuid);
      tx.put('status', statusId('model', ''), {
        kind: 'model',
        entity: '',
        status: 'suspended',
        message: 'expired',
        since: tx.now,
        data: { class: 'credential', message: 'expired', next: tx.now },
      });
    }, 'test');
    const text = await ok('explain -m empty');
    expect(text).toMatch(/grigri update-credential test mine +#/);
    expect(text).toMatch(/grigri set-credential test <credential> -m empty +#/);
    expect(await ok('explain -m ctrl:empty')).toMatch(/grigri update-credential test mine -c ctrl +#/);
  });

  test('explain has structured output, which can be written to a file', async () => {
    const answer = JSON.parse(await ok('explain 0 --format json')) as Record<string, unknown>;
    expect(answer).toMatchObject({
      explanation: {
        kind: 'machine',
        id: '0',
        life: 'alive',
      },
      next: [
        { kind: 'operator', name: 'machine 0', commands: [{ line: 'grigri remove-machine 0 --force' }] },
      ],
    });
    expect(await ok('explain 0 --format yaml')).toMatch(/^now: /);
    expect(await ok('explain 0 -o out.txt')).toBe('');
  });

  test('explain suggests similar names for an unknown one, with exit code 1', async () => {
    expect(await cli.run('explain mysq')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'ERROR "mysq" not found; did you mean "mysql"?\n',
    });
    expect((await cli.run('explain mysql/3')).stderr).toBe(
      'ERROR unit "mysql/3" not found; mysql has unit mysql/0\n',
    );
    expect(await cli.run('explain mysql --format dot')).toMatchObject({ code: 2 });
  });
});

test('removals lists forced removals', async () => {
  expect(await cli.run('removals')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Model "admin/shop" has no pending removals.\n',
  });
  await ok('remove-unit mysql/0 --force --no-prompt');
  const [head, row] = plain(await ok('removals')).split('\n');
  expect(head!.split(/ {2,}/)).toEqual(['Entity', 'Life', 'For', 'Cleared at', 'Asked by', 'Waits for']);
  expect(row!.split(/ {2,}/)).toEqual([
    'unit mysql/0',
    'dying',
    'Ns',
    expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    'admin',
    'the agent of machine 0 is lost',
  ]);
  expect(JSON.parse(await ok('removals --format json'))).toMatchObject({
    total: 1,
    removals: [{ name: 'unit mysql/0', force: { by: 'user-admin' } }],
  });
});

test('retry-provisioning retries the machines that failed', async () => {
  await say('instance', '0', 'provisioning error', 'no quota');
  expect(await cli.run('retry-provisioning 0')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('machine 0 is not in an error state'),
  });
  expect(await cli.run('retry-provisioning --all')).toMatchObject({ code: 0 });
  expect(await cli.run('retry-provisioning')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'ERROR no machine specified\n',
  });
  expect(await cli.run('retry-provisioning mysql')).toMatchObject({ code: 2 });
});
