import { describe, expect, test } from 'vitest';
import { JujuError, notFound, permissionDenied } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { silentLog } from '../kit/log.ts';
import { fakeHookContext, type FakeHookContext } from '../testing/hook-context.ts';
import { hookEnvironment } from './environment.ts';
import { runTool, type ToolResult } from './run-tool.ts';
import type { HookSecrets, OwnSecret } from './secrets.ts';

const added = '9m4e2mr0ui3e8a215n4g';
const known = 'cffr2mr0ui3e8a215n40';
const model = '5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const own: OwnSecret = {
  id: known,
  revision: 3,
  label: 'pw',
  description: 'a password',
  owner: 'application',
  rotate: 'daily',
  rotates: '2026-01-02T00:00:00.000Z',
  access: [{ target: 'application-mysql', scope: 'relation-web.db#mysql.db', role: 'view' }],
};
/** UUID of another model, which has a secret of the same id. */
const elsewhere = '11111111-4c39-4b7e-8a4e-7a3c62c3b0d1';
/** Application's secret `known` with the label `pw`; new ids are `added`. */
const secrets: HookSecrets = {
  newId: () => Promise.resolve(added),
  read: ({ id, label }) => {
    if (id === known || label === 'pw')
      return Promise.resolve({ id: known, content: { password: base64('old'), 'raw-key': '/w==' } });
    if (id === `${elsewhere}/${known}`) return Promise.resolve({ id, content: { password: base64('far') } });
    if (id === '') return Promise.reject(notFound('consumer label', label));
    return Promise.reject(id === added ? notFound('secret', `secret:${id}`) : permissionDenied());
  },
  own: ({ id, label } = {}) =>
    (id === undefined && label === undefined) || id === known || label === 'pw'
      ? Promise.resolve([own])
      : Promise.reject(notFound('secret', id ?? label ?? '')),
};

const contextOf = (leader = true): FakeHookContext => fakeHookContext({ leader, secrets });

async function call(
  context: FakeHookContext,
  words: string,
  files: Readonly<Record<string, Buffer>> = {},
): Promise<ToolResult> {
  const [name = '', ...args] = words.split(' ');
  return await runTool({
    context,
    name,
    args,
    signal: new AbortController().signal,
    readFile: async (path) => {
      const content = files[path];
      if (!content) throw new JujuError('', `cannot read ${path}: No such file or directory`);
      return await Promise.resolve(content);
    },
    inTurn: async (run) => await run(),
    log: silentLog,
  });
}
const done = (stdout = '') => ({ stdout, stderr: '', code: 0 });

describe('errors', () => {
  const rows: [words: string, code: number, message: string, leader?: boolean][] = [
    ['secret-add', 2, 'missing secret value or filename'],
    ['secret-add a=b --owner model', 2, 'secret owner "model" not valid'],
    ['secret-add ab=c', 1, 'secret key "ab" not valid'],
    ['secret-add Key=c', 1, 'secret key "Key" not valid'],
    ['secret-add password#base64=%', 1, 'value of secret key "password" is not base64'],
    ['secret-add password#file=/p', 1, 'cannot read /p: No such file or directory'],
    ['secret-add password=x --rotate often', 2, 'rotate policy "often" not valid'],
    ['secret-add password=x --expire soon', 2, 'expire time or duration "soon" not valid'],
    ['secret-add password=x --expire -1h', 2, 'negative expire duration "-1h" not valid'],
    ['secret-add password=x', 1, 'this unit is not the leader', false],
    ['secret-get', 2, 'require either a secret URI or label'],
    ['secret-get secret:x', 2, 'secret URI "secret:x" not valid'],
    [`secret-get ${known} --peek --refresh`, 2, 'specify one of --peek or --refresh but not both'],
    [`secret-get ${known} nothing`, 1, 'secret key value "nothing" not found'],
    [`secret-get ${known} a b`, 2, 'unrecognized args: ["b"]'],
    [`secret-get ${known} raw-key`, 1, 'value of secret key "raw-key" is not text: use raw-key#base64'],
    [`secret-get ${added}`, 1, `secret "secret:${added}" not found`],
    ['secret-get cffr2mr0ui3e8a215n4g', 1, 'permission denied'],
    ['secret-get --label x', 1, 'consumer label "x" not found'],
    [
      `secret-set secret://${elsewhere}/${known} password=x`,
      1,
      `secret "secret://${elsewhere}/${known}" not found`,
    ],
    [`secret-info-get ${added}`, 1, `secret "${added}" not found`],
    [`secret-info-get ${known}`, 1, `secret "${known}" not found`, false],
    [`secret-set ${known} password=x`, 1, 'this unit is not the leader', false],
    [`secret-remove ${known}`, 1, 'this unit is not the leader', false],
    [`secret-grant ${known} -r db:7`, 1, 'this unit is not the leader', false],
    [`secret-revoke ${known} --app mysql`, 1, 'this unit is not the leader', false],
    [`secret-revoke ${known} --app mysql --unit mysql/0`, 2, 'specify only one of application or unit'],
    [`secret-grant ${known}`, 2, 'no relation id specified'],
    [`secret-grant ${known} -r db:8`, 2, 'invalid value "db:8" for option -r: relation not found'],
    [`secret-grant ${known} -r db:7 --unit web/1`, 2, 'unit "web/1" is not in relation db:7'],
    ['secret-remove', 2, 'missing secret URI'],
    [`secret-remove ${known} --revision x`, 2, 'invalid value "x" for option --revision: parse error'],
  ];
  test.each(rows)('%s with exit code %i: %s', async (words, code, message, leader = true) => {
    const context = contextOf(leader);
    expect(await call(context, words)).toEqual({ stdout: '', stderr: `ERROR ${message}\n`, code });
    expect(context.changes).toEqual(contextOf().changes);
  });
});

