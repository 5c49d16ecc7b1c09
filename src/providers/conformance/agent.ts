import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import type { Kit } from './kit.ts';

/** Process as in /proc. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly argv: readonly string[];
}

/** Cases of a machine's agent as seen on this host; an agent on another computer is not observable. */
export function agentCases(kit: Kit): void {
  const { never } = kit;

  /** Returns the reason why no agent can be observed, if there is one. */
  const hidden = (): string | undefined => {
    if (kit.subject.runsNothing) return 'it only pretends to run machines';
    return kit.environ.delivery === 'download' ? 'its machines are elsewhere' : undefined;
  };
  const find = (machineId: string): Process | undefined =>
    processes().find(({ argv }) => {
      // The world's folder is compared too: machines of other worlds have the same numbers.
      return (
        argv[0] === 'tail' &&
        argv.includes(kit.world.folder) &&
        argv[argv.indexOf('--machine') + 1] === machineId
      );
    });
  const agentOf = (machineId: string): Promise<Process> =>
    vi.waitFor(
      () => {
        const agent = find(machineId);
        if (!agent) throw new Error(`the agent of machine ${machineId} does not run`);
        return agent;
      },
      { timeout: (kit.subject.timeoutMs ?? 60_000) / 2, interval: 100 },
    );

  test('a machine runs its agent', async ({ skip }) => {
    const why = hidden();
    if (why !== undefined) return skip(why);
    await kit.environ.instances.start(kit.params('0'), never);
    await agentOf('0');
  });

  test('agent.conf is there whole, and its owner’s alone', async ({ skip }) => {
    const why = hidden();
    if (why !== undefined) return skip(why);
    const params = kit.params('0');
    await kit.environ.instances.start(params, never);
    const { pid, argv } = await agentOf('0');
    const dataDir = argv[argv.indexOf('--data-dir') + 1] ?? '';
    const file = join(`/proc/${pid}/root`, dataDir, 'agents/machine-0/agent.conf');
    expect(readFileSync(file, 'utf8')).toBe(params.agent.agentConf);
    expect((statSync(file).mode & 0o077).toString(8), 'what others may do with it').toBe('0');
  });

  test('a machine that ended by itself is not said to run, and starts again', async ({ skip }) => {
    const why = hidden();
    if (why !== undefined) return skip(why);
    const { instance } = await kit.environ.instances.start(kit.params('0'), never);
    end(await agentOf('0'));
    for (;;) {
      const [now] = await kit.environ.instances.get([instance.id], never);
      if (now?.status !== 'running') break;
      await systemClock.sleep(100);
    }
    const restarted = await kit.environ.instances.start(kit.params('0'), never);
    expect(restarted.instance.id).toBe(instance.id);
    await agentOf('0');
  });
}

function processes(): Process[] {
  return readdirSync('/proc').flatMap((name): Process[] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const argv = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
      return [{ pid: Number(name), parent, argv }];
    } catch {
      // Processes may have ended meanwhile.
      return [];
    }
  });
}

/** Ends a machine as a power cut does: the first process that the provider started for it, and all its descendants. */
function end(agent: Process): void {
  const all = new Map(processes().map((one) => [one.pid, one]));
  const ours = new Set<number>([1]);
  for (let pid = process.pid; pid > 0; pid = all.get(pid)?.parent ?? 0) ours.add(pid);
  let first = agent;
  for (let up = all.get(first.parent); up && !ours.has(up.pid); up = all.get(first.parent)) first = up;
  const endedPids = new Set([first.pid]);
  // A loop is needed because a parent's pid may be higher than its child's.
  for (let before = 0; before !== endedPids.size;) {
    before = endedPids.size;
    for (const { pid, parent } of all.values()) if (endedPids.has(parent)) endedPids.add(pid);
  }
  for (const pid of endedPids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // ESRCH: the child ended with its parent.
    }
}
