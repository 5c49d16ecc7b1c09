import type { ApplicationDoc } from '../application/document.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import { unitCounts } from '../application/unit-counts.ts';
import { impediments } from '../impediments.ts';
import { missingWords } from '../requirements/requirement.ts';
import { explainRollout } from './explain-rollout.ts';
import { explainPending } from './explain-pending.ts';
import type { Actor, Explanation, ExplainView, Removal } from './explanation.ts';
import { troubled, troubleOf } from './trouble.ts';
import { head, leaf, listed, lookMax, plural, type Walk } from './walk.ts';
import { defined } from '../defined.ts';

export function explainApplication(application: ApplicationDoc, walk: Walk): Explanation {
  const about = head({ kind: 'application', id: application.name }, application, walk.view);
  const details =
    application.life === 'alive' ? explainAlive(application, walk) : explainDying(application, walk);
  return { ...about, ...details };
}

type Details = Pick<Explanation, 'text' | 'actor' | 'removal' | 'waitsFor' | 'more'>;

function explainDying({ name }: ApplicationDoc, { view, shownMax, explainCause }: Walk): Details {
  const found = impediments({ kind: 'application', id: name }, view, lookMax);
  const units = found
    .flatMap(({ kind, entity }) => (kind === 'unit' && entity ? [view.get('unit', entity.id)] : []))
    .flatMap((unit) => (unit ? [{ unit, trouble: troubleOf(unit, view) }] : []))
    .sort((a, b) => b.trouble - a.trouble);
  const offers = found.filter(({ kind }) => kind === 'offer').map(leaf);
  const relations = heldByOthers(name, view);
  const count = view.count('unit', 'application', name);
  const waits = [
    ...(count > 0 ? [plural(count, 'unit')] : []),
    ...(relations.length > 0 ? [plural(relations.length, 'relation')] : []),
    ...(offers.length > 0 ? [plural(offers.length, 'offer')] : []),
  ];
  if (found.length === 0)
    return {
      text: 'nothing refers to it any more',
      actor: { kind: 'cleaner', name: `application ${name}`, task: 'removes the record', commands: [] },
      waitsFor: [],
      more: 0,
    };
  const shownUnits = units.slice(0, shownMax);
  const shownRelations = relations.slice(0, shownMax);
  return {
    text: `waits for ${listed(waits)}`,
    waitsFor: [
      ...shownUnits.map(({ unit }) => explainCause({ kind: 'unit', id: unit.name })),
      ...shownRelations.map(({ id }) => explainCause({ kind: 'relation', id: String(id) })),
      ...offers,
    ],
    more: count - shownUnits.length + relations.length - shownRelations.length,
  };
}

/** Relations that hold units of other applications; relations with only the application's own units go with it. */
function heldByOthers(application: string, view: ExplainView): RelationDoc[] {
  return [...view.find('relation', 'application', application)].filter(
    ({ id, endpoints }) =>
      endpoints.length > 1 &&
      impediments({ kind: 'relation', id: String(id) }, view, lookMax).some(
        ({ entity }) => entity && view.get('unit', entity.id)?.application !== application,
      ),
  );
}

function explainAlive(application: ApplicationDoc, walk: Walk): Details {
  const { pending } = application;
  const rolling = explainRollout(application, walk);
  if (rolling) return rolling;
  if (!pending) return explainUnits(application, walk);
  const requirements = explainPending(application, pending, walk);
  const { running } = unitCounts(application.name, walk.view);
  if (running === 0) return requirements;
  const { text, waitsFor, more } = explainUnits(application, walk);
  const units =
    waitsFor.length > 0
      ? text
      : running === 1
        ? 'its running unit stays'
        : `its ${running} running units stay`;
  return {
    text: `${units}; new units wait for ${missingWords(pending.missing)}`,
    waitsFor: [...waitsFor, ...requirements.waitsFor],
    more: more + requirements.more,
  };
}

function explainUnits(application: ApplicationDoc, walk: Walk): Details {
  const { view, root, shownMax, explainCause } = walk;
  const { name } = application;
  const count = view.count('unit', 'application', name);
  const { units, total, looked } = troubled(view.find('unit', 'application', name), view);
  const shown = units.slice(0, shownMax);
  const waitsFor = shown.map((unit) => explainCause({ kind: 'unit', id: unit.name }));
  if (total > 0) {
    const sample =
      looked < count ? `the first ${looked} of its ${plural(count, 'unit')}` : `its ${plural(count, 'unit')}`;
    return {
      text:
        count === 1
          ? 'its unit needs attention'
          : `${total} of ${sample} ${total === 1 ? 'needs' : 'need'} attention`,
      waitsFor,
      more: total - shown.length,
    };
  }
  if (count === 0) return explainWithoutUnits(application, walk);
  const sample = looked < count ? ` with the first ${looked} of its ${plural(count, 'unit')}` : '';
  return {
    text: `no problems found${sample}`,
    ...defined({ removal: root ? removal(name, count) : undefined }),
    waitsFor,
    more: 0,
  };
}

/** A subordinate application gets its units automatically, once its principals' units are up. */
function explainWithoutUnits(application: ApplicationDoc, { view, shownMax, explainCause }: Walk): Details {
  const principals = application.subordinate ? principalsOf(application.name, view) : [application.name];
  const hosts = principals.filter((name) => view.count('unit', 'application', name) > 0);
  if (hosts.length === 0)
    return { text: 'it has no units', actor: firstUnit(application, principals[0]), waitsFor: [], more: 0 };
  const count = hosts.reduce((sum, name) => sum + view.count('unit', 'application', name), 0);
  const { units, total } = troubled(unitsOf(hosts, view), view);
  const shown = units.slice(0, shownMax);
  const named =
    hosts.length > shownMax ? [...hosts.slice(0, shownMax), `${hosts.length - shownMax} more`] : hosts;
  return {
    text: `it has no units yet: they come with the ${count === 1 ? 'unit' : plural(count, 'unit')} of ${listed(named)}`,
    waitsFor: shown.map((unit) => explainCause({ kind: 'unit', id: unit.name })),
    more: total - shown.length,
  };
}

function firstUnit({ name, subordinate }: ApplicationDoc, principal: string | undefined): Actor {
  const addUnit =
    principal === undefined
      ? {
          line: `integrate ${name} <application>`,
          effect: 'adds a unit beside each unit of that application',
        }
      : {
          line: `add-unit ${principal}`,
          effect: subordinate ? `adds a unit to ${principal}, with ${name} beside it` : 'adds a unit',
        };
  return {
    kind: 'operator',
    name: `application ${name}`,
    task: 'add a unit, or remove the application',
    commands: [addUnit, { line: `remove-application ${name}`, effect: 'removes it' }],
  };
}

function* unitsOf(applications: readonly string[], view: ExplainView): Iterable<UnitDoc> {
  for (const name of applications) yield* view.find('unit', 'application', name);
}

/** Applications beside whose units the subordinate's units run, each once. */
function principalsOf(subordinate: string, view: ExplainView): string[] {
  const found = new Set<string>();
  for (const { life, endpoints } of view.find('relation', 'application', subordinate)) {
    const principalEnd = endpoints.find((end) => end.application !== subordinate);
    if (life !== 'alive' || !principalEnd || !endpoints.some((end) => end.scope === 'container')) continue;
    if (!view.get('application', principalEnd.application)?.subordinate) found.add(principalEnd.application);
  }
  return [...found];
}

function removal(name: string, units: number): Removal {
  const effect = `removes it with ${plural(units, 'unit')}`;
  return { refused: '', commands: [{ line: `remove-application ${name}`, effect }] };
}
