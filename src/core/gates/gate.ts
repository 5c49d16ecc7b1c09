/**
 * Gates between applications: an application is pending until each application that it comes after was healthy once
 * (required-endpoints.md#gate-once).
 */
import { JujuError, notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';
import { isApplicationName } from '../names.ts';
import { checkCondition } from '../rollout/rollout.ts';

/** A gate of an application: the health that each unit of another one must have. */
interface Gate {
  /** `active`, or an expression about a unit, as of a rolling refresh. */
  readonly health: string;
  /** When the gate opened (RFC 3339); absent: it is closed. It never closes again. */
  readonly opened?: string;
}

/** Gates by the application that is waited for. */
export type Gates = Readonly<Record<string, Gate>>;

/** A gate that is closed. */
export interface ClosedGate {
  readonly application: string;
  readonly health: string;
}

/**
 * The health that each application must have which `name` comes after; '' stands for `active`. Errors: `not valid`
 * (names, expressions), `quota limit exceeded`.
 */
export function checkAfter(
  name: string,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const gates = Object.entries(after);
  checkLimit(limits.gates, gates.length);
  return Object.fromEntries(
    gates.map(([application, health]) => {
      if (!isApplicationName(application)) throw notValid(`invalid application name "${application}"`);
      if (application === name) throw new JujuError('not valid', `${name} cannot wait for itself`);
      return [application, checkCondition(health, `the health of ${application}`)];
    }),
  );
}

/** What was asked for: the health by application, of open gates, too. */
export function healthOf(gates: Gates): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(gates).map(([application, { health }]) => [application, health]));
}

/** Whether both wait for the same. */
export function sameAfter(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>> = {},
): boolean {
  const sorted = (after: Readonly<Record<string, string>>): string =>
    JSON.stringify(Object.entries(after).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}

/** The gates that are closed, by name. */
export function closedGates(gates: Gates = {}): ClosedGate[] {
  return Object.entries(gates)
    .filter(([, { opened }]) => opened === undefined)
    .map(([application, { health }]) => ({ application, health }))
    .sort((a, b) => (a.application < b.application ? -1 : 1));
}

/** A gate in words, as what is waited for: `postgresql to be active`; a long expression is cut. */
export function gateWords({ application, health }: ClosedGate): string {
  if (health === 'active') return `${application} to be active`;
  const shown = health.length > shownMax ? `${health.slice(0, shownMax)}…` : health;
  return `${application} to have ${shown}`;
}

/** Maximum length of an expression in a status message, which is repeated for every unit. */
const shownMax = 100;
