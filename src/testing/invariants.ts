/**
 * Invariants of a model at every revision, whatever users, agents and workers did, in whatever order. Invariants are
 * computed from the documents alone and not by the rules in core: where both have an answer, the answers must agree.
 */
import { impediments, isImpeded } from '../core/impediments.ts';
import type { Ending, Life } from '../core/life.ts';
import type { KindSpec } from '../core/kind.ts';
import type { Entities, Kind } from '../core/kinds.ts';
import { specs } from '../core/specs.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import type { EntityRef } from '../core/entity-ref.ts';
import type { StatusKind } from '../core/status.ts';
import type { Reader } from '../store/store.ts';
import { collectReferences, type References } from './references.ts';
import { checkOffers } from './offer-rules.ts';
import { checkRollouts } from './rollout-rules.ts';
import { checkStorage } from './storage-rules.ts';
import { missingIn, withoutWords } from './requirements.ts';
import { charmTag, machineTag, relationTag, unitTag } from '../wire/tags.ts';

type View = Reader<Entities>;

/** State that a later check of the same model is compared with. */
export interface Seen {
  /** `unit mysql/0` → its life, and when it was created: an application's name may be used again. */
  readonly lives: ReadonlyMap<string, Sight>;
  /** Sequence → the next number that it gives. */
  readonly numbers: ReadonlyMap<string, number>;
}

interface Sight {
  readonly life: Life;
  readonly born: string;
  /** Time at which the removal was requested. */
  readonly since?: string;
  /** Machine of a unit. */
  readonly machine?: string;
}

/** Returns a sentence for each invariant that does not hold; with `before`, also for invalid changes since then. */
export function violations(view: View, before?: Seen): string[] {
  const wrong: string[] = [];
  const must: Must = (holds, text) => {
    if (!holds) wrong.push(text());
  };
  const refs = collectReferences(view);
  checkIds(view, must);
  checkModel(view, must);
  checkApplications(view, refs, must);
  checkRequirements(view, must);
  checkUnits(view, refs, must);
  checkRollouts(view, must);
  checkStorage(view, must);
  checkMachines(view, refs, must);
  checkRelations(view, refs, must);
  checkOffers(view, must);
  checkBelongings(view, must);
  checkCounts(view, refs, must);
  checkNumbers(view, must);
  if (before) checkTime(view, before, must);
  return wrong;
}

function checkIds(view: View, must: Must): void {
  for (const kind of Object.keys(specs) as Kind[]) checkIdsOf(view, kind, must);
}

function checkIdsOf<P extends Kind>(view: View, kind: P, must: Must): void {
  const { idOf } = specs[kind] as KindSpec<Entities[P]>;
  for (const doc of view.list(kind))
    must(view.get(kind, idOf(doc)) === doc, () => `${kind} ${idOf(doc)} is stored under another id`);
}

export function seen(view: View): Seen {
  const lives = new Map<string, Sight>();
  const note = (what: string, doc: Ending & { life: Life; createdAt: string; machine?: string }): void => {
    const since = doc.dyingSince === undefined ? {} : { since: doc.dyingSince };
    const machine = doc.machine === undefined ? {} : { machine: doc.machine };
    lives.set(what, { life: doc.life, born: doc.createdAt, ...since, ...machine });
  };
  for (const application of view.list('application')) note(`application ${application.name}`, application);
  for (const unit of view.list('unit')) note(`unit ${unit.name}`, unit);
  for (const machine of view.list('machine')) note(`machine ${machine.id}`, machine);
  for (const relation of view.list('relation')) note(`relation ${relation.id}`, relation);
  const numbers = new Map([...view.list('sequence')].map(({ name, next }) => [name, next]));
  return { lives, numbers };
}

type Must = (holds: unknown, text: () => string) => void;

function checkModel(view: View, must: Must): void {
  if (view.in('').get('model', view.space)) return;
  for (const kind of ['application', 'unit', 'machine', 'relation', 'scope'] as const)
    must(view.count(kind) === 0, () => `the model is gone and has ${view.count(kind)} ${kind}s`);
}

