/** Agents on machines elsewhere, which download programs from their controller: what all of them have to do. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../world.ts';
import { variant } from './release.ts';

const note = 'echo $JUJU_HOOK_NAME $(config-get n) >>/srv/hooks';

/** Charm with a workload that its agent has not started as a child, and whose hooks are noted. */
export const followed = {
  config: 'options:\n  n: {type: int, default: 0, description: Is noted.}\n',
  hooks: {
    install: note,
    'config-changed': note,
    start: `${note}\nsetsid sleep 100000 >/dev/null 2>&1 </dev/null & echo $! >/srv/pid\nstatus-set active`,
    stop: 'kill $(cat /srv/pid)\nrm /srv/pid /srv/hooks',
  },
};

/** Returns the machines of the requests to take another program, in the order of the requests in a controller's log. */
export function requestsIn(log: string): string[] {
  return [...log.matchAll(/agents are to take another program.*?machines=?"?([\d, ]+)/g)].map(
    ([, machines = '']) => machines.trim(),
  );
}

/** Returns what `upgrade-model` says. */
export async function upgradeOf(world: Pick<World, 'attempt'>): Promise<string> {
  const { stdout, stderr } = await world.attempt('upgrade-model');
  return stdout + stderr;
}

/** Tests of a world whose current model has the units app/0 and app/1 of `followed`, on the machines 0 and 1. */
export function testThatAgentsFollow(the: () => World): void {
  const exec = (machine: string, script: string): Promise<string> =>
    the().grigri('exec', '--unit', `app/${machine}`, '--', script);
  /** Returns the choice of the machine's program, the process of the workload, and the hooks that ran. */
  async function stateOf(machine: string) {
    const script = `cat /var/lib/juju/agents/machine-${machine}/program.json; cut -d' ' -f1,22 /proc/$(cat /srv/pid)/stat; cat /srv/hooks`;
    const [choice = '', workload, ...hooks] = (await exec(machine, script)).trim().split('\n');
    return { ...(JSON.parse(choice) as { current: string }), workload, hooks };
  }
  const states = () => Promise.all(['0', '1'].map(stateOf));
  const upgradeTo = (name: string, begin: string): Promise<string> =>
    the().grigri(
      'upgrade-controller',
      '--program',
      variant(join(mkdtempSync(join(the().dir, 'variant-')), name), begin),
    );
  const log = (): string => readFileSync(join(the().controllerDir, 'controller.log'), 'utf8');
  const untilUpgraded = (): Promise<void> =>
    the().until('the agents to have the new program', async () =>
      (await upgradeOf(the())).includes('no upgrades available'),
    );
  async function configure(n: number): Promise<void> {
    await the().grigri('config', 'app', `n=${n}`);
    await the().until(`both units to have n=${n}`, async () =>
      (await states()).every(({ hooks }) => hooks.at(-1) === `config-changed ${n}`),
    );
  }

  test('agents download the program of their controller, one after the other, and workloads run on', async () => {
    const before = await states();
    const from = log().length;
    await upgradeTo('another', '// Another build.');
    await untilUpgraded();
    expect(requestsIn(log().slice(from)).sort()).toEqual(['0', '1']);
    const after = await states();
    expect(after[0]!.current).toMatch(/^[0-9a-f]{64}$/);
    expect(after[0]!.current).not.toBe(before[0]!.current);
    expect(after).toEqual(before.map((one) => ({ ...one, current: after[0]!.current })));
    await configure(1);
  });

  test.each([
    [
      '0',
      'does not load',
      'throw new TypeError("does not load")',
      'it cannot run on this machine: TypeError',
    ],
    [
      '1',
      'ends at its start',
      'if (!process.argv.includes("check")) process.exit(7)',
      'it ended 3 times before it had reached the controller',
    ],
  ] as const)(
    'machine %s, where the new program %s, goes back, and takes it when it is asked again',
    async (machine, what, act, why) => {
      const before = await states();
      const name = `${what} ${machine}`.replaceAll(' ', '-');
      // A file for each program: the ones before are what the machine goes back to.
      const bad = `/srv/${name}`;
      await exec(machine, `touch ${bad}`);
      const begin = `if ((await import('node:fs')).existsSync('${bad}')) ${act};`;
      await upgradeTo(name, begin);
      await the().until('the upgrade to stop', async () => (await upgradeOf(the())).includes('has stopped'));
      expect(await upgradeOf(the())).toContain(
        `the upgrade of agents has stopped at machine ${machine}, which goes on with the program that it had: ${why}`,
      );
      const status = (await the().status()).machines[machine]!['juju-status'];
      expect(status).toMatchObject({ message: expect.stringContaining(why) as string });
      const stopped = await stateOf(machine);
      expect(stopped).toMatchObject(before[Number(machine)]!);
      await exec(machine, `rm ${bad}`);
      await the().attempt('upgrade-model', '--reset-previous-upgrade');
      await untilUpgraded();
      const after = await states();
      expect(after[0]!.current).not.toBe(before[0]!.current);
      expect(after).toEqual(before.map((one) => ({ ...one, current: after[0]!.current })));
      await configure(Number(after[0]!.hooks.at(-1)!.split(' ')[1]) + 1);
    },
  );
}
