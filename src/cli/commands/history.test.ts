import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { systemClock } from '../../kit/clock.ts';
import { answering, cannedCli } from '../../testing/canned-controller.ts';
import { output, type CliRun } from '../../testing/cli.ts';
import { cli, controller, prepareCli, writeCharm, outputOf as ok } from '../../testing/cli-world.ts';

prepareCli(async () => {
  await ok('add-model shop');
  writeCharm('kv', '', {
    'config.yaml':
      'options:\n  port: {type: int, default: 80, description: d}\n  token: {type: secret, description: d}\n',
  });
  await ok('deploy ./kv -n 0');
  await ok('config kv port=81 token=secret:hunter2');
  await ok('remove-application kv --no-prompt');
});

/** Replaces the parts of the output that differ from run to run. */
const stable = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/^\d+ +TIME/gm, 'N TIME')
    .replace(/ {2,}/g, '  ');
interface Shown {
  readonly revision: number;
  readonly by: string;
  readonly changes: readonly { readonly entity: string; readonly change: string }[];
}
const shown = async (line: string): Promise<Shown[]> =>
  JSON.parse(await ok(`${line} --format json`)) as Shown[];

test('history prints a table of changes and their authors', async () => {
  expect(stable(await ok('history kv --by admin --utc'))).toMatchInlineSnapshot(`
    "Revision  Time  By  Change
    N TIME  user admin  application kv: created (charm local:kv-0 on ubuntu@24.04)
    N TIME  user admin  application kv: config port set to 81
      application kv: config token set to <redacted>
    N TIME  user admin  application kv: removed
    "
  `);
});

test('history is unchanged by a restart, and continues after it', async () => {
  const before = await shown('history -n 0');
  await controller.restart();
  await ok('model-config default-base=ubuntu@24.04');
  const after = await shown('history -n 0');
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.at(-1)?.changes).toEqual([
    { entity: 'model', change: 'config default-base set to ubuntu@24.04' },
  ]);
});

test('history is limited to the latest changes, and prints how to see more', async () => {
  const allChanges = await shown('history -n 0');
  const run = await cli.run('history -n 2 --format json');
  expect(JSON.parse(run.stdout)).toEqual(allChanges.slice(-2));
  const beforeRevision = /--before (\d+)/.exec(run.stderr)?.[1];
  expect(await shown(`history -n 2 --before ${beforeRevision}`)).toEqual(allChanges.slice(-4, -2));
  expect(await shown(`history --after ${allChanges[1]?.revision}`)).toEqual(allChanges.slice(2));
  expect(await shown('history --days 1')).toEqual(allChanges);
  expect(await shown('history --from-date 1h')).toEqual(allChanges);
  expect(await cli.run('history --by nobody')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No changes found.\n',
  });
});

test.each([
  ['history nowhere', '"nowhere" not found'],
  ['history --from-date yesterday', 'parsing backlog date "yesterday"'],
  ['history --days 1 --from-date 1h', '--days and --from-date cannot be combined'],
  ['history -n -1', '--limit must not be negative'],
  ['history --follow --before 9', '--follow and --before cannot be combined'],
  ['status --at never', '--at "never": expected a revision, a time'],
  ['status --at 99999', 'revision 99999 not found: it is in the future'],
  ['status --at 1', 'there was no model "shop" at revision 1'],
  ['status --at 1 --watch 1s', '--watch and --at cannot be combined'],
])('%s is refused', async (line, message) => {
  const run = await cli.run(line);
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain(message);
});

test('status --at shows the past status in every format', async () => {
  const deployed = (await shown('history kv'))[0]!.revision;
  const table = await ok(`status --at ${deployed} --utc`);
  expect(stable(table)).toMatch(/^Status at revision \d+, TIME\n\nModel +Controller/);
  expect(table).toMatch(/^kv +/m);
  const run = await cli.run(`status --at ${deployed} --format json`);
  expect(Object.keys((JSON.parse(run.stdout) as { applications: object }).applications)).toEqual(['kv']);
  expect(run.stderr).toContain(`Status at revision ${deployed}`);
});

/** Runs `history --follow` until it has printed a text of `until`, once `change` was made after its first output. */
async function followed(line: string, until: string, change: () => Promise<unknown>): Promise<string> {
  const stop = new AbortController();
  let text = '';
  let changed: Promise<unknown> | undefined;
  const stdout = output((added) => {
    text += added;
    changed ??= change();
    if (text.includes(until)) stop.abort();
  });
  await cli.run(line, { stdout, signal: stop.signal });
  await changed;
  return text;
}

