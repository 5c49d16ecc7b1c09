/** Users by commands, against a controller: from add-user to remove-user. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { knowController, testCli, type CliRun, type TestCli } from '../testing/cli.ts';
import { eventually } from '../testing/eventually.ts';
import { testController, type TestController } from '../testing/controller.ts';

let controller: TestController;
let admin: TestCli;
let bob: TestCli;
beforeEach(async () => {
  controller = await testController();
  admin = testCli();
  bob = testCli();
  await knowController(admin, controller);
});
afterEach(async () => {
  admin[Symbol.dispose]();
  bob[Symbol.dispose]();
  await controller[Symbol.asyncDispose]();
});

const token = ({ stdout }: CliRun): string => /juju register (\S+)/.exec(stdout)![1]!;
/** Adds bob and registers him on his own computer. */
async function join(password = 'first'): Promise<CliRun> {
  const added = await admin.run('add-user bob');
  return bob.run(`register ${token(added)}`, { input: `${password}\n${password}\n\n` });
}

test('add-user prints the command that the new user runs, and that register command adds the controller', async () => {
  const added = await admin.run(['add-user', 'bob', 'Bob B']);
  expect(added.stdout.replace(/register \S+/, 'register TOKEN')).toMatchInlineSnapshot(`
    "User "Bob B (bob)" added
    Please send this command to bob:
        juju register TOKEN

    "Bob B" has not been granted access to any models. You can use "juju grant" to grant access.
    "
  `);
  const registered = await bob.run(`register ${token(added)}`, {
    input: 'first\nfirst\n\n',
  });
  expect(registered.stderr).toMatchInlineSnapshot(`
    "Enter a new password: Confirm password: Enter a name for this controller [ctrl]: Welcome, bob. You are now logged into "ctrl".

    There are no models available. You can add models with
    "grigri add-model", or you can ask an administrator or owner
    of a model to grant access to that model with "grigri grant".
    "
  `);
  expect(registered.code).toBe(0);
  expect(await bob.store.account('ctrl')).toEqual({ user: 'bob', 'last-known-access': 'login' });
  expect((await bob.run('whoami')).stdout).toContain('bob');
  expect((await bob.run('models')).stderr).toContain('There are no models available');
  const again = await bob.run(`register ${token(added)}`, { input: 'x\nx\nother\n' });
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain('This controller has already been registered on this client as "ctrl"');
  const stolen = await admin.run(`register --replace ${token(added)}`, { input: 'x\nx\nother\n' });
  expect(stolen.stderr).toContain('secret key for user "bob" not found');
});

test.each([1, 2, 30])('register tells of %i models that the user may see', async (count) => {
  const names = Array.from({ length: count }, (_, i) => `m${i}`);
  const added = await admin.run('add-user bob');
  for (const name of names) await controller.addModel(name);
  expect(await admin.run(['grant', 'bob', 'read', ...names.map((name) => `admin/${name}`)])).toMatchObject({
    code: 0,
  });
  const { stderr } = await bob.run(`register ${token(added)}`, {
    input: 'first\nfirst\n\n',
    program: 'juju',
  });
  const lines = stderr.slice(stderr.indexOf('\n') + 1).split('\n');
  const current = await bob.store.currentModel('ctrl');
  if (count === 1) {
    expect(lines).toEqual(['', 'Current model set to "admin/m0".', '']);
    expect(current).toBe('admin/m0');
    return;
  }
  expect(current).toBeUndefined();
  expect(lines.slice(0, 3)).toEqual([
    '',
    `There are ${count} models available. Use "juju switch" to select`,
    'one of them:',
  ]);
  expect(lines.slice(3, -1)).toEqual(names.map((name) => `  - juju switch admin/${name}`).sort());
  expect(await bob.run('switch admin/m1')).toMatchObject({ code: 0 });
});

