/** Units without disk or processes: a thousand machine agents fit into one process. */
import type { UnitHost, UnitHosts, UnitRun } from '../agent/unit/unit-host.ts';
import type { SimulatedRun } from '../forecast/world/behaviour.ts';
import type { HookResult } from '../hooks/run-hook.ts';

/** Behaviour of a charm; returning nothing means that the hook succeeds. */
export type SimulatedCharm = (
  run: SimulatedRun,
) => Promise<Partial<HookResult> | void> | Partial<HookResult> | void;

export interface SimulatedHosts extends UnitHosts {
  /** Hooks in the order of their start: `web/0 install`. */
  readonly runs: readonly string[];
  readonly deployed: readonly { readonly unit: string; readonly charmUrl: string }[];
}

/** Creates unit hosts for a simulated charm; the default one sets its workload active in `start`. */
export function simulatedHosts(charm: SimulatedCharm = activeCharm): SimulatedHosts {
  const runs: string[] = [];
  const deployed: { unit: string; charmUrl: string }[] = [];
  const present = new Set<string>();
  const states = new Map<string, string>();
  const open = (unit: string): UnitHost => ({
    deploy(archive) {
      deployed.push({ unit, charmUrl: archive.url });
      return Promise.resolve();
    },
    async run(run) {
      run.signal?.throwIfAborted();
      const name = nameOf(run);
      runs.push(`${unit} ${name}`);
      const signals = [run.signal, run.cancel].filter((one) => one !== undefined);
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
      const result = await charm({
        unit,
        name,
        context: run.context,
        signal,
        log: (stream, line) => run.onOutput(stream, line, false),
      });
      run.signal?.throwIfAborted();
      return { kind: 'done', code: 0, reboot: run.context.changes.reboot, ...result };
    },
    provideResource: ({ name, path }) => Promise.resolve(`/resources/${name}/${path}`),
    saveState(text) {
      states.set(unit, text);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
    remove() {
      present.delete(unit);
      states.delete(unit);
      return Promise.resolve();
    },
  });
  return {
    runs,
    deployed,
    open(unit) {
      present.add(unit);
      return Promise.resolve(open(unit));
    },
    list: () => Promise.resolve([...present]),
    savedState: (unit) => Promise.resolve(states.get(unit)),
  };
}

async function activeCharm({ name, context }: SimulatedRun): Promise<void> {
  if (name === 'start') await context.setStatus('workload', 'active', 'ready');
}

function nameOf({ program }: UnitRun): string {
  return 'command' in program ? program.command : program.dispatchPath.replace(/^(hooks|actions)\//, '');
}