function checkApplications(view: View, refs: References, must: Must): void {
  for (const application of view.list('application')) {
    const { name, charmUrl, life } = application;
    const what = `application ${name}`;
    must(view.get('charm', charmUrl), () => `${what} has no charm ${charmUrl}`);
    const before = application.rollout?.before.charmUrl ?? charmUrl;
    must(view.get('charm', before), () => `${what} has no charm ${before}, which a rollback needs`);
    const ofUnits = new Set((refs.unitsOf.get(name) ?? []).map((unit) => unit.charmUrl));
    for (const url of Object.keys(application.older ?? {}))
      must(url !== charmUrl && ofUnits.has(url), () => `${what} keeps options of ${url}, which no unit runs`);
    const blocks = [
      ...(refs.unitsOf.get(name) ?? []).map((unit) => `unit ${unit.name}`),
      ...(refs.usedOffersOf.get(name) ?? []).map((offer) => `offer ${offer}`),
      ...(refs.relationsOf.get(name) ?? []).flatMap((relation) =>
        (refs.holdersOfRelation.get(relation) ?? []).map((unit) => `${unit} in relation ${relation}`),
      ),
    ];
    must(life !== 'dying' || blocks.length > 0, () => `${what} is dying and nothing holds it`);
    must(life !== 'dead' || blocks.length === 0, () => `${what} is dead and has ${blocks.join(', ')}`);
    checkEnding(what, application, must);
    checkRule({ kind: 'application', id: name }, blocks, view, must);
  }
}

/** Checks that stored requirements equal those computed here. */
function checkRequirements(view: View, must: Must): void {
  const missing = missingIn(view);
  for (const { name, life, pending } of view.list('application')) {
    if (life !== 'alive') continue;
    const [is, should] = [pending?.missing, missing.get(name)].map((missing) =>
      JSON.stringify(withoutWords(missing ?? [])),
    );
    must(is === should, () => `application ${name} waits for ${is}, it should wait for ${should}`);
  }
}

function checkUnits(view: View, refs: References, must: Must): void {
  const besides = new Set<string>();
  for (const unit of view.list('unit')) {
    const { name, life } = unit;
    const what = `unit ${name}`;
    must(view.get('application', unit.application), () => `${what} has no application`);
    must(view.get('charm', unit.charmUrl), () => `${what} has no charm ${unit.charmUrl}`);
    const { charmUrl, older = {} } = view.get('application', unit.application) ?? { charmUrl: unit.charmUrl };
    must(
      unit.charmUrl === charmUrl || Object.hasOwn(older, unit.charmUrl),
      () => `${what} runs ${unit.charmUrl}, whose options its application has forgotten`,
    );
    must(name.startsWith(`${unit.application}/`), () => `${what} is of ${unit.application}`);
    if (unit.machine === undefined) checkUnplaced(unit, view, refs, must);
    else {
      must(!unit.unplaced, () => `${what} is unplaced and on machine ${unit.machine}`);
      const machine = view.get('machine', unit.machine);
      must(machine, () => `${what} has no machine ${unit.machine}`);
      // The agent would be gone with its dead machine: the unit would never end.
      must(machine?.life !== 'dead', () => `${what} is on machine ${unit.machine}, which is dead`);
    }
    const blocks = [
      ...(refs.subordinates.get(name) ?? []).map((one) => `subordinate ${one}`),
      ...(refs.scopesOfUnit.get(name) ?? []).map((relation) => `scope of relation ${relation}`),
      ...(refs.storageOfUnit.get(name) ?? []).map((storage) => `storage ${storage}`),
    ];
    must(life !== 'dead' || blocks.length === 0, () => `${what} is dead and has ${blocks.join(', ')}`);
    checkEnding(what, unit, must);
    checkRule({ kind: 'unit', id: name }, blocks, view, must);
    if (unit.principal === undefined) {
      must(!view.get('application', unit.application)?.subordinate, () => `${what} has no principal`);
      continue;
    }
    const principal = view.get('unit', unit.principal);
    must(principal, () => `${what} has no principal ${unit.principal}`);
    must(principal?.principal === undefined, () => `${what} is a subordinate's subordinate`);
    must(principal?.machine !== undefined, () => `${what} has a principal that is unplaced`);
    must(
      unit.unplaced ?? principal?.machine === unit.machine,
      () => `${what} is not on its principal's machine`,
    );
    const pair = `${unit.application} beside ${unit.principal}`;
    must(!besides.has(pair), () => `there is more than one unit of ${pair}`);
    besides.add(pair);
  }
}

/** Checks unplaced units: no agent knows of these units, so they wait or are removed at once. */
function checkUnplaced(unit: UnitDoc, view: View, refs: References, must: Must): void {
  const { name, life, unplaced, deployed } = unit;
  const what = `unit ${name}`;
  must(unplaced, () => `${what} has no machine and is not unplaced`);
  must(life === 'alive', () => `${what} is unplaced and ${life}`);
  must(!deployed, () => `${what} is unplaced and deployed`);
  const scopes = refs.scopesOfUnit.get(name) ?? [];
  must(scopes.length === 0, () => `${what} is unplaced and in relation ${scopes.join(', ')}`);
  must(view.get('lease', unit.application)?.holder !== name, () => `${what} is unplaced and leads`);
}