test('register asks again until passwords are equal and the name is free', async () => {
  const added = await admin.run('add-user bob');
  const differ = await bob.run(`register ${token(added)}`, { input: 'one\ntwo\n\n' });
  expect(differ.stderr).toContain('passwords do not match');
  const none = await bob.run(`register ${token(added)}`, { input: '\n\n\n' });
  expect(none.stderr).toContain('you must enter a password');
  const named = await bob.run(`register ${token(added)}`, { input: 'one\none\n../evil\nmine\n' });
  expect(named.stderr).toContain('"../evil" is not a valid controller name\n');
  expect(named.stderr).toContain('You are now logged into "mine"');
  expect(Object.keys(await bob.store.controllers())).toEqual(['mine']);
});

test('access is granted to users of other domains without add-user, and shown', async () => {
  await controller.addModel('shared');
  for (const line of [
    'grant mary@external login',
    'grant mary@external write shared',
    'grant everyone@external read shared',
    'grant-cloud mary@external add-model test',
  ])
    expect(await admin.run(line)).toEqual({ code: 0, stdout: '', stderr: '' });
  const { stdout } = await admin.run('users shared');
  expect(stdout).toMatch(/^mary@external +write +never connected$/m);
  expect(stdout).toMatch(/^everyone@external +read +never connected$/m);
  expect((await admin.run('show-user mary@external')).stdout).toBe(
    'user-name: mary@external\ndisplay-name: ""\naccess: login\ndate-created: ""\nlast-connection: never connected\n',
  );
  expect((await admin.run('revoke mary@external write shared')).code).toBe(0);
  expect((await admin.run('users shared')).stdout).toMatch(/^mary@external +read +/m);
  expect((await admin.run('remove-user mary@external --no-prompt')).stderr).toContain('not found');
  expect((await admin.run('add-model hers --owner Mary@External')).stderr).toContain(
    "for user 'mary@external'",
  );
  expect((await admin.run('status')).stdout).toMatch(/^hers +/m);
  expect((await admin.run('models --user mary@external')).stdout).toMatch(
    /^mary@external\/hers\* .* admin /m,
  );
  expect((await admin.run('switch mary@external/hers')).stderr).toContain('ctrl:mary@external/hers');
});

test('grants open models, one level at a time, and revocations close them', async () => {
  await controller.addModel('shared');
  await join();
  const status = (): Promise<CliRun> => bob.run('status -m admin/shared');
  expect((await status()).stderr).toContain('model ctrl:admin/shared not found');
  expect(await admin.run('grant bob read shared')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await status()).code).toBe(0);
  expect((await bob.run('models')).stdout).toContain('admin/shared');
  expect((await bob.run('model-config -m admin/shared default-base=ubuntu@22.04')).stderr).toContain(
    'permission denied',
  );
  expect((await admin.run('grant bob read shared')).stderr).toContain(
    'user already has "read" access or greater',
  );
  await admin.run('grant bob admin shared');
  expect((await bob.run('model-config -m admin/shared default-base=ubuntu@22.04')).code).toBe(0);
  expect((await bob.run('show-model admin/shared')).stdout).toMatch(/bob:\n(.*\n)*? +access: admin/);
  expect((await bob.run('users admin/shared')).stdout).toMatch(/^bob\* .* admin /m);
  for (const access of ['admin', 'write', 'read']) await admin.run(`revoke bob ${access} shared`);
  expect((await status()).stderr).toContain('permission denied');
  expect((await bob.run('grant bob read shared')).code).toBe(1);
});

test('a user who may add models on a cloud makes models of his own', async () => {
  await join();
  expect((await bob.run('add-model mine')).code).toBe(1);
  expect(await admin.run('grant-cloud bob add-model test')).toMatchObject({ code: 0 });
  expect(await bob.run('add-model mine')).toMatchObject({ code: 0 });
  expect((await admin.run('models --all')).stdout).toContain('bob/mine');
  expect(await admin.run('revoke-cloud bob add-model test')).toMatchObject({ code: 0 });
  expect((await bob.run('add-model other')).code).toBe(1);
});

