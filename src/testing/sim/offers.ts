/** Offers in simulated worlds: their steps, and the state on which two models have to agree in the end. */
import { statusOf } from '../../controller/transactions/tx.ts';
import type { Entities } from '../../core/kinds.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import { localEnd } from '../../core/relation/ends.ts';
import { settingsId } from '../../core/settings/document.ts';
import { deriveApplicationStatus, statusId } from '../../core/status.ts';
import { workloadStatus } from '../../core/unit/workload-status.ts';
import type { Reader } from '../../store/store.ts';
import { guest } from './access.ts';
import { Chance } from './chance.ts';
import { accessSteps } from './generate-access.ts';
import { blows, crossingTroubles, troubles } from './generate-troubles.ts';
import { farName, type OfferCommand } from './offer-commands.ts';
import type { Command, Forced, Script, Step } from './script.ts';

type View = Reader<Entities>;

/** Pairs of an offered application and the one that is related with it. */
const offered: readonly (readonly [application: string, endpoint: string, ends: readonly string[]])[] = [
  ['db', 'server', ['web:db', 'web:db', 'web:db', 'web2:db', 'shop:db', 'pong:db']],
  ['db', 'server', ['web:db']],
  ['db2', 'server', ['web:db', 'shop:db']],
  ['cache', 'store', ['web:cache', 'shipper:store']],
  ['web', 'site', ['shop:site']],
];

/**
 * Generates a script of two small models that consume each other's offers, with faults between them and everywhere
 * else.
 */
export function generateOffersScript({ seed, hours }: { seed: number; hours: number }): Script {
  const chance = new Chance(seed ^ 0x0ffe2);
  const endMs = hours * 3_600_000;
  const steps: Step[] = [
    ...crossingTroubles(chance, endMs),
    ...troubles(chance, endMs),
    ...blows(chance, endMs),
  ];
  /** Model whose offers the guest consumes, as long as the guest may; undefined: the admin consumes all offers. */
  const shown = guestsChance(seed);
  const add = (atMs: number, model: number, command: Command): void => {
    const isGuests = command.do === 'consume' && command.from === shown;
    steps.push({ atMs, by: isGuests ? guest : chance.is(0.5) ? 'alice' : 'bob', model, ...command });
  };
  for (const model of [0, 1])
    for (const application of ['db', 'web', ...(chance.is(0.3) ? ['cache'] : [])])
      add(steps.length, model, { do: 'deploy', application, units: 1 + chance.below(2) });
  for (const [n, from] of (chance.is(0.5) ? [0, 1] : [1, 0]).entries()) {
    for (const [m, command] of related(from).entries()) add(4_000 + n * 20_000 + m * 2_000, ...command);
    // Relations that were removed meanwhile are made again at the end.
    const last = endMs - 30_000 + n * 10_000;
    if (chance.is(0.7)) for (const [m, command] of related(from).entries()) add(last + m * 2_000, ...command);
    if (chance.is(0.5)) add(last + 8_000, from, { do: 'resume-relation', pick: 0 });
  }
  for (let atMs = 50_000; atMs < endMs; atMs += chance.below(chance.is(0.3) ? 2_000 : 25_000)) {
    const [from, command] = offerCommand(chance);
    add(atMs, from, command);
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-controller', step: 1 + chance.below(30) });
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-agent', pick: chance.below(6), step: 3 });
  }
  steps.push(...accessSteps(seed, endMs), ...(shown === undefined ? [] : sharing(seed, shown, endMs)));
  return { seed, hours, steps: steps.toSorted((a, b) => a.atMs - b.atMs) };
}

/** Returns the model whose offers a guest consumes, in two of three worlds. */
function guestsChance(seed: number): number | undefined {
  return [0, 1, undefined][seed % 3];
}

/** Generates the guest's access: the guest may write the other model, and access to offers comes and goes. */
function sharing(seed: number, shown: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0x5a4e);
  const steps: Step[] = [];
  const other = { by: 'alice', model: 1 - shown } as const;
  const by = 'bob';
  const grant = (atMs: number, application: string): void =>
    void steps.push({ atMs, by, model: shown, do: 'grant-offer', application });
  for (const atMs of [3_000, endMs - 35_000]) steps.push({ atMs, ...other, do: 'grant', access: 'write' });
  for (const atMs of [5_000, 25_000, endMs - 29_000, endMs - 19_000]) grant(atMs, 'db');
  for (let atMs = 60_000; atMs < endMs; atMs += 5_000 + chance.below(40_000)) {
    const [application] = chance.of(offered);
    const model = shown;
    steps.push({ atMs, by, model, do: 'revoke-offer', application });
    grant(atMs + chance.below(15_000), application);
    if (chance.is(0.6))
      steps.push({
        atMs: atMs + chance.below(25_000),
        by,
        model,
        do: 'resume-relation',
        pick: chance.below(4),
      });
  }
  return steps;
}

/** Returns commands that relate the web of the other model with the db of this one. */
function related(from: number): readonly (readonly [place: number, command: Command])[] {
  return [
    [from, { do: 'offer', application: 'db', endpoint: 'server' }],
    [1 - from, { do: 'consume', application: 'db', from }],
    [1 - from, { do: 'integrate', ends: ['web:db', farName('db')] }],
  ];
}

