/** Offers of another controller on the command line. */
import { afterAll, expect, test } from 'vitest';
import { knowController } from '../testing/cli.ts';
import { cli, outputOf, prepareCli, succeed, writeCharm } from '../testing/cli-world.ts';
import { testController, type TestController } from '../testing/controller.ts';

let far: TestController;

prepareCli(async () => {
  far = await testController();
  await knowController(cli, far, 'far');
  writeCharm('mysql', 'provides:\n  server: mysql\n');
  writeCharm('wordpress', 'requires:\n  db: mysql\n');
  await succeed('add-model -c far data');
  await succeed('deploy -m far:data ./mysql');
  await succeed('offer -c far data.mysql:server db');
  await succeed('switch ctrl');
  await succeed('add-model shop');
  await succeed('deploy -m ctrl:shop ./wordpress');
});
afterAll(() => far[Symbol.asyncDispose]());

async function run(line: string): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line);
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}

test('an offer of another controller is found, shown, consumed, integrated, and removed', async () => {
  expect(await run('find-offers far:')).toContain('far    admin/data.db  admin   mysql:server');
  expect(await run('find-offers -c far')).toContain('far    admin/data.db  admin   mysql:server');
  expect(await run('show-offer far:admin/data.db')).toContain('far    admin/data.db  admin');
  expect(await run('show-offer -c far admin/data.db')).toContain('far    admin/data.db  admin');
  expect(await run('show-offer -c far db')).toBe(
    '2: ERROR with --controller, offers are given by their URLs: [<user>/]<model>.<offer>\n',
  );
  expect(await run('consume -m ctrl:shop far:admin/data.db sql')).toBe('Added admin/data.db as sql\n');
  expect(await run('consume -m ctrl:shop nowhere:admin/data.db')).toContain('controller nowhere not found');
  expect(await run('consume -m ctrl:shop far:admin/data.other')).toBe(
    '1: ERROR application offer "admin/data.other" not found\n',
  );
  expect(await run('integrate -m ctrl:shop wordpress far:data.db:server')).toBe('');
  const status = JSON.parse(await outputOf('status -m ctrl:shop --format json')) as unknown;
  expect(status).toMatchObject({
    'application-endpoints': {
      db: { url: 'far:admin/data.db', relations: { server: ['wordpress'] } },
      sql: { url: 'far:admin/data.db' },
    },
  });
  for (const name of ['db', 'sql']) await succeed(`remove-saas -m ctrl:shop ${name}`);
  expect(await run('remove-offer -c far -y --force admin/data.db')).toBe('');
  expect(await run('find-offers far:')).toContain('no matching application offers found');
});
