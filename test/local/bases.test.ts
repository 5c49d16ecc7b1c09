/** Charms of another base than the host's run on that base, built from its distribution's packages. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

/** Whether this host has the release; the image is of the release that this host does not have. */
const hostIs = (id: string): boolean =>
  new RegExp(`^VERSION_ID="?${id}"?$`, 'm').test(readFileSync('/etc/os-release', 'utf8'));
const own = hostIs('13') ? '13' : '12';
const track = hostIs('13') ? '12' : '13';
const base = `debian@${track}`;

let world: World;
beforeAll(async () => {
  // Building the image takes half a minute on an idle host.
  world = await startWorld('bases', { patienceMs: 5 * 60_000 });
});
afterAll(async () => expect(await world.end()).toEqual([]));

const charm = (name: string): string =>
  world.charm(name, {
    hooks: { start: 'status-set active "$(. /etc/os-release; echo $ID@$VERSION_ID)"' },
  });
const messageOf = async (application: string): Promise<string> => {
  const { applications, machines } = await world.status();
  const machine = applications[application]!.units![`${application}/0`]!.machine!;
  return machines[machine]!['machine-status'].message ?? '';
};

test('a charm with several bases gets the host’s, and so does a bare machine', async () => {
  const either = world.charm('either', {
    files: {
      'manifest.yaml': `bases: [{name: ubuntu, channel: "24.04"}, {name: debian, channel: "${own}"}]`,
    },
    hooks: { start: 'status-set active' },
  });
  await world.grigri('model-config', 'base-mismatch=refuse');
  await world.grigri('deploy', either);
  await world.grigri('add-machine');
  await world.untilUnit('either/0', { workload: 'active', agent: 'idle' });
  const { machines, model } = await world.status();
  expect(Object.values(machines).map(({ base }) => base)).toEqual(
    Array.from({ length: 2 }, () => ({ name: 'debian', channel: own })),
  );
  expect(model['model-status'].message ?? '').toBe('');
  await world.grigri('model-config', 'base-mismatch=warn');
  await world.grigri('remove-machine', '--no-prompt', '1');
  await world.clear('either');
});

test('a charm runs on the host’s files without an image for its base, and status says so once', async () => {
  await world.grigri('deploy', charm('warned'), '--base', base);
  await world.untilUnit('warned/0', { workload: 'active', agent: 'idle' });
  expect(await messageOf('warned')).toContain(`on debian@${own})`);
  expect((await world.status()).model['model-status'].message).toBe(
    `1 machine of ${base} runs on debian@${own}: see "help local-image"`,
  );
  await world.clear('warned');
});

test(
  'a charm’s hooks and ssh run on its base when mmdebstrap has built an image for it',
  async () => {
    const made = await world.attempt('local-image', 'add', base);
    expect(made.stderr).toContain(`added ${base}`);
    expect(made.code).toBe(0);
    const images = JSON.parse(await world.grigri('local-image', 'list', '--format', 'json')) as object;
    expect(Object.keys(images)).toEqual([base]);

    await world.grigri('deploy', charm('based'), '--base', base);
    const unit = await world.untilUnit('based/0', { workload: 'active', agent: 'idle' });
    expect(unit.message).toBe(base);
    expect(await messageOf('based')).not.toContain('on debian@');
    const release = await world.grigri('exec', '--unit', 'based/0', 'cat', '/etc/os-release');
    expect(release).toMatch(new RegExp(`^VERSION_ID="${track}"$`, 'm'));
    // The base's own packages work, and more can be installed.
    const more =
      'apt-get update -qq && apt-get install -qqy --no-install-recommends hello >/dev/null 2>&1; hello';
    expect(await world.grigri('exec', '--unit', 'based/0', '--', more)).toContain('Hello, world!');
    const refused = await world.attempt('local-image', 'remove', base);
    expect(refused.stderr).toContain(`machines run on ${base}`);

    await world.clear('based');
    await world.grigri('local-image', 'remove', base);
    expect(readdirSync(join(world.controllerDir, 'machines', 'images'))).toEqual([]);
    expect(execFileSync('mount', { encoding: 'utf8' })).not.toContain(world.controllerDir);
  },
  6 * 60_000,
);
