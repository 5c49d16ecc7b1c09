import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, controller, outputOf, prepareCli, succeed, writeCharm } from '../../testing/cli-world.ts';

prepareCli(async () => {
  writeCharm('mysql', 'provides:\n  server: mysql\n  admin: mysql-root\n');
  writeCharm('wordpress', 'requires:\n  db: {interface: mysql, optional: false}\n');
  for (const model of ['data', 'shop']) await controller.addModel(model);
  await succeed('add-user bob');
});

function write(name: string, text: string): string {
  writeFileSync(join(cli.folder, name), text);
  return `./${name}`;
}
const said = async (line: string): Promise<string> => (await succeed(line)).stderr;

const data = `applications:
  mysql: {charm: ./mysql, num_units: 1}
--- # overlay
applications:
  mysql:
    offers:
      db: {endpoints: [server, admin], acl: {admin: admin, bob: consume}}
`;
const shop = `saas:
  sql: {url: data.db}
applications:
  wordpress: {charm: ./wordpress, num_units: 1}
relations:
- [wordpress, sql]
`;

test('an offer in one model’s bundle is consumed by another model’s bundle, and both models export it', async () => {
  const offering = write('data.yaml', data);
  const steps = `- upload charm ${cli.folder}/mysql
- deploy application mysql on ubuntu@24.04 using ${cli.folder}/mysql
- create offer db using mysql:server,admin
- grant user admin admin access to offer db
- grant user bob consume access to offer db
- add unit mysql/0 to new machine
`;
  expect(await said(`deploy ${offering} -m data --dry-run`)).toBe(`Changes to deploy bundle:\n${steps}`);
  expect((await cli.run('find-offers')).code).toBe(1);
  expect(await said(`deploy ${offering} -m data`)).toBe(
    `Executing changes:\n${steps}Deploy of bundle completed.\n`,
  );
  expect(await said(`deploy ${offering} -m data`)).toBe('No changes to apply.\n');
  expect(JSON.parse(await outputOf('show-offer data.db --format json'))).toMatchObject({
    'ctrl:admin/data.db': { users: { bob: { access: 'consume' }, admin: { access: 'admin' } } },
  });

  const consuming = write('shop.yaml', shop);
  expect(await said(`deploy ${consuming} -m shop`)).toBe(`Executing changes:
- upload charm ${cli.folder}/wordpress
- deploy application wordpress on ubuntu@24.04 using ${cli.folder}/wordpress
- consume offer sql at ctrl:admin/data.db
- add relation wordpress:db - sql:server
- add unit wordpress/0 to new machine
Deploy of bundle completed.
`);
  expect(await said(`deploy ${consuming} -m shop`)).toBe('No changes to apply.\n');
  expect(await outputOf(`diff-bundle ${consuming} -m shop`)).toBe('{}\n');

  // The relation belongs to the consuming model: the bundle of the offering model does not have it.
  await expect.poll(() => outputOf('offers -m data')).toMatch(/^db +admin +0 /m);
  expect(await outputOf('export-bundle -m data')).toContain(`--- # overlay.yaml
applications:
  mysql:
    offers:
      db:
        endpoints:
        - admin
        - server
        acl:
          admin: admin
          bob: consume
`);
  expect(await outputOf('export-bundle -m data')).not.toContain('relations');
  const exported = await outputOf('export-bundle -m shop');
  expect(exported).toContain('saas:\n  sql:\n    url: ctrl:admin/data.db\napplications:\n');
  expect(exported).toContain('relations:\n- - wordpress:db\n  - sql:server\n');
  expect(await outputOf(`diff-bundle ${write('exported.yaml', exported)} -m shop`)).toBe('{}\n');
  expect(await said(`deploy ./exported.yaml -m shop`)).toBe('No changes to apply.\n');
});

test.each([
  ['no-offer', 'data.none', 'saas "sql": application offer "admin/data.none" not found'],
  ['endpoint', 'data.db:server', 'saas.sql.url: an endpoint belongs into relations'],
])('an offer that cannot be consumed is refused before anything is changed: %s', async (model, url, why) => {
  await succeed(`add-model ${model}`);
  const { code, stderr } = await cli.run(
    `deploy ${write('shop.yaml', shop.replace('data.db', url))} -m ${model}`,
  );
  expect(code).toBe(1);
  expect(stderr).toContain(why);
  expect(await outputOf(`status -m ${model} --format json`)).toContain('"applications":{}');
});

test('another offer under the name of a consumed one is refused before anything is changed; one that was made anew is consumed', async () => {
  await controller.addModel('third');
  await succeed('deploy ./mysql -m third -n 0');
  for (const offer of ['one', 'two']) await succeed(`offer -m third mysql:server ${offer}`);
  await controller.addModel('customer');
  const wanted = (offer: string): string =>
    write(
      'customer.yaml',
      `saas: {sql: {url: third.${offer}}}\napplications: {wordpress: {charm: ./wordpress}}\n`,
    );
  await succeed(`apply ${wanted('one')} -m customer --no-prompt`);
  for (const line of ['plan', 'deploy'])
    expect(await cli.run(`${line} ${wanted('two')} -m customer`)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'ERROR saas "sql": the model has consumed another offer, ctrl:admin/third.one, under this name: give ctrl:admin/third.two another name in the file, or run remove-saas sql first\n',
    });
  await succeed('remove-offer -m third admin/third.one --force --no-prompt');
  await expect.poll(() => outputOf('status -m customer')).toMatch(/^sql +terminated /m);
  await succeed('offer -m third mysql:server one');
  expect(await outputOf(`plan ${wanted('one')} -m customer`)).toContain(
    '~ saas sql\n    url: "ctrl:admin/third.one (terminated)" → ctrl:admin/third.one\n',
  );
});
