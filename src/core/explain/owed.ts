/** What others wait for at a unit that is alive: whatever its charm says, its agent has yet to do that. */
import type { UnitDoc } from '../unit/document.ts';
import type { Actor, Explanation, ExplainView } from './explanation.ts';
import { does } from './unit-agent.ts';
import { listed, lookMax } from './walk.ts';

export interface Owed {
  /** `leave relation web:db mysql:server and run action 3 (backup)` */
  readonly text: string;
  readonly actor: Actor;
}

/**
 * What the unit's agent has yet to do for others; undefined = nothing. The actor's `since` is that of what waits
 * longest.
 */
export function owed(unit: UnitDoc, view: ExplainView): Owed | undefined {
  const found = [...leaving(unit, view), ...tasks(unit, view), ...upgrade(unit, view)];
  if (found.length === 0) return undefined;
  const text = listed(found.map(({ what }) => what));
  const [since] = found.flatMap(({ since: at }) => at ?? []).sort();
  return { text, actor: does(unit, `has yet to ${text}`, since) };
}

/** What the agent has yet to do as a cause below the unit, for a unit that has a line of its own. */
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
    yield { what: `leave relation ${key}`, ...(dyingSince === undefined ? {} : { since: dyingSince }) };
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

function* upgrade({ application, charmUrl }: UnitDoc, view: ExplainView): Iterable<Waiting> {
  const its = view.get('application', application)?.charmUrl;
  if (its !== undefined && its !== charmUrl) yield { what: `go over to charm ${its}` };
}
