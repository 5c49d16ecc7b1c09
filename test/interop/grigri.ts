/** The CLI on the controller that run.sh has bootstrapped, and its JSON output. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface UnitStatus {
  readonly 'workload-status': { readonly current: string; readonly message?: string };
  readonly 'juju-status': { readonly current: string };
  readonly machine?: string;
  readonly leader?: boolean;
  readonly 'public-address': string;
  readonly 'open-ports'?: readonly string[];
}
interface ApplicationStatus {
  readonly 'application-status': { readonly current: string; readonly message?: string };
  readonly version?: string;
  readonly units?: Readonly<Record<string, UnitStatus>>;
}
interface UnitShown {
  readonly 'opened-ports': readonly string[];
  readonly 'relation-info'?: readonly {
    readonly endpoint: string;
    readonly 'application-data': Settings;
    readonly 'local-unit': { readonly 'in-scope': boolean; readonly data: Settings };
    readonly 'related-units'?: Readonly<
      Record<string, { readonly 'in-scope': boolean; readonly data: Settings }>
    >;
  }[];
}
type Settings = Readonly<Record<string, string>>;

/** Runs a command and returns its output. Errors: when it fails, with its stderr. */
export function grigri(...args: string[]): string {
  const program = join(import.meta.dirname, '../../bin/grigri');
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the applications of the model. */
export function applications(model: string): Readonly<Record<string, ApplicationStatus>> {
  const status = JSON.parse(grigri('status', '-m', model, '--format', 'json')) as {
    applications: Record<string, ApplicationStatus>;
  };
  return status.applications;
}

export function showUnit(model: string, unit: string): UnitShown {
  const shown = JSON.parse(grigri('show-unit', '-m', model, unit, '--format', 'json')) as Record<
    string,
    UnitShown
  >;
  return shown[unit]!;
}

/** Returns a unit's view of its relation on an endpoint. Errors: when the unit has no such relation. */
export function relationOf(
  model: string,
  unit: string,
  endpoint: string,
): NonNullable<UnitShown['relation-info']>[number] {
  const found = showUnit(model, unit)['relation-info']?.find((each) => each.endpoint === endpoint);
  if (!found) throw new Error(`${unit} has no relation on ${endpoint}`);
  return found;
}

/** Waits until an application has the given number of units, idle and with the given workload status. */
export async function settled(
  model: string,
  application: string,
  count: number,
  current: string,
  message?: string,
): Promise<void> {
  await until(model, `${application} ${current}`, () => {
    const units = Object.entries(applications(model)[application]?.units ?? {});
    for (const [name, unit] of units) {
      const { current: now, message: why = '' } = unit['workload-status'];
      if (now === 'error') throw new Failed(`${name}: ${why}\n${logOf(model)}`);
    }
    return (
      units.length === count &&
      units.every(
        ([, unit]) =>
          unit['workload-status'].current === current &&
          unit['juju-status'].current === 'idle' &&
          (message === undefined || unit['workload-status'].message === message),
      )
    );
  });
}

/** Polls until the condition holds. Errors: after five minutes, with the model's status and the end of its log. */
export async function until(model: string, what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 300_000; ;) {
    let error: unknown;
    try {
      if (holds()) return;
    } catch (thrown) {
      if (thrown instanceof Failed) throw thrown;
      error = thrown;
    }
    if (Date.now() > end) {
      const state = `${grigri('status', '-m', model)}\n${logOf(model)}`;
      throw new Error(`waited too long: ${what}\n${state}`, { cause: error });
    }
    await sleep(300);
  }
}

class Failed extends Error {}

function logOf(model: string): string {
  return grigri('debug-log', '-m', model, '--replay', '--no-tail').split('\n').slice(-60).join('\n');
}