function checkMachines(view: View, refs: References, must: Must): void {
  for (const machine of view.list('machine')) {
    const { id, life, parent } = machine;
    const what = `machine ${id}`;
    must(parent === undefined || view.get('machine', parent), () => `${what} has no host ${parent}`);
    const holders = [
      ...(machine.isController ? ['the controller'] : []),
      ...(refs.principalsOn.get(id) ?? []).map((unit) => `unit ${unit}`),
      ...(refs.containersOn.get(id) ?? []).map((container) => `container ${container}`),
    ];
    must(life !== 'dead' || holders.length === 0, () => `${what} is dead and has ${holders.join(', ')}`);
    // Machines that were removed by force hold their storage until their instance is gone.
    const blocks = [
      ...holders,
      ...(refs.lastingStorageOn.get(id) ?? []).map((storage) => `storage ${storage}`),
    ];
    must(life === 'alive' || !machine.isController, () => `${what} is ${life} and runs the controller`);
    checkEnding(what, machine, must);
    checkRule({ kind: 'machine', id }, blocks, view, must);
  }
}

function isThere(view: View, application: string): boolean {
  return (view.get('application', application) ?? view.get('remote-application', application)) !== undefined;
}

function checkRelations(view: View, refs: References, must: Must): void {
  const keys = new Set<string>();
  for (const relation of view.list('relation')) {
    const id = String(relation.id);
    const what = `relation ${id} (${relation.key})`;
    must(!keys.has(relation.key), () => `${what} is there more than once`);
    keys.add(relation.key);
    for (const { application } of relation.endpoints)
      must(isThere(view, application), () => `${what} has no application ${application}`);
    const members = refs.holdersOfRelation.get(id) ?? [];
    must(relation.life !== 'dying' || members.length > 0, () => `${what} is dying and nobody is in it`);
    must(
      relation.life !== 'dead' || members.length === 0,
      () => `${what} is dead and has ${members.join(', ')}`,
    );
    checkEnding(what, relation, must);
    checkRule({ kind: 'relation', id }, members, view, must);
  }
  for (const scope of view.list('scope')) {
    const what = `scope of ${scope.unit} in relation ${scope.relation}`;
    const relation = view.get('relation', scope.relation);
    must(scope.remote ?? view.get('unit', scope.unit), () => `${what}: there is no such unit`);
    must(relation, () => `${what}: there is no such relation`);
    must(
      !relation || relation.endpoints.some(({ application }) => application === scope.application),
      () => `${what}: its application is no member`,
    );
    must(
      scope.container === '' || view.get('unit', scope.container),
      () => `${what}: there is no principal ${scope.container}`,
    );
  }
}

/** Checks that `dyingSince` and `force` exist exactly when the life says so. */
function checkEnding(
  what: string,
  { life, dyingSince, force }: Ending & { readonly life: Life },
  must: Must,
): void {
  must((life === 'alive') === (dyingSince === undefined), () => `${what} is ${life} since ${dyingSince}`);
  must(life !== 'alive' || !force, () => `${what} is forced and alive`);
}

/** Checks that core's rules agree with the documents. */
function checkRule(entity: EntityRef, blocks: readonly string[], view: View, must: Must): void {
  const listed = impediments(entity, view).map(({ text }) => text);
  must(
    listed.length > 0 === blocks.length > 0,
    () =>
      `${entity.kind} ${entity.id} is impeded by [${listed.join(', ')}], it should be by [${blocks.join(', ')}]`,
  );
  must(
    isImpeded(entity, view) === listed.length > 0,
    () => `${entity.kind} ${entity.id}: isImpeded and impediments do not agree`,
  );
}

const ownerOf: Readonly<Record<StatusKind, 'application' | 'machine' | 'relation' | 'unit' | undefined>> = {
  'unit-agent': 'unit',
  workload: 'unit',
  application: 'application',
  'machine-agent': 'machine',
  instance: 'machine',
  modification: 'machine',
  relation: 'relation',
  model: undefined,
};

/** Checks that nothing of an entity outlives it, except its history. */
function checkBelongings(view: View, must: Must): void {
  for (const { relation, owner } of view.list('settings'))
    must(view.get('relation', relation), () => `settings of ${owner} in relation ${relation}, which is gone`);
  for (const { kind, entity } of view.list('status')) {
    const owner = ownerOf[kind];
    must(!owner || view.get(owner, entity), () => `status ${kind} of ${entity}, which is gone`);
  }
  for (const kind of ['unit-state', 'unit-resources', 'payloads'] as const)
    for (const { unit } of view.list(kind))
      must(view.get('unit', unit), () => `${kind} of unit ${unit}, which is gone`);
  for (const { application, holder } of view.list('lease')) {
    must(view.get('application', application), () => `lease of ${application}, which is gone`);
    must(view.get('unit', holder), () => `lease of ${application} held by ${holder}, which is gone`);
  }
  for (const { application } of view.list('leader-settings'))
    must(view.get('application', application), () => `leader settings of ${application}, which is gone`);
  for (const { name, application } of view.list('offer'))
    must(view.get('application', application), () => `offer ${name} of ${application}, which is gone`);
  for (const { id, receiver, receiverKind, status } of view.list('task'))
    if (status === 'pending' || status === 'running')
      must(view.get(receiverKind, receiver), () => `task ${id} waits for ${receiver}, which is gone`);
  checkAnnotations(view, must);
}

