/** Command what-if, against a controller that plays forecasts in its threads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { cli, outputOf, prepareCli, succeed, writeCharm } from '../testing/cli-world.ts';

let models = 0;

prepareCli(() => {
  writeCharm('kv', 'provides: {kv: {interface: kv}}\nresources: {blob: {type: file, filename: blob.bin}}\n');
  writeCharm('web', 'requires: {kv: {interface: kv}}\n');
});
beforeEach(async () => {
  await succeed(`add-model f${models++}`);
  await succeed('deploy ./kv');
});

/** The lines of the apply of a file in the course of events. */
async function applied(...args: readonly string[]): Promise<string[]> {
  const { timeline } = JSON.parse(await outputOf(['what-if', ...args, '--format', 'json'])) as {
    timeline: { entity: string; what: string }[];
  };
  return timeline.flatMap(({ entity, what }) => (entity.startsWith('apply ') ? [what] : []));
}

test('a file is applied with its overlays and variables, and changes nothing', async () => {
  const write = (name: string, text: string): void => writeFileSync(join(cli.folder, name), text);
  write('blob.bin', 'blob');
  write(
    'shop.yaml',
    `applications:
  kv:
    charm: ./kv
    num_units: \${UNITS}
    resources: {blob: ./blob.bin}
  web: {charm: ./web, num_units: 1, after: {kv: active}}
relations: [[web, kv]]
secrets: {pw: {content: {key: {env: NOWHERE}}}}
access: {nobody: read}
`,
  );
  write('more.yaml', 'applications: {web: {num_units: 2}}\n');
  const told = async (): Promise<unknown> => [
    (JSON.parse(await outputOf('status --format json')) as { applications: unknown }).applications,
    await outputOf('resources kv'),
  ];
  const before = await told();
  expect(await applied('1m: apply shop.yaml', '--overlay', 'more.yaml', '--var', 'UNITS=2')).toEqual([
    `upload charm ${join(cli.folder, 'web')}`,
    'attach resource blob to kv',
    `deploy application web on ubuntu@24.04 using ${join(cli.folder, 'web')}`,
    'add relation web:kv - kv:kv',
    'add unit kv/1 to new machine',
    'add unit web/0 to new machine',
    'add unit web/1 to new machine',
    'done',
  ]);
  expect(await told()).toEqual(before);
});

test('an applied file finds its machine without units in the copy, and its settings are not reset', async () => {
  writeFileSync(
    join(cli.folder, 'again.yaml'),
    `settings: {update-status-hook-interval: 7m}
machines: {"5": {}}
applications:
  kv: {charm: ./kv, num_units: 1}
  web: {charm: ./web, num_units: 1, to: ["5"]}
`,
  );
  await succeed('apply again.yaml --no-prompt');
  await succeed('remove-unit web/0 --no-prompt');
  expect(await applied('1m: apply again.yaml', '--prune')).toEqual(['add unit web/1 to machine 1', 'done']);
});

test.each([
  [['apply kv'], '"kv" is not a model file: expected a .yaml file, or a directory with a bundle.yaml'],
  [['apply gone.yaml'], 'no such file'],
  [['machine 0 burns'], 'event "machine 0 burns": expected [TIME: ] and one of "machine N is lost", '],
  [
    ['2h: cloud recovers'],
    'event "2h: cloud recovers": it is after the end of the forecast, which is 1h long',
  ],
  [['machine 0 is cut off for ever'], 'invalid duration "ever"'],
  [['9999h: cloud recovers'], 'it is after the end of the forecast, which is 1h long'],
  [['--for', '9999h'], 'horizon of a forecast: 35996400 seconds exceed the limit of 86400'],
  [['--for', '0s'], '--for 0s: expected a duration above 0'],
  [['--seed', '-1'], '--seed must not be negative'],
])('what-if %s is refused by the client', async (args, message) => {
  const { code, stderr } = await cli.run(['what-if', ...args]);
  expect({ failed: code > 0, stderr }).toEqual({
    failed: true,
    stderr: expect.stringContaining(message) as string,
  });
});

test('the number and the length of events are limited', async () => {
  const refused = async (...events: readonly string[]): Promise<string> => {
    const { code, stderr } = await cli.run(['what-if', ...events]);
    expect(code).toBeGreaterThan(0);
    return stderr;
  };
  const many = Array.from({ length: 1000 }, () => 'cloud recovers');
  expect(await refused(...many)).toContain('events of a forecast: 1000 entries exceed the limit of 100');
  expect(await refused('x'.repeat(201))).toContain(
    'event of a forecast: 201 characters exceed the limit of 200',
  );
});

