import type { EntityRef, LivingKind } from '../entity-ref.ts';
import { notFound } from '../errors.ts';
import type { Entities } from '../kinds.ts';
import { behindStore } from './behind-store.ts';
import { explainApplication } from './explain-application.ts';
import { explainMachine, explainMachineAgent } from './explain-machine.ts';
import { explainModel } from './explain-model.ts';
import { explainRelation } from './explain-relation.ts';
import { explainUnit } from './explain-unit.ts';
import { livingDoc, nameOf, type Actor, type Explanation, type ExplainView } from './explanation.ts';
import type { Walk } from './walk.ts';

/** Maximum number of causes listed per kind. Lower levels list fewer: only the way to the actor matters there. */
const shownMax = { root: 10, below: 3 };

/**
 * Explains an entity's state: what it waits for, and what that waits for, down to who must act. An entity met again is
 * only referred to (`above`), so that circles end. The cost is proportional to what is shown, plus a bounded look at
 * further entities (walk.ts). Errors: `not found`.
 */
export function explain(entity: EntityRef, view: ExplainView): Explanation {
  const explained = new Set<string>();
  const path = new Set<string>();
  const walk: Walk = {
    view,
    shownMax: shownMax.below,
    root: false,
    explainCause(entity, leaving) {
      // An alive machine has nothing to add here to the state of its agent.
      if (entity.kind === 'machine' && view.get('machine', entity.id)?.life === 'alive')
        return walk.explainAgent(entity.id);
      const key = `${entity.kind} ${entity.id}`;
      if (explained.has(key)) return reference(entity, view);
      explained.add(key);
      if (entity.kind === 'machine') explained.add(`agent ${entity.id}`);
      path.add(key);
      const explanation = explainOne(entity, leaving ? { ...walk, leaving } : walk);
      path.delete(key);
      return explanation ?? reference(entity, view);
    },
    path,
    explainAgent(machine) {
      const key = `agent ${machine}`;
      if (explained.has(key)) return reference({ kind: 'machine', id: machine }, view);
      explained.add(key);
      return explainMachineAgent(machine, walk);
    },
  };
  explained.add(`${entity.kind} ${entity.id}`);
  path.add(`${entity.kind} ${entity.id}`);
  if (entity.kind === 'machine') explained.add(`agent ${entity.id}`);
  const explanation = explainOne(entity, { ...walk, shownMax: shownMax.root, root: true });
  if (!explanation) throw notFound(entity.kind, entity.id);
  return view.storeProblem === undefined ? explanation : behindStore(explanation, view.storeProblem);
}

/** All actors in the tree, each once: users before agents before workers, and the leaves of the tree first. */
export function actorsOf(explanation: Explanation): Actor[] {
  const actors = new Map<string, Actor>();
  const collect = ({ actor, waitsFor }: Explanation): void => {
    waitsFor.forEach(collect);
    if (!actor) return;
    const key = `${actor.kind} ${actor.name} ${actor.task}`;
    if (!actors.has(key)) actors.set(key, actor);
  };
  collect(explanation);
  return [...actors.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

const order: readonly Actor['kind'][] = [
  'operator',
  'charm',
  'agent',
  'placer',
  'provisioner',
  'cleaner',
  'undertaker',
];

/** The explanation of one entity; undefined when it does not exist. */
function explainOne<P extends LivingKind>(
  { kind, id }: { readonly kind: P; readonly id: string },
  walk: Walk,
): Explanation | undefined {
  const doc: Entities[P] | undefined = livingDoc(kind, id, walk.view);
  return doc && explainers[kind](doc, walk);
}

const explainers: {
  readonly [P in LivingKind]: (doc: Entities[P], walk: Walk) => Explanation;
} = {
  application: explainApplication,
  machine: explainMachine,
  model: explainModel,
  relation: explainRelation,
  unit: explainUnit,
};

function reference(entity: EntityRef, view: ExplainView): Explanation {
  return {
    kind: entity.kind,
    id: entity.id,
    name: nameOf(entity, view),
    text: '',
    waitsFor: [],
    more: 0,
    above: true,
  };
}
