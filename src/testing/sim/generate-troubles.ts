/** Generates the faults of a script. */
import type { Chance } from './chance.ts';
import type { Blow, Trouble } from './script.ts';
import { faultKinds, type FaultKind } from '../../forecast/world/faults.ts';

/** Maximum of each kind: a rate per hour, or a probability. */
export const worst: Readonly<Record<FaultKind, number>> = {
  'controller-crash': 60,
  'agent-crash': 60,
  'machine-reboot': 12,
  'machine-lost': 2,
  partition: 20,
  'clock-forward': 12,
  'clock-back': 12,
  'operator-disconnect': 60,
  'message-late': 0.2,
  'message-lost': 0.02,
  'answer-lost': 0.02,
  'answers-reordered': 0.2,
  'connection-reset': 0.02,
  'connection-half-open': 0.01,
  'connection-refused': 0.5,
  'upload-cut': 0.5,
  'download-cut': 0.5,
  'disk-slow': 0.2,
  'disk-error': 0.05,
  'crash-before-durable': 0.01,
  'crash-after-durable': 0.01,
  'cloud-transient': 0.4,
  'cloud-zonal': 0.2,
  'cloud-quota': 0.2,
  'cloud-credential': 0.05,
  'cloud-bad-request': 0.05,
  'cloud-answer-lost': 0.3,
  'cloud-slow': 0.3,
  'boot-slow': 0.5,
  'volume-failed': 0.5,
  'volume-hung': 0.2,
  'mount-failed': 0.5,
  'mount-hung': 0.3,
  'vault-away': 0.1,
  'vault-silent': 0.1,
  'vault-slow': 0.5,
  'vault-failed': 0.3,
  'vault-answer-lost': 0.3,
  'crossing-late': 0.3,
  'crossing-failed': 0.3,
  'crossing-answer-lost': 0.3,
  'hook-failed': 0.2,
  'hook-slow': 0.2,
  'hook-killed': 0.1,
  'hook-reboot': 0.02,
};

/**
 * Chooses some kinds of faults, each in windows that do not overlap: kinds that are not chosen cannot be the cause of
 * a failure.
 */
export function troubles(chance: Chance, endMs: number): (Trouble & { atMs: number })[] {
  return windowsOf(
    chance,
    faultKinds.filter(
      (kind) => !isOfVault(kind) && !isOfCrossing(kind) && !kind.endsWith('-hung') && chance.is(0.35),
    ),
    endMs,
  );
}

/** Generates faults of the secret backend, from a random stream of their own. */
export function vaultTroubles(chance: Chance, endMs: number): (Trouble & { atMs: number })[] {
  return windowsOf(
    chance,
    faultKinds.filter((kind) => isOfVault(kind) && chance.is(0.5)),
    endMs,
  );
}

/** Generates steps of storage that hang, in the cloud or on a machine, from a random stream of their own. */
export function hangs(
  chance: Chance,
  kind: 'volume-hung' | 'mount-hung',
  endMs: number,
): (Trouble & { atMs: number })[] {
  return windowsOf(chance, chance.is(0.35) ? [kind] : [], endMs);
}

/** Generates faults between models, from a random stream of their own. */
export function crossingTroubles(chance: Chance, endMs: number): (Trouble & { atMs: number })[] {
  return windowsOf(chance, faultKinds.filter(isOfCrossing), endMs);
}

export const isOfCrossing = (kind: FaultKind): boolean => kind.startsWith('crossing-');
export const isOfVault = (kind: FaultKind): boolean => kind.startsWith('vault-');

function windowsOf(
  chance: Chance,
  kinds: readonly FaultKind[],
  endMs: number,
): (Trouble & { atMs: number })[] {
  return kinds.flatMap((trouble) => {
    const windows: (Trouble & { atMs: number })[] = [];
    for (let atMs = chance.below(endMs / 2); atMs < endMs;) {
      const forMs = Math.min(20_000 + chance.below(240_000), endMs - atMs);
      windows.push({ atMs, trouble, rate: rounded(worst[trouble] * (0.1 + 0.9 * chance.next())), forMs });
      atMs += forMs + 1_000 + chance.below(endMs);
    }
    return windows;
  });
}

export function blows(chance: Chance, endMs: number): (Blow & { atMs: number })[] {
  const count = chance.below(2 + Math.round(endMs / 150_000));
  return Array.from({ length: count }, () => ({ atMs: chance.below(endMs), ...blow(chance) }));
}

function blow(chance: Chance): Blow {
  const pick = chance.below(8);
  const step = 1 + chance.below(chance.is(0.5) ? 20 : 300);
  return chance.of<Blow>([
    { blow: 'crash-controller', step },
    { blow: 'crash-controller', step },
    { blow: 'crash-agent', pick, step },
    { blow: 'crash-agent', pick, step },
    { blow: 'crash-agent', pick, step },
    { blow: 'reboot', pick },
    { blow: 'lose', pick, instance: chance.is(0.7) ? 'stays' : 'vanishes' },
    { blow: 'cut-off', pick, forMs: 5_000 + chance.below(30_000) },
    // The partition lasts so long that both sides drop their connection, and late messages find no receiver.
    { blow: 'cut-off', pick, forMs: 60_000 + chance.below(180_000) },
    cloudBlow(chance),
  ]);
}

/** Returns a failure of the cloud, for a while or permanently. */
export function cloudBlow(chance: Chance): Blow {
  const pick = chance.below(8);
  const forMs = 20_000 + chance.below(chance.is(0.3) ? 600_000 : 90_000);
  return chance.of<Blow>([
    { blow: 'halt', pick },
    { blow: 'lose', pick, instance: 'vanishes' },
    { blow: 'zone-down', zone: chance.below(3), forMs },
    { blow: 'quota', spare: chance.below(3), forMs },
    { blow: 'credential', forMs },
    { blow: 'stray', place: 0, machine: chance.is(0.5) ? 'none' : pick },
  ]);
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(2));
}
