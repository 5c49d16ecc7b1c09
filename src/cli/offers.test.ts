import { expect, test } from 'vitest';
import { cli, controller, outputOf, prepareCli, succeed, writeCharm } from '../testing/cli-world.ts';

prepareCli(async () => {
  writeCharm('mysql', 'provides:\n  server: mysql\n  admin: mysql-root\n');
  writeCharm('wordpress', 'requires:\n  db: mysql\n');
  for (const model of ['data', 'shop']) await controller.addModel(model);
  await succeed('deploy ./mysql -m data');
  await succeed('deploy ./wordpress -m shop');
});

/** Runs a command and returns its output, messages and exit code. */
async function run(line: string): Promise<string> {
  const { code, stdout, stderr } = await cli.run(line);
  return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
}
const json = async (line: string): Promise<unknown> =>
  JSON.parse(await outputOf(`${line} --format json`)) as unknown;
const trimmed = (text: string): string[] => text.split('\n').map((line) => line.trimEnd());

test('an application is offered, found, consumed, integrated, suspended, and all of it is removed', async () => {
  expect(await run('offer -m data mysql:server,admin db')).toBe(
    'Application "mysql" endpoints [server, admin] available at "admin/data.db"\n',
  );
  expect(await run('offer data.mysql:server db')).toBe(
    'Application "mysql" endpoints [server] available at "admin/data.db"\n',
  );
  expect(trimmed(await run('find-offers'))).toEqual([
    'Store  URL            Access  Interfaces',
    'ctrl   admin/data.db  admin   mysql:server',
    '',
  ]);
  expect(trimmed(await run('show-offer admin/data.db'))).toEqual([
    'Store  URL            Access  Description  Endpoint  Interface  Role',
    'ctrl   admin/data.db  admin   d            server    mysql      provider',
    '',
  ]);
  expect(await run('consume -m shop data.db sql')).toBe('Added admin/data.db as sql\n');
  expect(await run('integrate -m shop wordpress sql')).toBe('');
  await expect
    .poll(async () => trimmed(await outputOf('offers -m data')))
    .toEqual([
      'Offer  User   Relation ID  Status   Endpoint  Interface  Role      Ingress subnets',
      'db     admin  0            joining  server    mysql      provider',
      '',
    ]);
  expect(await json('status -m shop')).toMatchObject({
    'application-endpoints': {
      sql: {
        url: 'ctrl:admin/data.db',
        endpoints: { server: { interface: 'mysql', role: 'provider' } },
        relations: { server: ['wordpress'] },
      },
    },
    applications: {
      wordpress: { relations: { db: [{ 'related-application': 'sql', interface: 'mysql' }] } },
    },
  });
  expect(await json('status -m data')).toMatchObject({
    offers: {
      db: {
        application: 'mysql',
        'total-connected-count': 1,
        endpoints: { server: { interface: 'mysql', role: 'provider' } },
      },
    },
  });
  // A count of zero is left out, as in Juju's output.
  expect(await outputOf('status -m data --format json')).not.toContain('active-connected-count');
  expect(await outputOf('status -m shop')).toMatch(
    /^SAAS +Status +Store +URL *\nsql +\w+ +ctrl +admin\/data\.db/m,
  );
  expect(await outputOf('status -m data')).toMatch(
    /^Offer +Application +Charm +Rev +Connected +Endpoint +Interface +Role *\ndb +mysql +mysql +0 +0\/1 +server +mysql +provider/m,
  );
  expect(await run('remove-application -m data mysql --no-prompt')).toContain(
    'application is used by 1 offer',
  );
  expect(await run('remove-offer -m data db')).toContain('offer has 1 relation');

  expect(await run('suspend-relation -m shop 0')).toContain(
    'cannot set suspend status for "wordpress:db sql:server" which is not associated with an offer',
  );
  expect(await run('suspend-relation -m data 0 --message audit')).toBe('');
  await expect.poll(async () => outputOf('status -m shop --relations')).toContain('suspended');
  expect(await run('resume-relation -m data 0')).toBe('');

  expect(await run('remove-saas -m shop sql')).toBe('removing SAAS application sql\n');
  await expect.poll(async () => outputOf('offers -m data')).toMatch(/^db +- *$/m);
  await expect.poll(async () => outputOf('status -m shop')).not.toContain('SAAS');
  expect(await run('integrate -m shop wordpress:db admin/data.db:server')).toBe('');
  await expect.poll(async () => outputOf('offers -m data')).toContain('joining');
  expect(await run('remove-offer -m data db --force -y')).toBe('');
  await expect.poll(async () => outputOf('status -m shop')).toContain('terminated');
  expect(await run('find-offers')).toBe('1: ERROR no matching application offers found\n');
  await succeed('remove-application -m data mysql --no-prompt');
});

test.each([
  ['offer', '2: ERROR an offer must at least specify application endpoint'],
  ['offer mysql', '2: ERROR endpoints must conform to format'],
  ['offer -m data nothing:db', 'application "nothing" not found'],
  ['consume', '2: ERROR no remote offer specified'],
  ['consume -m shop data.nothing', 'application offer "admin/data.nothing" not found'],
  ['consume -m shop other:data.db', 'controller other not found'],
  ['consume -m shop mysql', 'application offer URL has invalid form'],
  ['remove-saas', '2: ERROR no SAAS application names specified'],
  ['remove-saas -m shop nothing', 'saas application "nothing" not found'],
  ['suspend-relation', '2: ERROR no relation ids specified'],
  ['resume-relation x', '2: ERROR relation ID "x" not valid'],
  ['remove-offer', '2: ERROR no offers specified'],
  ['remove-offer -m data nothing', 'application offer "nothing" not found'],
  ['show-offer', '2: ERROR must specify endpoint URL'],
  ['show-offer data.nothing', 'application offer "admin/data.nothing" not found'],
])('%s is refused', async (line, message) => {
  expect(await run(line)).toContain(message);
});