test.each([
  ['tabular', '3000M'],
  ['json', '4000M'],
  ['yaml', '5000M'],
])('history --follow in the format %s goes on with new changes, each once', async (format, mem) => {
  const line = `history -n 2 --follow --format ${format}`;
  const text = await followed(line, `mem=${mem}`, () => ok(`set-model-constraints mem=${mem}`));
  const all = await shown('history -n 3');
  if (format === 'json') expect(text).toBe(all.map((commit) => `${JSON.stringify(commit)}\n`).join(''));
  else if (format === 'yaml') expect(text).toBe(await ok('history -n 3 --format yaml'));
  else expect(text.match(/^\d+/gm)?.map(Number)).toEqual(all.map(({ revision }) => revision));
});

test('history --follow goes on when the controller was away, and shows each change once', async () => {
  const line = 'history -n 2 --follow --format json';
  const text = await followed(line, 'mem=7000M', async () => {
    await controller.restart();
    await ok('set-model-constraints mem=7000M');
  });
  expect(text).toBe((await shown('history -n 3')).map((commit) => `${JSON.stringify(commit)}\n`).join(''));
});

test('history --follow stays with its model when the user switches to another one while the controller is away', async () => {
  await ok('add-model other');
  await ok('switch shop');
  const text = await followed('history -n 1 --follow --format json', 'mem=6000M', async () => {
    await ok('switch other');
    await controller.restart();
    await ok('set-model-constraints -m other mem=8000M');
    await ok('set-model-constraints -m shop mem=6000M');
  });
  await ok('switch shop');
  expect(text).toBe((await shown('history -n 2')).map((commit) => `${JSON.stringify(commit)}\n`).join(''));
});

/** Runs `history --follow` with a controller of this host that answers nothing but its first question. */
async function followedAway(
  isOpen: (tries: number) => boolean,
  until: (tries: number) => boolean,
): Promise<{ readonly run: CliRun; readonly events: readonly string[] }> {
  using canned = await cannedCli();
  await canned.store.addModel('ctrl', 'admin/shop', { uuid: crypto.randomUUID(), type: 'iaas' });
  const data = join(canned.folder, '.local/share/grigri/ctrl');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'controller.json'), JSON.stringify({ uuid: 'c' }));
  const away = () => Promise.reject(new JujuError('try again', 'away'));
  const events: string[] = [];
  let asked = 0;
  let tries = 0;
  const page = { commits: [], horizon: { revision: 0, time: '' }, newest: 1 };
  const { connect } = answering({ 'Lives.History': () => (asked++ === 0 ? page : away()) });
  const run = await canned.run('history --follow', {
    connect: async (options) => {
      if (!isOpen(tries++)) return away();
      events.push('open');
      const close = () => Promise.resolve(void events.push('close'));
      return { ...(await connect!(options)), close };
    },
    clock: { ...systemClock, sleep: (_, signal) => systemClock.sleep(1, signal) },
    stdout: {
      ...output(() => undefined),
      get isClosed() {
        return until(tries);
      },
    },
  });
  return { run, events };
}

test('history --follow ends when nobody reads its output while the controller is away, which it does not start', async () => {
  const { run } = await followedAway(
    (tries) => tries === 0,
    (tries) => tries > 3,
  );
  expect(run).toEqual({ code: 0, stdout: '', stderr: 'away; reconnecting\n' });
});

test('history --follow closes each connection before it opens another', async () => {
  const { run, events } = await followedAway(
    () => true,
    (tries) => tries > 3,
  );
  expect(run.stderr).toBe('away; reconnecting\n');
  expect(events.slice(0, 7)).toEqual(['open', 'close', 'open', 'close', 'open', 'close', 'open']);
});

test('history --follow ends with the reason when its model is gone', async () => {
  await ok('add-model gone');
  const stop = new AbortController();
  let removal: Promise<unknown> | undefined;
  const stdout = output(() => void (removal ??= ok('destroy-model gone --no-prompt')));
  const { code, stderr } = await cli.run('history --follow -m gone', { stdout, signal: stop.signal });
  await removal;
  expect([code, stderr]).toEqual([1, expect.stringContaining('unknown model') as string]);
});
