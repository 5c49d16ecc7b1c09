import type { UnitDoc } from '../unit/document.ts';
import { impediments, type Impediment } from '../impediments.ts';
import { workloadStatus } from '../unit/workload-status.ts';
import type { Actor, Explanation, ExplainView, Removal } from './explanation.ts';
import { profileToCome } from './explain-profile.ts';
import { stoppedUpgrade } from './explain-program.ts';
import { storageToCome } from './explain-storage.ts';
import { explainUnplaced } from './explain-unplaced.ts';
import { cleaner, forceOf } from './force.ts';
import { machinesTaken } from './removal-effects.ts';
import { charmToCome, owed, owedNode } from './owed.ts';
import { deployer, does, forcedUnitRemoval, unitAgent, whoseTurn, type AgentState } from './unit-agent.ts';
import { head, listed, lookMax, plural, type Walk } from './walk.ts';
import { defined } from '../defined.ts';

export function explainUnit(unit: UnitDoc, walk: Walk): Explanation {
  const { view, leaving } = walk;
  if (unit.unplaced)
    return { ...head({ kind: 'unit', id: unit.name }, unit, view), ...explainUnplaced(unit, walk) };
  const agent = unitAgent(unit, view);
  const about = head({ kind: 'unit', id: unit.name }, unit, view);
  if (unit.life === 'alive' && !leaving) return { ...about, ...explainAlive(unit, agent, walk) };
  const found = leaving ? [] : impediments({ kind: 'unit', id: unit.name }, view, lookMax);
  const subordinates = found.filter(({ kind }) => kind === 'subordinate');
  const shown = subordinates.slice(0, walk.shownMax);
  const isIdle = agent.kind === 'idle' && unit.life !== 'dead' && subordinates.length === 0;
  const turn = isIdle ? whoseTurn(unit, view) : undefined;
  const { actor, machine }: Acts = turn ? { actor: turn.actor } : whoActs(unit, agent, found, walk);
  const host = machine === undefined ? undefined : walk.explainAgent(machine);
  return {
    ...about,
    text: turn?.text ?? textOf(unit, agent, found, walk),
    // An actor that gives up the machine also gives up all units on it.
    ...defined({ actor: actor && !walk.path.has(`machine ${machine}`) ? actor : undefined }),
    waitsFor: [
      ...(host ? [host] : []),
      ...shown.flatMap(({ entity }) => (entity ? [walk.explainCause(entity)] : [])),
      ...scopes(found, view),
      ...(leaving ? [] : storageToCome(unit, view)),
    ],
    more: subordinates.length - shown.length,
  };
}

/** The actor, or the machine whose agent has to be up first. */
interface Acts {
  readonly actor?: Actor;
  readonly machine?: string;
}

function whoActs(
  unit: UnitDoc,
  agent: AgentState,
  found: readonly Impediment[],
  { view, leaving }: Walk,
): Acts {
  const name = `unit ${unit.name}`;
  const force = leaving
    ? forceOf({ kind: 'relation', id: String(leaving.id) }, view)
    : forceOf({ kind: 'unit', id: unit.name }, view);
  const isAgentAway = ['lost', 'frozen', 'absent'].includes(agent.kind);
  if (isAgentAway && force) return { actor: cleaner(name, force, view.now) };
  if (isAgentAway && agent.machine) {
    const command = leaving
      ? {
          line: `remove-relation ${leaving.id} --force`,
          effect: `ends the relation without waiting for ${unit.name}`,
        }
      : forcedUnitRemoval(unit);
    // A forced removal of the principal takes its subordinates.
    const actorName = leaving ? name : `unit ${unit.principal ?? unit.name}`;
    const task = leaving
      ? 'reconnect the agent, or force the removal of the relation'
      : 'reconnect the agent, or force the removal of the unit';
    const since = view.absentSince(agent.machine.id);
    const time = since === undefined ? {} : { since };
    return {
      machine: agent.machine.id,
      ...(agent.kind === 'lost' && {
        actor: { kind: 'operator', name: actorName, task, ...time, commands: [command] },
      }),
    };
  }
  if (agent.actor) return { actor: agent.actor };
  if (unit.life === 'dead') return { actor: deployer(unit) };
  if (found.some(({ kind }) => kind === 'subordinate')) return {};
  return leaving
    ? { actor: does(unit, 'leaves the relation', leaving.dyingSince) }
    : { actor: does(unit, remaining(found), unit.dyingSince) };
}

function textOf(unit: UnitDoc, agent: AgentState, found: readonly Impediment[], { leaving }: Walk): string {
  if (agent.text !== '') return agent.text;
  if (leaving) return 'it has not left the relation yet';
  if (unit.life === 'dead') return 'it is to be removed';
  const subordinates = found.filter(({ kind }) => kind === 'subordinate').length;
  if (subordinates > 0) return `waits for ${plural(subordinates, 'subordinate')}`;
  return `its agent ${remaining(found)}`;
}