function checkAnnotations(view: View, must: Must): void {
  if (view.count('annotation') === 0) return;
  const known = new Set([
    ...[...view.list('application')].map(({ name }) => `application-${name}`),
    ...[...view.list('unit')].map(({ name }) => unitTag(name)),
    ...[...view.list('machine')].map(({ id }) => machineTag(id)),
    ...[...view.list('charm')].map(({ url }) => charmTag(url)),
    ...[...view.list('relation')].map(({ key }) => relationTag(key)),
    `model-${view.space}`,
  ]);
  for (const { tag } of view.list('annotation'))
    must(known.has(tag), () => `annotation of ${tag}, which is gone`);
}

/** Checks that counters agree with the stored documents. */
function checkCounts(view: View, refs: References, must: Must): void {
  const same = (kind: 'scope' | 'unit', index: string, value: string, stored: number): void => {
    const counted = view.count(kind, index, value);
    must(counted === stored, () => `${counted} ${kind}s counted by ${index} ${value}, ${stored} are stored`);
    const found = [...view.find(kind, index, value)].length;
    must(found === stored, () => `${found} ${kind}s found by ${index} ${value}, ${stored} are stored`);
  };
  for (const { name } of view.list('application'))
    same('unit', 'application', name, refs.unitsOf.get(name)?.length ?? 0);
  for (const { name } of view.list('unit')) {
    same('unit', 'principal', name, refs.subordinates.get(name)?.length ?? 0);
    same('scope', 'unit', name, refs.scopesOfUnit.get(name)?.length ?? 0);
  }
  for (const { id } of view.list('relation'))
    same('scope', 'relation', String(id), refs.scopesOfRelation.get(String(id))?.length ?? 0);
}

/** Checks that each number was given by its sequence. */
function checkNumbers(view: View, must: Must): void {
  for (const [what, sequence, number] of numbered(view)) {
    const next = view.get('sequence', sequence)?.next ?? 0;
    must(number < next, () => `${what} has a number that "${sequence}" gives next (${next})`);
  }
}

/** Checks that no life goes back, no number is given twice and no removal begins twice. */
function checkTime(view: View, before: Seen, must: Must): void {
  const now = seen(view);
  const order: readonly Life[] = ['alive', 'dying', 'dead'];
  for (const [what, { life, born, since }] of now.lives) {
    const old = before.lives.get(what);
    if (old?.born !== born) continue;
    must(order.indexOf(life) >= order.indexOf(old.life), () => `${what} was ${old.life} and is ${life}`);
    must(
      old.since === undefined || old.since === since,
      () => `${what} was dying since ${old.since}, and now since ${since}`,
    );
  }
  for (const { name, application, machine } of view.list('unit')) {
    const old = before.lives.get(`unit ${name}`);
    if (machine === old?.machine) continue;
    must(
      old?.machine === undefined,
      () => `unit ${name} was on machine ${old?.machine}, it is on ${machine}`,
    );
    const pending = view.get('application', application)?.pending;
    must(!pending, () => `unit ${name} was placed while application ${application} is pending`);
  }
  for (const [what, sequence, number] of numbered(view)) {
    if (before.lives.has(what)) continue;
    const next = before.numbers.get(sequence) ?? 0;
    must(number >= next, () => `${what} has a number that was given before`);
  }
  const model = view.in('').get('model', view.space);
  const isOver = model?.life !== 'alive' && view.count('application') + view.count('machine') === 0;
  for (const [name, next] of before.numbers) {
    // The sequences of an emptied model are removed with it.
    if (isOver) break;
    const after = now.numbers.get(name) ?? 0;
    must(after >= next, () => `sequence "${name}" went back from ${next} to ${after}`);
  }
}

/** Yields the numbered entities with their sequence; a container's number belongs to its host. */
function* numbered(view: View): Iterable<[what: string, sequence: string, number: number]> {
  for (const { name, application } of view.list('unit'))
    yield [`unit ${name}`, `unit ${application}`, Number(name.split('/')[1])];
  for (const { id, parent } of view.list('machine'))
    if (parent === undefined) yield [`machine ${id}`, 'machine', Number(id)];
  for (const { id } of view.list('relation')) yield [`relation ${id}`, 'relation', id];
}