test('a content at the limit is accepted, one above it is not, and errors do not show it', async () => {
  const { secretContent, secretKeys, secretKey } = limits;
  const text = (bytes: number): Buffer => Buffer.alloc(bytes, 'x');
  const most = (secretContent.max / 4) * 3;
  expect(await call(contextOf(), 'secret-add big#file=/f', { '/f': text(most) })).toMatchObject({ code: 0 });
  const refused = await call(contextOf(), 'secret-add big#file=/f', { '/f': text(most + 1) });
  expect(refused.stderr).toBe('ERROR secret content for key "big" too large: 1000004 bytes\n');
  const keys = Array.from({ length: secretKeys.max + 1 }, (_, n) => `key${n}=1`).join(' ');
  expect((await call(contextOf(), `secret-add ${keys}`)).stderr).toContain('more than 1000 keys');
  const longKey = 'k'.repeat(secretKey.max + 1);
  expect(await call(contextOf(), `secret-add ${longKey}=v`)).toMatchObject({ code: 1 });
});

test('a secret is added with its settings; the hook reads it at once', async () => {
  const context = contextOf();
  const words = `secret-add --label new --rotate weekly --expire 2h --description d --owner unit password=a=b cert#file=/c raw#base64=/w==`;
  expect(await call(context, words, { '/c': Buffer.from([0xfe]) })).toEqual(
    done(`secret://${model}/${added}\n`),
  );
  expect([...context.changes.secrets.create]).toEqual([
    [
      added,
      {
        label: 'new',
        rotate: 'weekly',
        expire: '2h',
        description: 'd',
        owner: 'unit',
        content: { password: base64('a=b'), cert: '/g==', raw: '/w==' },
      },
    ],
  ]);
  expect(await call(context, `secret-get ${added} password`)).toEqual(done('a=b\n'));
  expect(await call(context, 'secret-get --label new password#base64')).toEqual(done(`${base64('a=b')}\n`));
  expect(await call(context, 'secret-ids')).toEqual(done(`${known}\n${added}\n`));
  expect(await call(context, `secret-info-get ${added} --format json`)).toEqual(
    done(`{"${added}":{"description":"d","label":"new","owner":"unit","revision":1,"rotation":"weekly"}}\n`),
  );
  await call(context, `secret-set ${added} password=c`);
  expect(await call(context, `secret-get ${added}`)).toEqual(done('password: c\n'));
  await call(context, `secret-remove ${added}`);
  const { changes } = contextOf();
  changes.secrets.dropped.add(added);
  expect(context.changes).toEqual(changes);
});

test('the flag --file of secret-add replaces the values of arguments', async () => {
  const context = contextOf();
  const file = Buffer.from('password: 0644\nother#base64: YQ==\n');
  await call(context, 'secret-add ignored=x --file /f', { '/f': file });
  expect(context.changes.secrets.create.get(added)?.content).toEqual({
    password: base64('0644'),
    other: 'YQ==',
  });
});

test('a new revision is read by peek or refresh only, and refresh makes the unit track it', async () => {
  const context = contextOf();
  await call(context, `secret-set ${known} password=new`);
  await call(context, `secret-set ${known} --label renamed`);
  expect([...context.changes.secrets.update]).toEqual([
    [known, { content: { password: base64('new') }, label: 'renamed' }],
  ]);
  expect(await call(context, `secret-get ${known} password`)).toEqual(done('old\n'));
  expect(await call(context, `secret-get ${known} password --peek`)).toEqual(done('new\n'));
  expect(context.changes.secrets.track.size).toBe(0);
  expect(await call(context, 'secret-get --label renamed password --refresh')).toEqual(done('new\n'));
  expect([...context.changes.secrets.track]).toEqual([known]);
});