/** The tasks that the unit's agent has yet to do, as a phrase. */
function remaining(found: readonly Impediment[]): string {
  const relations = found.filter(({ kind }) => kind === 'scope').length;
  const leave = relations === 0 ? [] : [`leaves ${plural(relations, 'relation')}`];
  return listed([...leave, 'stops the charm', 'reports its end']);
}

/** The scopes that the unit is in. Only the unit's own agent leaves them, so nothing is explained below them. */
function scopes(found: readonly Impediment[], view: ExplainView): Explanation[] {
  return found.flatMap(({ kind, entity }): Explanation[] => {
    const relation = kind === 'scope' && entity ? view.get('relation', entity.id) : undefined;
    return relation
      ? [{ ...head({ kind: 'relation', id: String(relation.id) }, relation, view), text: 'to be left' }]
      : [];
  });
}

function explainAlive(
  unit: UnitDoc,
  agent: AgentState,
  { view, root, explainAgent }: Walk,
): Pick<Explanation, 'text' | 'actor' | 'removal' | 'waitsFor'> {
  if (agent.machine) return { text: agent.text, waitsFor: [explainAgent(agent.machine.id)] };
  const due = owed(unit, view);
  if (agent.actor) {
    const isHeldUp = agent.kind === 'failed' && charmToCome(unit, view) !== undefined;
    const actor = root ? withResume(agent.actor, unit, view) : agent.actor;
    return { text: agent.text, actor, waitsFor: isHeldUp && due ? [owedNode(unit, due)] : [] };
  }
  const profile = profileToCome(unit, view);
  if (profile) return { ...profile, waitsFor: [] };
  const storage = storageToCome(unit, view);
  if (storage.length > 0)
    return { text: `waits for ${plural(storage.length, 'storage')}`, waitsFor: storage };
  const workload = workloadStatus(unit, view);
  const statusText = workload.message === '' ? workload.status : `${workload.status}: ${workload.message}`;
  if (workload.status === 'active' || workload.status === 'unknown') {
    if (due) return { text: `its agent has yet to ${due.text}`, actor: due.actor, waitsFor: [] };
    const machine = root && unit.machine !== undefined ? view.get('machine', unit.machine) : undefined;
    const stopped = machine && stoppedUpgrade(machine, view);
    return {
      text: stopped ? `no problems found; on machine ${machine.id}, ${stopped.text}` : 'no problems found',
      waitsFor: [],
      ...defined({ actor: stopped?.actor, removal: root ? removal(unit, view) : undefined }),
    };
  }
  return {
    text: `its charm reports ${statusText}`,
    actor: {
      kind: workload.status === 'blocked' ? 'operator' : 'charm',
      name: `unit ${unit.name}`,
      task:
        workload.status === 'blocked'
          ? 'do what the message of the charm asks for'
          : 'continues without help',
      since: workload.since,
      commands: [],
    },
    waitsFor: due ? [owedNode(unit, due)] : [],
  };
}

/** The actor with the command that lets a roll-out go on that the unit has stopped. */
function withResume(actor: Actor, { name, application }: UnitDoc, view: ExplainView): Actor {
  const { state, problem } = view.get('application', application)?.rollout ?? {};
  if (state !== 'stopped' || problem?.unit !== name) return actor;
  const line = `refresh ${application} --resume`;
  const effect = 'runs failed hooks of its batch again, and goes on with the refresh that stopped here';
  return { ...actor, commands: [{ line, effect }, ...actor.commands] };
}

/** The commands that remove the unit, and what they would do. */
function removal(unit: UnitDoc, view: ExplainView): Removal {
  if (unit.principal === undefined) {
    const relations = view.count('scope', 'unit', unit.name);
    const leave = relations === 0 ? [] : [`leaves ${plural(relations, 'relation')}`];
    const machineIds = machinesTaken([{ kind: 'unit', id: unit.name }], view);
    const removesMachines =
      machineIds.length === 0
        ? []
        : [`removes machine${machineIds.length === 1 ? '' : 's'} ${listed(machineIds)}`];
    return {
      refused: '',
      commands: [
        {
          line: `remove-unit ${unit.name}`,
          effect: listed([...leave, 'stops it', ...removesMachines]),
        },
      ],
    };
  }
  const principal = view.get('unit', unit.principal)?.application;
  for (const { life, id, endpoints } of view.find('relation', 'application', unit.application))
    if (
      life === 'alive' &&
      endpoints.some((end) => end.application === principal && end.scope === 'container')
    )
      return {
        refused: '',
        commands: [
          {
            line: `remove-relation ${id}`,
            effect: `removes ${unit.application} from every unit of ${principal}`,
          },
        ],
      };
  return {
    refused: '',
    commands: [{ line: `remove-unit ${unit.principal}`, effect: 'removes it too' }],
  };
}
