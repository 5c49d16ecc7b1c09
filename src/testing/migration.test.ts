/** A model goes from one real controller to another, with real agents; only the machines are simulated. */
import { expect, test } from 'vitest';
import { connect } from '../client/connect.ts';
import { readRedirection } from '../wire/redirection.ts';
import { migrationWorld } from './migration-world.ts';

test('a model goes to another controller, and whoever asks the first one is sent there', async () => {
  await using world = await migrationWorld();
  expect(await world.begin(true)).toMatchObject({ 'migration-id': '' });
  expect(world.phase()).toBeUndefined();
  expect(await world.begin()).toEqual({
    'model-tag': `model-${world.model}`,
    'migration-id': `${world.model}:0`,
  });
  await world.until('DONE');
  await world.expectAt('target');
  const error: unknown = await connect(world.source.connectOptions(world.model)).catch(
    (caught: unknown) => caught,
  );
  const to = readRedirection(error)!;
  expect(to).toMatchObject({ alias: 'new', caCert: world.target.caCert });
  const { login } = world.target.connectOptions();
  const connection = await connect({ ...to, modelUuid: world.model, login });
  expect(connection.login.modelTag).toBe(`model-${world.model}`);
  await connection.close();
});
