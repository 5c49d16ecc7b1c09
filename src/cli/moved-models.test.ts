/** What the client says, and keeps in its files, of a model that has gone to another controller. */
import { expect, test } from 'vitest';
import { knowController, testCli } from '../testing/cli.ts';
import { migrationWorld } from '../testing/migration-world.ts';

test('a model that has moved is found by its name and its UUID, and the client learns where it is', async () => {
  await using world = await migrationWorld();
  using cli = testCli();
  await knowController(cli, world.target, 'mb');
  await knowController(cli, world.source, 'ma');
  const uuid = world.model;
  expect((await cli.run('status -m ma:work')).code).toBe(0);
  await world.begin();
  await world.until('DONE');
  const moved =
    'ERROR the model has been migrated to controller "mb".\n\nTo access it, use "-m mb:<model>", or "grigri switch mb".\n';
  const said = (line: string): Promise<string> => cli.run(line).then(({ stderr }) => stderr);
  // The controller does not list the model any more, so its own entry goes.
  expect(await cli.run('models -c ma')).toMatchObject({ code: 0 });
  expect(Object.keys(await cli.store.models('ma'))).toEqual(['admin/controller']);
  expect((await cli.store.models('mb'))['admin/work']).toMatchObject({ uuid });
  for (const line of [
    `status -m ma:work`,
    `status -m ma:${uuid}`,
    'show-model ma:work',
    'dump-model ma:work',
  ])
    expect(await said(line)).toBe(moved);
  expect(await said('status -m ma:nothing')).toBe('ERROR model ma:admin/nothing not found\n');
  expect((await cli.run('status -m mb:work')).code).toBe(0);
});

test('a model that has moved is recorded in the controller that a connection was sent to', async () => {
  await using world = await migrationWorld({ machines: 0 });
  using cli = testCli();
  await knowController(cli, world.target, 'mb');
  await knowController(cli, world.source, 'ma');
  await cli.run('status -m ma:work');
  await world.begin();
  await world.until('DONE');
  expect((await cli.run('status -m ma:work')).stderr).toContain('migrated to controller "mb"');
  expect((await cli.store.models('mb'))['admin/work']).toMatchObject({ uuid: world.model, type: 'iaas' });
});

test('a client that does not know the controller to which a model has moved is told how to log in to it', async () => {
  await using world = await migrationWorld({ machines: 0 });
  using cli = testCli();
  await knowController(cli, world.source, 'ma');
  await cli.run('status -m ma:work');
  await world.begin();
  await world.until('DONE');
  expect((await cli.run('status -m ma:work')).stderr).toMatch(
    /^ERROR the model has been migrated to controller "(\S+)"\.\n\nTo access it, log in to that controller: "grigri login \S+:\d+ -c \1"\.\n$/,
  );
});