test('login after a logout asks for user and password', async () => {
  await join();
  expect((await bob.run('logout')).stderr).toBe(
    'Logged out. You are no longer logged into any controllers.\n',
  );
  expect((await bob.run('models')).stderr).toContain('Please use "grigri login -c ctrl -u <user>"');
  const wrong = await bob.run('login -u bob', { input: 'wrong\n' });
  expect(wrong).toMatchObject({ code: 1 });
  expect(wrong.stderr).toContain('invalid entity name or password');
  const right = await bob.run('login', { input: 'bob\nfirst\n' });
  expect(right.stderr).toContain('Welcome, bob. You are now logged into "ctrl".');
  expect((await bob.run('login -u admin')).stderr).toContain('already logged in as bob');
  await bob.run('logout');
  expect((await bob.run('login --no-prompt')).stderr).toContain('cannot deduce user, please pass --user');
  expect((await bob.run('login -u bob --no-prompt', { input: 'first\n' })).code).toBe(0);
});

test('a login leaves a macaroon in the jar of cookies that python-libjuju and Juju read, and no password', async () => {
  await controller.addModel('shared');
  await join();
  await admin.run('grant bob read shared');
  const jar = joinPath(bob.store.dir, 'cookies', 'ctrl.json');
  const cookies = JSON.parse(readFileSync(jar, 'utf8')) as Record<string, unknown>[];
  expect(cookies).toEqual([
    expect.objectContaining({
      Name: expect.stringMatching(/^macaroon-[0-9a-f]{64}$/) as string,
      Domain: '127.0.0.1',
      Path: '/',
      Secure: true,
      HostOnly: true,
      Persistent: true,
      CanonicalHost: '127.0.0.1',
    }),
  ]);
  expect(readFileSync(joinPath(bob.store.dir, 'accounts.yaml'), 'utf8')).not.toContain('first');
  // Requests over HTTP have the access, too.
  expect(await bob.run('debug-log -m admin/shared --replay --no-tail')).toMatchObject({
    code: 0,
    stderr: '',
  });
  await bob.run('logout');
  expect(readFileSync(jar, 'utf8')).toBe('[]\n');
});

describe('a macaroon that is no longer valid', () => {
  const prompt = 'please enter password for bob on ctrl: ';
  const terminal = (lines: string[]) => ({
    stdin: {
      isTTY: true,
      readLine: () => Promise.resolve(lines.shift()),
      readAll: () => Promise.resolve(''),
    },
  });
  beforeEach(async () => {
    await join();
    await admin.run('change-user-password bob --no-prompt', { input: 'second\n' });
  });

  test('is replaced by any command at a terminal, which asks for the password', async () => {
    const wrong = await bob.run('whoami', terminal(['wrong']));
    const models = await bob.run('models', terminal(['wrong']));
    expect(wrong.code).toBe(0);
    expect(models.stderr).toBe(`${prompt}\nERROR invalid entity name or password\n`);
    const asked = await bob.run('models', terminal(['second']));
    expect(asked).toMatchObject({ code: 0 });
    expect(asked.stderr).toContain(prompt);
    expect((await bob.run('models')).code).toBe(0);
  });

  test('is replaced by login, which asks once', async () => {
    const run = await bob.run('login', terminal(['second']));
    expect(run.stderr.split(prompt)).toHaveLength(2);
    expect(run.code).toBe(0);
  });

  test('is an error where nobody can be asked, also where the jar is damaged', async () => {
    writeFileSync(joinPath(bob.store.dir, 'cookies', 'ctrl.json'), '[{"Name":"macaroon-1","Value":"x"},5');
    const run = await bob.run('models');
    expect(run.stderr).toBe(
      'ERROR not logged in to controller "ctrl": no macaroons\n\nPlease use "grigri login -c ctrl -u bob".\n',
    );
    expect(run.code).toBe(1);
  });
});

test('logout keeps a password that only the client knows, until another is chosen', async () => {
  expect((await admin.run('logout')).stderr).toContain('preventing account loss');
  const changed = await admin.run('change-user-password', { input: 'new\nnew\n' });
  expect(changed.stderr).toContain('Your password has been changed.');
  expect((await admin.run('models')).code).toBe(0);
  expect((await admin.run('logout')).code).toBe(0);
  expect((await admin.run('login -u admin', { input: 'new\n' })).code).toBe(0);
});

