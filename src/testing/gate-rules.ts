/** Rules of gates between applications, stated apart from the product's. They know of gates on `active` only. */
import type { ApplicationDoc } from '../core/application/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import type { Change, Reader } from '../store/store.ts';

type View = Reader<Entities>;

/** The gates of one model over time: commits are judged in their order. */
export class GateRules {
  /** Closed gates whose application was healthy since they were set. */
  readonly #mayOpen = new Set<string>();

  /** Yields sentences about wrong changes of one commit: gates that open too early, and units placed before they open. */
  *judge(changes: readonly Change<Entities>[], view: View): Iterable<string> {
    for (const { kind, space, before, after } of changes) {
      if (space !== view.space) continue;
      if (kind === 'application')
        yield* this.#changed(...([before, after] as [ApplicationDoc?, ApplicationDoc?]));
      if (kind === 'unit') yield* placedEarly(...([before, after] as [UnitDoc?, UnitDoc?]), view);
    }
    for (const { name, after = {} } of view.find('application', 'pending', 'pending'))
      for (const [other, { health, opened }] of Object.entries(after))
        if (opened === undefined && health === 'active' && isHealthy(view, other))
          this.#mayOpen.add(`${name} ${other}`);
  }

  *#changed(was: ApplicationDoc | undefined, is: ApplicationDoc | undefined): Iterable<string> {
    const { name } = (is ?? was)!;
    const before = new Map(Object.entries(was?.after ?? {}));
    for (const [other, { health, opened }] of Object.entries(is?.after ?? {})) {
      const old = before.get(other);
      before.delete(other);
      const key = `${name} ${other}`;
      if (old?.opened !== undefined && opened === undefined)
        yield `the gate of ${name} on ${other} closes again`;
      const isNew = old?.health !== health;
      if (isNew) this.#mayOpen.delete(key);
      const opens = old && old.opened === undefined && opened !== undefined;
      if (opens && !isNew && health === 'active' && !this.#mayOpen.has(key))
        yield `the gate of ${name} on ${other} opens before ${other} was healthy`;
    }
    for (const other of before.keys()) this.#mayOpen.delete(`${name} ${other}`);
  }
}

function* placedEarly(was: UnitDoc | undefined, is: UnitDoc | undefined, view: View): Iterable<string> {
  if (is?.machine === undefined || was?.machine !== undefined) return;
  const { after = {} } = view.get('application', is.application) ?? {};
  for (const [other, { opened }] of Object.entries(after))
    if (opened === undefined) yield `unit ${is.name} gets a machine before ${other} was healthy`;
}

/** Yields a sentence for each closed gate of the model whose application is healthy. */
export function* gatesToOpen(view: View): Iterable<string> {
  for (const { name, life, after = {} } of view.list('application'))
    for (const [other, { health, opened }] of Object.entries(after))
      if (life === 'alive' && opened === undefined && health === 'active' && isHealthy(view, other))
        yield `the gate of ${name} on ${other} is closed, and ${other} is healthy`;
}

function isHealthy(view: View, application: string): boolean {
  if (view.get('application', application)?.life !== 'alive') return false;
  const units = [...view.find('unit', 'application', application)].filter(({ life }) => life === 'alive');
  const has = (name: string, kind: string, value: string): boolean =>
    view.get('status', `${kind}:${name}`)?.status === value;
  return (
    units.length > 0 &&
    units.every(
      ({ name, machine }) =>
        machine !== undefined && has(name, 'unit-agent', 'idle') && has(name, 'workload', 'active'),
    )
  );
}

/** Yields each application that waits for itself by closed gates, its own or those of others. */
export function* gateCircles(view: View): Iterable<string> {
  const others = (name: string): string[] =>
    Object.entries(view.get('application', name)?.after ?? {}).flatMap(([other, { opened }]) =>
      opened === undefined ? [other] : [],
    );
  for (const { name } of view.list('application')) {
    const found = new Set(others(name));
    for (const one of found) for (const other of others(one)) found.add(other);
    if (found.has(name)) yield name;
  }
}

/** Gates on these applications, which wait for `active`. */
export function activeOf(applications: readonly string[]): Record<string, string> {
  return Object.fromEntries(applications.map((name) => [name, 'active']));
}