test('the content and the description of a secret are printed as YAML and JSON', async () => {
  expect(await call(contextOf(), `secret-get secret://${model}/${known} password --format json`)).toEqual(
    done('"old"\n'),
  );
  expect((await call(contextOf(), `secret-get ${known} --format json`)).stdout).toContain('"password":"old"');
  expect((await call(contextOf(), 'secret-info-get --label pw')).stdout).toBe(
    `${known}:
  access:
  - role: view
    scope: relation-web.db#mysql.db
    target: application-mysql
  description: a password
  label: pw
  owner: application
  revision: 3
  rotates: "2026-01-02T00:00:00Z"
  rotation: daily
`,
  );
});

test('grants go to the application of the relation, or to one of its units; revoking takes back those of the hook', async () => {
  const context = contextOf();
  const { grant, revoke, remove } = context.changes.secrets;
  await call(context, `secret-grant ${known} -r db:7`);
  await call(context, `secret-grant ${known} -r 7 --unit mysql/1`);
  await call(context, `secret-revoke ${known} --unit mysql/1`);
  expect(grant).toEqual([{ id: known, subject: { kind: 'application', id: 'mysql' }, relation: 7 }]);
  await call(context, `secret-revoke ${known} -r db:7`);
  expect(grant).toEqual([]);
  expect(revoke.map(({ subject }) => subject.id)).toEqual(['mysql/1', 'mysql']);
  await call(context, `secret-remove ${known} --revision 2`);
  expect(remove).toEqual([{ id: known, revision: 2 }]);
  await call(context, `secret-remove ${known}`);
  expect(revoke).toEqual([]);
  expect(remove).toEqual([{ id: known }]);
  await call(context, `secret-remove ${known}`);
  await call(context, `secret-remove ${known} --revision 2`);
  expect(remove).toEqual([{ id: known }]);
});

test('a follower knows only the unit’s own secrets', async () => {
  expect(await call(contextOf(false), 'secret-ids')).toEqual(done(''));
});

test('a secret that the hook adds is described with its expiry, where that is a time', async () => {
  const context = contextOf();
  await call(context, 'secret-add --expire 2020-01-01T00:00:00Z --label new word=one');
  expect((await call(context, 'secret-info-get --label new')).stdout).toContain(
    'expiry: "2020-01-01T00:00:00Z"',
  );
  await call(context, `secret-set ${added} --expire 1h`);
  expect((await call(context, `secret-info-get ${added}`)).stdout).not.toContain('expiry');
});

test('a label that the hook gives a secret finds it for secret-info-get and secret-get', async () => {
  const context = contextOf();
  await call(context, `secret-set ${known} --label other word=new`);
  expect((await call(context, 'secret-info-get --label other')).stdout).toContain(`${known}:`);
  expect((await call(context, 'secret-get --label other --peek word')).stdout).toBe('new\n');
});

test.each([
  [['secret-remove ID --revision 1', 'secret-remove ID']],
  [['secret-remove ID', 'secret-remove ID']],
  [['secret-set ID word=two', 'secret-grant ID -r 7', 'secret-remove ID --revision 1', 'secret-remove ID']],
])('a secret that a hook adds and takes away by %j leaves nothing', async (commands) => {
  const context = contextOf();
  for (const command of ['secret-add word=one', ...commands])
    expect((await call(context, command.replace('ID', added))).stderr, command).toBe('');
  const { create, update, grant, remove } = context.changes.secrets;
  expect([create.size, update.size, grant, remove]).toEqual([0, 0, [], []]);
});

test('a secret of another model is read by its URI, and is none of those that the unit may change', async () => {
  const context = contextOf();
  const uri = `secret://${elsewhere}/${known}`;
  expect(await call(context, `secret-get ${uri} password`)).toMatchObject({ stdout: 'far\n', code: 0 });
  for (const words of ['secret-info-get', 'secret-grant -r db:7', 'secret-remove'])
    expect(await call(context, `${words} ${uri}`)).toMatchObject({
      stderr: `ERROR secret "${uri}" not found\n`,
    });
});

test.each([
  [known, `secret:${known}`],
  [`${elsewhere}/${known}`, `secret://${elsewhere}/${known}`],
])('a hook about the secret %s names it %s', (id, uri) => {
  const context = fakeHookContext({ event: { name: 'secret-changed', secret: { id, label: '' } } });
  const parts = {
    charmDir: '/c',
    toolsDir: '/t',
    socketPath: '/s',
    contextId: 'x',
    dispatchPath: '',
    home: '/',
  };
  expect(hookEnvironment({ context, ...parts })['JUJU_SECRET_ID']).toBe(uri);
});
