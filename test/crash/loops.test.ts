/**
 * kill -9 of the machine's agent, of the machine and of the controller, before and after each program that makes,
 * mounts, unmounts or removes a loop device (12 of them, as a part): nothing is left over, and no data are lost.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { namesIn, textOf } from '../../src/testing/host-files.ts';
import { drawPart, partOf, sayPart } from '../part.ts';
import { root, startWorld, type World } from '../world.ts';

type Pool = 'loop' | 'local';
type Deed = 'add' | 'detach' | 'remove';
interface Step {
  readonly deed: Deed;
  /** Place where the program runs. */
  readonly where: 'machine' | 'host';
  /** Shell pattern of the program with its arguments. */
  readonly program: string;
  readonly pools: readonly Pool[];
}

const both: readonly Pool[] = ['loop', 'local'];
const steps: readonly Step[] = [
  { deed: 'add', where: 'machine', program: 'mkfs.ext4 *', pools: ['loop'] },
  { deed: 'add', where: 'machine', program: 'sync *', pools: ['loop'] },
  { deed: 'add', where: 'host', program: 'mkfs.ext4 *', pools: ['local'] },
  { deed: 'add', where: 'host', program: 'sync *', pools: ['local'] },
  { deed: 'add', where: 'machine', program: 'losetup --find *', pools: both },
  { deed: 'add', where: 'machine', program: 'mount -t ext4 *', pools: both },
  { deed: 'add', where: 'machine', program: 'losetup --detach *', pools: both },
  { deed: 'detach', where: 'machine', program: 'umount /srv/data/*', pools: ['local'] },
  { deed: 'detach', where: 'host', program: 'losetup --associated *', pools: ['local'] },
  { deed: 'remove', where: 'machine', program: 'umount /srv/data/*', pools: both },
  { deed: 'remove', where: 'machine', program: 'losetup --associated *', pools: ['loop'] },
  { deed: 'remove', where: 'host', program: 'losetup --associated *', pools: ['local'] },
];
const victims = ['agent', 'machine', 'controller'] as const;
type Victim = (typeof victims)[number];

interface Point extends Step {
  readonly name: string;
  readonly pool: Pool;
  readonly when: 'before' | 'after';
  readonly victim: Victim;
}
const all: readonly Point[] = steps.flatMap((step) =>
  step.pools.flatMap((pool) =>
    (['before', 'after'] as const).flatMap((when) =>
      victims.map((victim) => {
        const { deed, where, program } = step;
        return {
          ...step,
          pool,
          when,
          victim,
          name: `${victim}, ${deed} ${pool}, ${when} ${program} on the ${where}`,
        };
      }),
    ),
  ),
);
const part = partOf();
const points = drawPart(part, all, { count: 12, nameOf: ({ name }) => name });
if (part !== undefined) console.log(sayPart(part, points, all, 'points'));

/**
 * Script that stands before a program on the PATH, and holds the program at the armed point until the file `reached` is
 * removed.
 */
const wrapper = (folder: string, program: string, real: string): string => `#!/bin/sh
hold() {
  pattern=$(cat '${folder}'/"$1" 2>/dev/null) || return 0
  shift
  case "${program} $*" in
    $pattern) mv '${folder}'/"$when" '${folder}/reached' 2>/dev/null || return 0;;
    *) return 0;;
  esac
  while [ -e '${folder}/reached' ]; do sleep 0.05; done
}
when=before; hold before "$@"
${real} "$@"
code=$?
when=after; hold after "$@"
exit $code
`;
const programs = ['mkfs.ext4', 'sync', 'losetup', 'mount', 'umount'];
const realPath = (program: string): string =>
  execFileSync('sh', ['-c', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin; command -v "$1"', 'sh', program], {
    encoding: 'utf8',
  }).trim();

