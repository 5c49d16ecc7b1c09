/** Reports of simulation runs. */
import type { CommandCounts } from './operators.ts';
import { isOfCrossing, isOfVault } from './generate-troubles.ts';
import type { About } from './script-for.ts';
import type { Outcome, Violation } from './run-script.ts';
import { duringMigrations } from './migrations.ts';
import { clockText, sentenceOf, type Script } from './script.ts';
import { faultKinds, type FaultKind } from '../../forecast/world/faults.ts';

const ofClients = /^(controller-crash|operator-disconnect|message-|answer|connection-reset|crash-)/;

/** Sums over all worlds. */
export class Tally {
  seeds = 0;
  failed = 0;
  simulatedMs = 0;
  /** Milliseconds of work in all processes together. */
  workedMs = 0;
  events = 0;
  readonly faults = new Map<FaultKind, number>(faultKinds.map((kind) => [kind, 0]));
  readonly calls = new Map<string, number>();
  readonly commands: CommandCounts = {};

  add(outcome: Outcome): void {
    this.seeds++;
    if (outcome.violation) this.failed++;
    this.simulatedMs += outcome.simulatedMs;
    this.workedMs += outcome.realMs;
    this.events += outcome.events;
    for (const kind of faultKinds)
      this.faults.set(kind, (this.faults.get(kind) ?? 0) + (outcome.faults[kind] ?? 0));
    for (const [name, count] of Object.entries(outcome.calls))
      this.calls.set(name, (this.calls.get(name) ?? 0) + count);
    for (const [name, { ok, refused, unknown }] of Object.entries(outcome.commands)) {
      const sum = (this.commands[name as keyof CommandCounts] ??= { ok: 0, refused: 0, unknown: 0 });
      sum.ok += ok;
      sum.refused += refused;
      sum.unknown += unknown;
    }
  }

  /**
   * Returns the kinds of faults that never happened, and so tested nothing; only worlds with offers have faults between
   * models, worlds with restores keep no secrets elsewhere, and those of files are about what comes between a client
   * and its controller; migrations are sure of few kinds.
   */
  neverInjected(about: About): FaultKind[] {
    const isWanted = (kind: FaultKind): boolean =>
      about === 'files'
        ? ofClients.test(kind)
        : about === 'migration'
          ? duringMigrations.includes(kind)
          : isOfCrossing(kind) === (about === 'offers') && !(about === 'restores' && isOfVault(kind));
    return [...this.faults].flatMap(([kind, count]) => (count === 0 && isWanted(kind) ? [kind] : []));
  }

  /** Returns the calls of the cloud that never failed for a reason: `quota at start group`. */
  get neverFailed(): string[] {
    return [...this.calls].filter(([, count]) => count === 0).map(([name]) => name);
  }
}

export function summary(tally: Tally, realMs: number): string {
  const { seeds, failed, simulatedMs, workedMs, events, faults, calls, commands } = tally;
  const hours = (simulatedMs / 3_600_000).toFixed(1);
  const lines = [
    `${seeds} seeds, ${failed === 0 ? 'nothing wrong' : `${failed} failed`}: ${hours} simulated hours, ${events} events in ${(realMs / 1000).toFixed(1)} s,`,
    `  ${Math.round(simulatedMs / realMs)} times as fast as real time (${Math.round(simulatedMs / workedMs)} in each process)`,
    'faults:',
    ...columns([...faults].map(([kind, count]) => `${count} ${kind}`)),
    'calls of the cloud that failed:',
    ...columns([...calls].map(([name, count]) => `${count} ${name}`)),
    'commands (ok/refused/no answer):',
    ...columns(
      Object.entries(commands).map(
        ([name, { ok, refused, unknown }]) => `${ok}/${refused}/${unknown} ${name}`,
      ),
    ),
  ];
  return lines.join('\n');
}

export function failureText(found: {
  readonly seed: number;
  readonly violation: Violation;
  /** The original script, and the part of it that is enough for the failure. */
  readonly script: Script;
  readonly kept: readonly number[];
  readonly about: About;
}): string {
  const { seed, violation, script, kept, about } = found;
  const mode = about === 'all' || about === 'machines' ? '' : `--${about} `;
  const which = about === 'machines' ? '--provisioning' : `${mode}--hours ${script.hours}`;
  const steps = kept.flatMap((n) => script.steps[n] ?? []);
  return [
    `seed ${seed}, ${clockText(violation.atMs)}, while ${violation.phase}:`,
    `  ${violation.sentence.replaceAll('\n', '\n  ')}`,
    `${steps.length} of ${script.steps.length} steps are enough:`,
    ...steps.map((step) => `  ${sentenceOf(step)}`),
    'again:',
    `  npm run sim -- --seed ${seed} ${which} --only ${kept.join(',') || 'none'}`,
  ].join('\n');
}

function columns(items: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    if (line.length + item.length > 100) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? `  ${item}` : `, ${item}`;
  }
  return line === '' ? lines : [...lines, line];
}
