/** Work that others wait for at an alive unit: the unit's agent has to do it whatever status the charm reports. */
import { charmOfUnit, isHeld, isUpgraded, whatUnitsTake } from '../rollout/rollout.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { Actor, Explanation, ExplainView } from './explanation.ts';
import { does } from './unit-agent.ts';
import { listed, lookMax } from './walk.ts';
import { defined } from '../defined.ts';

interface Owed {
  /** The work as a phrase: `leave relation web:db mysql:server and run action 3 (backup)`. */
  readonly text: string;
  readonly actor: Actor;
}

/**
 * The work that the unit's agent has yet to do for others; undefined = none. The actor's `since` is that of the oldest
 * item.
 */
export function owed(unit: UnitDoc, view: ExplainView): Owed | undefined {
  const found = [...leaving(unit, view), ...tasks(unit, view), ...upgrade(unit, view)];
  if (found.length === 0) return undefined;
  const text = listed(found.map(({ what }) => what));
  const [since] = found.flatMap(({ since: at }) => at ?? []).sort();
  return { text, actor: does(unit, `has yet to ${text}`, since) };
}

/** The owed work as a cause below the unit, for a unit that has a line of its own. */
export function owedNode({ name }: UnitDoc, { text, actor }: Owed): Explanation {
  return {
    kind: 'task',
    id: name,
    name: `agent of unit ${name}`,
    text: `has yet to ${text}`,
    actor,
    waitsFor: [],
    more: 0,
    above: false,
  };
}

interface Waiting {
  readonly what: string;
  readonly since?: string;
}

function* leaving({ name }: UnitDoc, view: ExplainView): Iterable<Waiting> {
  let left = lookMax;
  for (const { relation: id } of view.find('scope', 'unit', name)) {
    if (left-- === 0) return;
    const relation = view.get('relation', id);
    if (!relation || relation.life === 'alive') continue;
    const { key, dyingSince } = relation;
    yield { what: `leave relation ${key}`, ...defined({ since: dyingSince }) };
  }
}

function* tasks({ name }: UnitDoc, view: ExplainView): Iterable<Waiting> {
  let left = lookMax;
  for (const { id, name: action, status, enqueued } of view.find('task', 'receiver', name)) {
    if (left-- === 0) return;
    if (status === 'pending' || status === 'running')
      yield { what: `run task ${id} (${action === 'juju-exec' ? 'exec' : action})`, since: enqueued };
  }
}

function* upgrade(unit: UnitDoc, view: ExplainView): Iterable<Waiting> {
  const application = view.get('application', unit.application);
  if (!application || isHeld(application, unit) || isUpgraded(application, unit)) return;
  const isCharm = unit.charmUrl !== application.charmUrl;
  yield { what: isCharm ? `upgrade to charm ${application.charmUrl}` : `take ${whatUnitsTake(application)}` };
}

/** URL of the charm that the unit is to run and does not run yet; undefined = the unit runs it. */
export function charmToCome(unit: UnitDoc, view: ExplainView): string | undefined {
  const application = view.get('application', unit.application);
  const wanted = application && charmOfUnit(application, unit);
  return wanted === unit.charmUrl ? undefined : wanted;
}