test('a superuser changes and resets passwords of others', async () => {
  await join();
  const set = await admin.run('change-user-password bob --no-prompt', { input: 'second\n' });
  expect(set.stderr).toContain('Password for "bob" has been changed.');
  expect((await bob.run('models')).stderr).toContain('or of before a change of the password');
  expect((await bob.run('login', { input: 'second\n' })).code).toBe(0);
  expect((await admin.run('change-user-password admin --reset')).code).toBe(1);
  const reset = await admin.run('change-user-password bob --reset');
  expect(reset.stdout).toContain(
    'Password for "bob" has been reset.\nAsk the user to run:\n    juju register ',
  );
  expect((await bob.run('models')).code).toBe(1);
  const replaced = await bob.run(`register --replace ${token(reset)}`, { input: 'third\nthird\n\n' });
  expect(replaced.stderr).toContain('You are now logged into "ctrl".');
});

test('users are shown, disabled, enabled and removed', async () => {
  await join();
  await admin.run(['add-user', 'mary', 'Mary M']);
  expect((await admin.run('users')).stdout).toMatchInlineSnapshot(`
    "Controller: ctrl

    Name    Display name  Access     Date created  Last connection
    admin*  admin         superuser  just now      just now
    bob                   login      just now      just now
    mary    Mary M        login      just now      never connected
    "
  `);
  expect((await admin.run('disable-user mary')).stderr).toBe('User "mary" disabled\n');
  expect((await admin.run('users')).stdout).not.toContain('mary');
  expect((await admin.run('users --all --format json')).stdout).toContain('"disabled":true');
  expect((await admin.run('show-user mary')).stdout).toMatchInlineSnapshot(`
    "user-name: mary
    display-name: Mary M
    access: ""
    date-created: just now
    last-connection: never connected
    disabled: true
    "
  `);
  expect((await admin.run('enable-user mary')).stderr).toBe('User "mary" enabled\n');
  expect((await bob.run('users')).stdout).not.toContain('mary');
  expect((await bob.run('show-user mary')).stderr).toContain('permission denied');
  expect((await bob.run('show-user')).stdout).toContain('user-name: bob');
  expect((await bob.run('disable-user mary')).stderr).toContain('permission denied');
  expect((await admin.run('remove-user bob', { input: 'n\n' })).code).toBe(1);
  expect((await admin.run('remove-user bob', { input: 'y\n' })).stderr).toContain('User "bob" removed');
  expect((await bob.run('models')).stderr).toContain('or of before a change of the password');
  expect((await admin.run('remove-user admin -y')).stderr).toContain(
    'cannot delete controller owner "admin"',
  );
  expect((await admin.run('explain user bob')).stdout).toContain('was removed');
  const history = await admin.run('history -m controller');
  for (const what of ['added', 'password set', 'disabled', 'enabled', 'removed'])
    expect(history.stdout).toMatch(new RegExp(`user (bob|mary): ${what}`));
  expect(history.stdout).not.toContain('scrypt');
});

test('the audit log records who made which calls with which command', async () => {
  await join();
  await bob.run('grant bob superuser');
  const audit = joinPath(controller.dataDir, 'audit.log');
  await eventually(() => expect(readFileSync(audit, 'utf8')).toContain('ModifyControllerAccess'));
  const conversations = readFileSync(audit, 'utf8')
    .trim()
    .split('\n')
    .flatMap(
      (line) => (JSON.parse(line) as { conversation?: { who: string; what: string } }).conversation ?? [],
    );
  expect(conversations.map(({ who, what }) => `${who}: ${what}`)).toEqual([
    'admin: grigri add-user',
    'bob: grigri grant',
  ]);
});

test('names of users are completed', async () => {
  await admin.run('add-user bob');
  expect((await admin.run('__complete -- grant b')).stdout).toBe('bob\n');
  expect((await admin.run('__complete -- grant bob su')).stdout).toBe('superuser\n');
});