describe.skipIf(!existsSync('/dev/loop-control'))('loop devices (skipped without /dev/loop-control)', () => {
  const dir = mkdtempSync(join(tmpdir(), 'grigri-loop-crash-'));
  const hostPoints = join(dir, 'points');
  let world: World;
  let machineFolder: string;
  let kept: string;

  beforeAll(async () => {
    const bin = join(dir, 'bin');
    for (const folder of [bin, hostPoints]) mkdirSync(folder);
    for (const program of programs) {
      writeFileSync(join(bin, program), wrapper(hostPoints, program, realPath(program)));
      chmodSync(join(bin, program), 0o755);
    }
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    world = await startWorld('loop-crash', { runner: { dir, argv: [join(root, 'bin/grigri')], env } });
    const storage = { data: { type: 'filesystem', location: '/srv/data', multiple: { range: '0+' } } };
    const charm = world.charm('keeper', {
      metadata: `storage: ${JSON.stringify(storage)}\n`,
      hooks: { install: 'status-set active ready' },
    });
    await world.grigri('deploy', charm, '--storage', 'data=local,16M');
    await world.untilUnit('keeper/0', { workload: 'active', agent: 'idle' });
    machineFolder = join(world.controllerDir, 'machines', world.instances()[0]!);
    const folder = join(machineFolder, 'data/points');
    mkdirSync(folder);
    for (const program of programs) {
      const script = wrapper('/var/lib/juju/points', program, realPath(program));
      writeFileSync(join(folder, program), script);
      await inside(`install -m 755 /var/lib/juju/points/${program} /usr/local/sbin/`);
      rmSync(join(folder, program));
    }
    kept = 'data/0';
    await mark(kept);
  });
  afterAll(async () => {
    expect(await world.end()).toEqual([]);
    expect(devices()).toEqual([]);
    rmSync(dir, { recursive: true, force: true });
  });

  async function inside(command: string): Promise<string> {
    return (await world.grigri('ssh', '0', command)).trim();
  }

  interface Listed {
    readonly storage?: Readonly<Record<string, { readonly status: { readonly current: string } }>>;
  }
  async function statuses(): Promise<Record<string, string>> {
    const { storage = {} } = JSON.parse(
      (await world.grigri('storage', '--format', 'json')) || '{}',
    ) as Listed;
    return Object.fromEntries(Object.entries(storage).map(([id, { status }]) => [id, status.current]));
  }
  const untilStatus = (id: string, status: string): Promise<void> =>
    world.until(`storage ${id} to be ${status}`, async () => ((await statuses())[id] ?? 'gone') === status);

  /** Returns the loop devices of this world's files, those of removed files included. */
  function devices(): string[] {
    const text = execFileSync('losetup', ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'], {
      encoding: 'utf8',
    });
    // Volumes of the host are seen from within the machine, as `/3`.
    const isOurs = /\/storage\/loop\/| \/\d+( \(deleted\))?\s*$/;
    return text.split('\n').filter((line) => isOurs.test(line) || line.includes(dir));
  }

  const untilDevices = (count: number): Promise<void> =>
    world.until(`${count} devices`, () => Promise.resolve(devices().length === count));

  /** Files of disks, finished or not. */
  const files = (): string[] => [
    ...namesIn(join(machineFolder, 'data/storage/loop')),
    ...namesIn(join(machineFolder, 'volumes')).map((name) => `attached ${name}`),
    ...namesIn(join(machineFolder, '../volume-records')).filter((name) => !name.endsWith('.json')),
  ];

  const mark = (id: string): Promise<void> =>
    world.until(`${id} to be mounted`, async () => {
      await inside(
        `grep -q ' /srv/data/${id} ' /proc/self/mountinfo && echo ${id} >/srv/data/${id}/mark && sync -f /srv/data/${id}/mark`,
      );
      return true;
    });
  const marked = (id: string): Promise<void> =>
    world.until(`the data of ${id}`, async () => (await inside(`cat /srv/data/${id}/mark`)) === id);

  /** Kills a process and waits for its end: programs that it began must not go on. */
  async function kill(victim: Victim): Promise<void> {
    const pid = {
      agent: () => world.agentPid('0')!,
      machine: () => Number(readFileSync(join(machineFolder, 'pid'), 'utf8').split(' ')[0]),
      controller: () => world.controllerPid(),
    }[victim]();
    process.kill(pid, 'SIGKILL');
    while (/^State:\s+[^Z]/m.test(textOf(`/proc/${pid}/status`))) await sleep(5);
  }

  /** Does the deed, and kills the victim at the point, if the point belongs to this deed. */
  async function through(deed: Deed, point: Point, act: () => Promise<unknown>): Promise<void> {
    if (deed !== point.deed) return void (await act());
    const folder = point.where === 'host' ? hostPoints : join(machineFolder, 'data/points');
    writeFileSync(join(folder, point.when), point.program);
    await act();
    await world.until(`the point: ${point.name}`, () => Promise.resolve(existsSync(join(folder, 'reached'))));
    await kill(point.victim);
    rmSync(join(folder, 'reached'), { force: true });
    // A command starts the controller again.
    await world.status();
  }

  test.each(points)('$name', async (point) => {
    const before = { devices: devices().length, files: files() };
    let id = '';
    await through('add', point, async () => {
      const ids = Object.keys(await statuses());
      await world.grigri('add-storage', 'keeper/0', `data=${point.pool},16M`);
      id = Object.keys(await statuses()).find((one) => !ids.includes(one))!;
    });
    await untilStatus(id, 'attached');
    // The storage of a machine that was killed is where it was once the machine's agent runs again.
    await untilDevices(before.devices + 1);
    await mark(id);
    if (point.deed === 'detach') {
      await through('detach', point, () => world.grigri('detach-storage', id));
      await untilStatus(id, 'detached');
      await untilDevices(before.devices);
      await world.grigri('attach-storage', 'keeper/0', id);
      await untilStatus(id, 'attached');
      await marked(id);
    }
    await through('remove', point, () => world.grigri('remove-storage', id, '--force'));
    await untilStatus(id, 'gone');
    await world.until('nothing to be left of it', () =>
      Promise.resolve(devices().length === before.devices && String(files()) === String(before.files)),
    );
    await marked(kept);
    expect(await inside('grep -c " /srv/data/" /proc/self/mountinfo')).toBe('1');
  });
});
