import type { ModelDoc } from '../model/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import { impediments } from '../impediments.ts';
import { statusId } from '../status.ts';
import { explainAuthority } from './explain-authority.ts';
import type { Explanation, ExplainView, Removal } from './explanation.ts';
import { machineKind } from './machine-state.ts';
import { betweenModels } from './explain-saas.ts';
import { explainStrays } from './strays.ts';
import { explainRestore } from './restore.ts';
import { explainSuspension } from './suspension.ts';
import { troubled } from './trouble.ts';
import { head, listed, lookMax, plural, type Walk } from './walk.ts';
import { defined } from '../defined.ts';

export function explainModel(model: ModelDoc, walk: Walk): Explanation {
  const about = head({ kind: 'model', id: model.uuid }, model, walk.view);
  return { ...about, ...(model.life === 'alive' ? explainAlive(model, walk) : explainDying(model, walk)) };
}

type Details = Pick<Explanation, 'text' | 'actor' | 'removal' | 'waitsFor' | 'more'>;

function explainDying(model: ModelDoc, { view, shownMax, explainCause }: Walk): Details {
  const found = impediments({ kind: 'model', id: model.uuid }, view, lookMax);
  if (found.length === 0) {
    const since = model.dyingSince === undefined ? {} : { since: model.dyingSince };
    const task = 'releases its resources in the cloud, then removes the record';
    const failed = view.get('status', statusId('model', ''))?.message ?? '';
    return {
      text: failed === '' ? 'it is empty' : `it is empty; the cloud cannot release its resources: ${failed}`,
      actor: { kind: 'undertaker', name: `model ${model.name}`, task, ...since, commands: [] },
      waitsFor: [],
      more: 0,
    };
  }
  const entities = found.flatMap(({ entity }) => (entity ? [entity] : []));
  const shown = (['application', 'machine', 'unit'] as const).flatMap((kind) =>
    entities.filter((entity) => entity.kind === kind).slice(0, shownMax),
  );
  const orphans = view.count('application') === 0 ? view.count('unit') : 0;
  return {
    text: `waits for ${contents(view)}`,
    waitsFor: shown.map((entity) => explainCause(entity)),
    more: view.count('application') + view.count('machine') + orphans - shown.length,
  };
}

/** Problems in an alive model that are not already shown as the cause of another one. */
function explainAlive(model: ModelDoc, { view, root, shownMax, explainCause }: Walk): Details {
  const { problems, unseen } = problemsIn(view);
  const suspension = [...explainRestore(model), ...explainSuspension(view)];
  const strays = explainStrays(view, shownMax);
  const authority = runsController(view) ? explainAuthority(view) : [];
  const between = betweenModels(view, shownMax);
  const total = authority.length + suspension.length + problems.length + between.total + strays.total;
  if (total === 0)
    return {
      text: `no problems found; it has ${contents(view) || 'nothing in it'}${unseen === '' ? '' : `, of which ${unseen}`}`,
      ...defined({ removal: root ? removal(model, view) : undefined }),
      waitsFor: [],
      more: 0,
    };
  const shown = problems.slice(0, shownMax);
  return {
    text: `${plural(total, 'problem')} in it${unseen === '' ? '' : `; ${unseen}`}`,
    waitsFor: [
      ...authority,
      ...suspension,
      ...shown.map((entity) => explainCause(entity)).filter(({ above }) => !above),
      ...between.shown,
      ...strays.shown,
    ],
    more:
      problems.length -
      shown.length +
      between.total -
      between.shown.length +
      strays.total -
      strays.shown.length,
  };
}

/**
 * Entities with problems, applications before machines because a machine's problem shows on its units first. `unseen`
 * says how much of the model was not examined, as in `1,000 units and 3 machines were not looked at`; '' = all was.
 */
function problemsIn(view: ExplainView): { problems: EntityRef[]; unseen: string } {
  const problems: EntityRef[] = [];
  const unseen = { unit: 0, machine: 0 };
  let left = lookMax;
  for (const { name, life, pending } of view.list('application')) {
    const { total, looked } =
      left > 0 && life === 'alive'
        ? troubled(view.find('unit', 'application', name), view)
        : { total: 0, looked: 0 };
    left -= looked;
    if (life !== 'alive' || pending || total > 0) problems.push({ kind: 'application', id: name });
    if (life === 'alive') unseen.unit += view.count('unit', 'application', name) - looked;
  }
  for (const { id } of view.find('relation', 'life', 'dying'))
    problems.push({ kind: 'relation', id: String(id) });
  for (const life of ['dying', 'dead'])
    for (const { id } of view.find('machine', 'life', life)) problems.push({ kind: 'machine', id });
  unseen.machine = Math.max(0, view.count('machine', 'life', 'alive') - lookMax);
  let machines = lookMax;
  for (const machine of view.find('machine', 'life', 'alive')) {
    if (machines-- === 0) break;
    if (machineKind(machine, view) !== 'up') problems.push({ kind: 'machine', id: machine.id });
  }
  const kinds = (['unit', 'machine'] as const).filter((kind) => unseen[kind] > 0);
  const list = listed(kinds.map((kind) => plural(unseen[kind], kind)));
  const verb = unseen.unit + unseen.machine === 1 ? 'was' : 'were';
  return { problems, unseen: list === '' ? '' : `${list} ${verb} not looked at` };
}

function runsController(view: ExplainView): boolean {
  let left = lookMax;
  for (const { isController } of view.list('machine')) {
    if (isController) return true;
    if (--left === 0) break;
  }
  return false;
}

function contents(view: ExplainView): string {
  const parts = (['application', 'unit', 'machine'] as const).flatMap((kind) =>
    view.count(kind) === 0 ? [] : [plural(view.count(kind), kind)],
  );
  return listed(parts);
}

function removal({ name }: ModelDoc, view: ExplainView): Removal {
  if (runsController(view))
    return { refused: 'the controller runs in it: remove both with destroy-controller', commands: [] };
  const all = contents(view);
  const effect = all === '' ? 'removes it' : `removes it with ${all}`;
  return { refused: '', commands: [{ line: `destroy-model ${name}`, effect }] };
}
