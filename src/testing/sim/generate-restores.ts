/** Generates scripts of worlds whose controller is restored from a backup. */
import { Chance } from './chance.ts';
import { generateScript } from './generate-script.ts';
import { modelOptions, type Command, type Script, type Step } from './script.ts';

/** Commands whose effects on other parts of the world no restore can take back, or that make models. */
const left: readonly string[] = ['add-model', 'destroy-model', 'secret-backend'];
/** One script in so many is restored to an older state. */
const olderOneIn = 3;

/** Generates a script whose controller is restored, once or twice, with kills before the acceptance. */
export function generateRestoresScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed ^ 0x4e57);
  if (seed % olderOneIn === 0) return { seed, hours, steps: olderSteps(new Chance(seed ^ 0x01de)) };
  const script = generateScript({ seed, hours });
  const endMs = hours * 3_600_000;
  const steps: Step[] = script.steps.filter((step) => !('do' in step && left.includes(step.do)));
  for (let n = 1 + chance.below(2); n > 0; n--) steps.push(...restore(chance, 30_000 + chance.below(endMs)));
  return { ...script, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}

function restore(chance: Chance, atMs: number): Step[] {
  const lookMs = chance.is(0.5) ? chance.below(10_000) : chance.below(120_000);
  const hooks = chance.is(0.7) ? 'keep' : 'rerun';
  const steps: Step[] = [{ atMs, blow: 'restore', hooks, lookMs }];
  for (let kills = chance.below(4); kills > 0; kills--) {
    const killMs = atMs + 1 + chance.below(lookMs + 20_000);
    const step = 1 + chance.below(40);
    if (chance.is(0.5)) steps.push({ atMs: killMs, blow: 'crash-controller', step });
    else steps.push({ atMs: killMs, blow: 'crash-agent', pick: chance.below(6), step });
  }
  return steps;
}

/** A deployment of which a backup is made when it has come to rest, and which has grown when that is restored. */
function olderSteps(chance: Chance): Step[] {
  const of = { by: 'alice', model: 0 } as const;
  const names = ['cache', 'web'] as const;
  const backupMs = 300_000 + chance.below(60_000);
  const restoreMs = backupMs + 1_000 + chance.below(180_000);
  const growth = (): Command => {
    const application = chance.of(names);
    if (chance.is(0.3)) return { do: 'add-machine' };
    if (chance.is(0.3))
      return { do: 'add-unit', application, units: 1, where: { onMachine: chance.below(3) } };
    return { do: 'add-unit', application, units: 1 + chance.below(2) };
  };
  const option = 'provisioner-harvest-mode';
  const steps: Step[] = [
    { atMs: 0, ...of, do: 'model-config', option, value: chance.of(modelOptions[option]) },
    ...names.map((application): Step => ({
      atMs: 1_000 + chance.below(1_000),
      ...of,
      do: 'deploy',
      application,
      units: 1 + chance.below(2),
    })),
    ...(chance.is(0.5) ? [{ atMs: 3_000, ...of, do: 'integrate', ends: ['cache', 'web'] } as const] : []),
    { atMs: backupMs, blow: 'backup' },
    ...Array.from({ length: 1 + chance.below(4) }, (): Step => ({
      atMs: backupMs + 1 + chance.below(restoreMs - backupMs - 1),
      ...of,
      ...growth(),
    })),
    ...(chance.is(0.5) ? detachment(chance, backupMs, restoreMs) : []),
    ...restore(chance, restoreMs),
  ];
  return steps.toSorted((a, b) => a.atMs - b.atMs);
}

/** Storage of the cloud that is detached after the backup, and perhaps attached to another unit. */
function detachment(chance: Chance, backupMs: number, restoreMs: number): Step[] {
  const of = { by: 'alice', model: 0 } as const;
  const storage = 'simulated';
  const units = 1 + chance.below(2);
  const atMs = backupMs + 1 + chance.below(restoreMs - backupMs - 1);
  // Deployed first, its storage is picked: that of the other applications cannot be detached.
  const steps: Step[] = [
    { atMs: 500, ...of, do: 'deploy', application: 'db', units, storage },
    { atMs, ...of, do: 'detach-storage', pick: chance.below(units), forced: false },
  ];
  if (chance.is(0.5))
    steps.push({
      atMs: atMs + 10_000 + chance.below(60_000),
      ...of,
      do: 'attach-storage',
      application: 'db',
      pick: chance.below(2),
      storage: 0,
    });
  return steps;
}