test('^C ends a forecast, and the controller makes the next one', async () => {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const long = (): ReturnType<typeof cli.run> =>
    cli.run(['what-if', 'add-unit kv 1000', '--for', '24h'], { signal });
  const isBusy = async (): Promise<boolean> =>
    (await cli.run('what-if --for 1m')).stderr.includes('another forecast is being made');
  const runs = [long()];
  await eventually(async () => {
    const isMade = await isBusy();
    // The short forecast may have been the first of the two.
    if (!isMade) runs.push(long());
    expect(isMade).toBe(true);
  });
  interrupt.abort(new Error('interrupted'));
  const codes = (await Promise.all(runs)).map(({ code }) => code);
  expect(codes).toContain(130);
  expect(codes).not.toContain(0);
  await eventually(async () => expect(await isBusy()).toBe(false));
});

test('the course of events, the verdict and what is stuck are shown', async () => {
  const text = await outputOf(['what-if', '10m: unit kv/0 fails stop', '20m: remove-unit kv/0']);
  expect(text).toMatch(/^ *10m {2}event: unit kv\/0 fails stop$/m);
  expect(text).toMatch(/^ *20m {2}event: remove-unit kv\/0$/m);
  expect(text).toMatch(/^0 of 1 units as they should be, [01] of 1 machines as they should be$/m);
  expect(text).toMatch(/^Since 20m(\d+s)?:\nunit kv\/0: dying for \d+m, hook failed: "stop"$/m);
});

test('a machine that is lost at once is told with its unit, since when, and what to do about it', async () => {
  const text = await outputOf(['what-if', 'machine 0 is lost', '1m: machine 0 stops']);
  for (const line of [
    /^ *0s {2}event: machine 0 is lost$/m,
    /^ *\d+(\.\d)?s {2}machine 0: instance status lost: the instance no longer exists in the cloud: "reprovision-machine"/m,
    /^ *1m {2}event: without effect: machine 0 is gone already$/m,
    /^Everything is at rest after [\dms.]+\. 2 not as they should be:$/m,
    /^0 of 1 units as they should be, 0 of 1 machines as they should be$/m,
    /^machine 0: alive, its instance \S+ no longer exists$/m,
    /^unit kv\/0: alive, .*\n└─ machine 0: alive, its instance \S+ no longer exists$/m,
    /^ {2}you, for machine 0 \(.*\): replace the instance, or remove the machine$/m,
    /^ {6}reprovision-machine 0 +# starts another instance as machine 0$/m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toMatch(/Everything stays as it is|Nothing is stuck/);
});

test('events of containers, storage and zones happen at their times, in text and in JSON', async () => {
  writeCharm('box', 'storage: {data: {type: filesystem}}\n');
  await succeed('deploy ./box --storage data=simulated,64M --to zone=zone1');
  await succeed('add-unit box');
  await succeed('add-unit kv --to lxd:0');
  const events = [
    '50m: remove-unit box/1 --force',
    '10m: machine 0/lxd/0 is lost',
    '20m: zone zone1 fails',
    '40m: zone zone1 recovers',
  ];
  const text = await outputOf(['what-if', ...events]);
  for (const line of [
    /^ *10m {2}event: machine 0\/lxd\/0 is lost$/m,
    /^ *1[01]m\d*s {2}machine 0\/lxd\/0: instance status lost: /m,
    /^ *20m {2}event: zone zone1 fails$/m,
    /^ *50m {2}event: remove-unit box\/1 --force$/m,
    /^ *50m\d+s {2}storage data\/1: unmounted$/m,
    /^Since 1\dm(\d+s)?:\nmachine 0\/lxd\/0: alive, its instance \S+ no longer exists, and it cannot be replaced: it is a container/m,
    /^Since 2\dm(\d+s)?:\nmachine 1: alive, its agent has no connection; instance \S+ is running$/m,
    /^Times are (from the model's history|assumed)/m,
  ])
    expect(text).toMatch(line);
  const json = JSON.parse(await outputOf(['what-if', ...events, '--format', 'json'])) as {
    timeline: { at: number; entity: string; what: string }[];
    stuck: { entity: string }[];
  };
  expect(json.timeline.filter(({ entity }) => entity === 'event').map(({ at }) => at)).toEqual([
    600, 1200, 2400, 3000,
  ]);
  const saidOf = (name: string): string[] =>
    json.timeline.flatMap(({ entity, what }) => (entity === name ? [what] : []));
  expect(saidOf('machine 0/lxd/0')).toContainEqual(expect.stringMatching(/^instance \S+ started$/));
  expect(saidOf('storage data/1')).toContainEqual(expect.stringMatching(/^volume detached from instance /));
  const stuck = json.stuck.map(({ entity }) => entity);
  expect(stuck).toEqual(expect.arrayContaining(['machine 0/lxd/0', 'machine 1', 'unit box/0', 'unit kv/1']));
});