/** Returns a command, and the place of the model that it is given in. */
function offerCommand(chance: Chance): readonly [place: number, command: Command] {
  const from = chance.is(0.5) ? 0 : 1;
  const to = 1 - from;
  const [application, endpoint, all] = chance.of(offered);
  const end = chance.of(all);
  const pick = chance.below(4);
  const ends = [end, farName(application)] as const;
  const units = 1;
  const force: { force?: Forced } = chance.is(0.3)
    ? { force: chance.of([{}, { maxWaitS: 0 }, { maxWaitS: 10 }]) }
    : {};
  const forced = chance.is(0.6);
  const n = String(chance.below(1000));
  const consumer = end.split(':')[0]!;
  const offer = { do: 'offer', application, endpoint } as const;
  const consume = { do: 'consume', application, from } as const;
  const integrate = { do: 'integrate', ends } as const;
  return chance.of<readonly [number, Command | OfferCommand]>([
    [from, offer],
    [from, offer],
    [to, consume],
    [to, consume],
    [to, integrate],
    [to, integrate],
    [to, integrate],
    [to, integrate],
    [to, { do: 'remove-relation', ends, ...force }],
    [to, { do: 'remove-relation', ends, ...force }],
    [from, { do: 'remove-offered-relation', pick, ...force }],
    [from, { do: 'suspend-relation', pick }],
    [from, { do: 'suspend-relation', pick }],
    [from, { do: 'resume-relation', pick }],
    [from, { do: 'resume-relation', pick }],
    [to, { do: 'remove-saas', application, ...force }],
    [from, { do: 'remove-offer', application, forced }],
    [from, { do: 'config', application, option: 'n', value: n }],
    [to, { do: 'config', application: consumer, option: 'n', value: n }],
    [from, { do: 'add-unit', application, units }],
    [to, { do: 'add-unit', application: consumer, units }],
    [from, { do: 'remove-unit', application, pick, fresh: false, ...force }],
    [to, { do: 'remove-unit', application: consumer, pick, fresh: false, ...force }],
    [to, { do: 'remove-application', application: consumer, ...force }],
    [from, { do: 'deploy', application, units }],
    [to, { do: 'deploy', application: consumer, units }],
  ]);
}

/**
 * Yields sentences about differences between the two sides of relations, and about leftovers of offers that are gone.
 */
export function* offersIn(root: View): Iterable<string> {
  const models = [...root.list('model')];
  for (const { uuid, name } of models) {
    const view = root.in(uuid);
    for (const relation of view.list('relation')) {
      const { remote } = relation;
      const where = `relation ${relation.key} in ${name}`;
      if (remote?.consumed) yield* consumedSide(root, view, relation, where);
      if (remote?.offered && !otherSide(root.in(remote.offered.model), remote.token, 'consumed'))
        yield `${where} has no consuming side`;
      if (relation.suspended && view.count('scope', 'relation', String(relation.id)) > 0)
        yield `${where} is suspended, and units are in it`;
    }
    for (const { name: of, saas, model } of view.find('remote-application', 'saas', 'saas')) {
      const should = offerStatus(root.in(model), saas!.offerUuid);
      const is = saas!.status.status;
      if (is !== should) yield `SAAS ${of} in ${name} shows ${is}, its offer is ${should}`;
    }
  }
  for (const { user, offer, model } of root.list('offer-access'))
    if (root.in(model).count('offer', 'uuid', offer) === 0)
      yield `access of ${user} to offer ${offer} is left`;
}

function* consumedSide(root: View, view: View, relation: RelationDoc, where: string): Iterable<string> {
  const { application, token, consumed } = relation.remote!;
  const there = root.in(view.get('remote-application', application)?.model ?? '');
  const other = otherSide(there, token, 'offered');
  if (!other || consumed?.state === 'new') {
    const { message } = view.get('status', statusId('relation', String(relation.id))) ?? {};
    yield `${where} has no offering side: ${message}`;
    return;
  }
  const [here, far] = [relation, other].map((one) => one.suspended?.reason);
  if (here !== far) yield `${where} is suspended for "${here}", at the other side for "${far}"`;
  yield* differences([view, relation], [there, other], where);
  yield* differences([there, other], [view, relation], where);
}

function otherSide(view: View, token: string, kind: 'consumed' | 'offered'): RelationDoc | undefined {
  return [...view.find('relation', 'token', token)].find(({ remote }) => remote?.[kind]);
}

/** Yields sentences about what the other side of a relation does not know of this one. */
function* differences(
  [view, relation]: readonly [View, RelationDoc],
  [there, other]: readonly [View, RelationDoc],
  where: string,
): Iterable<string> {
  const [own, far] = [localEnd(relation).application, other.remote!.application];
  const bag = (at: View, { id }: RelationDoc, owner: string): string =>
    sorted(at.get('settings', settingsId({ relation: id, owner }))?.values);
  const members = (at: View, { id }: RelationDoc, application: string): string[] =>
    [...at.find('scope', 'relation', String(id))]
      .filter((scope) => scope.application === application)
      .map(({ unit }) => unit.slice(application.length))
      .toSorted();
  const [units, known] = [members(view, relation, own), members(there, other, far)];
  if (units.join() !== known.join())
    yield `${where}: units ${units.join()} of ${own} are in it, the other side knows ${known.join()}`;
  for (const unit of ['', ...units]) {
    const [is, told] = [bag(view, relation, own + unit), bag(there, other, far + unit)];
    if (is !== told) yield `${where}: settings of ${own}${unit} are ${is}, the other side has ${told}`;
  }
}

function sorted(values: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function offerStatus(view: View, uuid: string): string {
  const [offer] = view.find('offer', 'uuid', uuid);
  const application = offer && view.get('application', offer.application);
  if (!application) return 'terminated';
  const own = statusOf(view, 'application', application.name, application.createdAt);
  const units = [...view.find('unit', 'application', application.name)];
  return deriveApplicationStatus(
    own,
    units.map((unit) => workloadStatus(unit, view)),
  ).status;
}
