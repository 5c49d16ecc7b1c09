/** Applications that wait for their requirements: the third part of the rules. */
import { relationsOf, type Application, type Facts } from './facts.ts';

/** Endpoints that each charm requires, and how it declares them. */
const charms: Readonly<Record<string, Readonly<Record<string, 'required' | 'unstated'>>>> = {
  web: { db: 'unstated' },
  safe: { db: 'unstated' },
  shop: { db: 'required' },
  ring: { next: 'required' },
  log: { info: 'unstated', sink: 'unstated' },
  ship: { info: 'unstated', sink: 'required' },
};

export function requiresOf(charm: string): string[] {
  return Object.keys(charms[charm] ?? {});
}

/**
 * Computes pending applications: an application is deployable unless it lacks an alive relation on a required
 * endpoint with another deployable one, or comes after one that was not healthy yet. A dying application is never
 * pending.
 */
export function settle(facts: Facts): void {
  const { applications } = facts;
  for (const one of applications.values()) one.pending = false;
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, one] of applications) {
      if (one.life !== 'alive' || one.pending || hasAll(facts, name, one)) continue;
      one.pending = true;
      changed = true;
    }
  }
}

function hasAll(facts: Facts, name: string, application: Application): boolean {
  if (application.closed !== '') return false;
  const alive = relationsOf(facts, name).filter(([, { life }]) => life === 'alive');
  const serves = (other: string): boolean => other !== name && !facts.applications.get(other)?.pending;
  const required = Object.entries(charms[application.charm] ?? {}).filter(([endpoint, stated]) =>
    isRequired(facts, application, endpoint, stated),
  );
  const hasEach = required.every(([endpoint]) =>
    alive.some(
      ([, { key, applications }]) => key.split(' ')[0] === `${name}:${endpoint}` && applications.some(serves),
    ),
  );
  // A subordinate without a principal has no units, whatever requires it.
  const hasPrincipal = alive.some(
    ([, { container, applications }]) =>
      container && applications.some((other) => serves(other) && !facts.applications.get(other)?.subordinate),
  );
  return hasEach && (!application.subordinate || hasPrincipal);
}

function isRequired(
  { requires }: Facts,
  { require }: Application,
  endpoint: string,
  stated: 'required' | 'unstated',
): boolean {
  if (require.includes(endpoint) || requires === 'all') return true;
  return requires === 'declared' && stated === 'required';
}
