/** What changes of the entities that have a life did: born, dying, dead, gone, and what was set in between. */
import { formatBase } from '../base.ts';
import { formatConstraints, type Constraints } from '../constraints.ts';
import type { ApplicationDoc, Ending, MachineDoc, ModelDoc, RelationDoc, UnitDoc } from '../entities.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Life } from '../life.ts';
import { placedOn } from '../placement.ts';
import { openRanges } from '../ports.ts';
import { missingWords } from '../requirements/requirement.ts';
import type { HistoryEvent, PastNames } from './event.ts';
import { changedKeys, changedValues, same, shown, toldOf, type Values } from './values.ts';

export function describeApplication(
  before: ApplicationDoc | undefined,
  after: ApplicationDoc | undefined,
  names: PastNames,
): HistoryEvent[] {
  const { name } = (after ?? before)!;
  const self: EntityRef = { kind: 'application', id: name };
  const isSecret =
    (charmUrl: string) =>
    (option: string): boolean =>
      // A secret of a charm that nobody knows any more is still one.
      names.isSecretOption(charmUrl, option) ?? true;
  return describe(`application ${name}`, [self], before, after, {
    born: (now) =>
      inBrackets([
        `charm ${now.charmUrl} on ${formatBase(now.base)}`,
        ...constraintsOf(now.constraints),
        ...configChanges(undefined, now, isSecret(now.charmUrl)),
        ...(now.trust ? ['trusted'] : []),
        ...(now.require ? [`requires ${now.require.join(', ')}`] : []),
        ...waiting(undefined, now),
      ]),
    changed: (old, now) => [
      ...waiting(old, now),
      ...moved('charm', old.charmUrl, now.charmUrl),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...configChanges(old, now, (key) => isSecret(old.charmUrl)(key) || isSecret(now.charmUrl)(key)),
      ...(old.trust === now.trust ? [] : [now.trust ? 'trusted' : 'trusted no longer']),
      ...exposure(old, now),
      ...keysOf('endpoint bindings', old.endpointBindings, now.endpointBindings),
      ...moved('workload version', old.workloadVersion, now.workloadVersion),
      ...(same(old.charmOrigin, now.charmOrigin) || old.charmUrl !== now.charmUrl
        ? []
        : ['charm origin changed']),
    ],
  });
}

function configChanges(
  old: ApplicationDoc | ModelDoc | undefined,
  now: ApplicationDoc | ModelDoc,
  isSecret: (option: string) => boolean,
): string[] {
  return toldOf('config changed', () =>
    changedValues(old?.config, now.config, isSecret).map((text) => `config ${text}`),
  );
}

/** What it waits for now. One that goes waits for nothing. */
function waiting(old: ApplicationDoc | undefined, { pending, life }: ApplicationDoc): string[] {
  if (same(old?.pending?.missing, pending?.missing)) return [];
  if (pending) return [`waits for ${missingWords(pending.missing)}`];
  return life === 'alive' ? ['requirements met'] : [];
}

export function describeUnit(before: UnitDoc | undefined, after: UnitDoc | undefined): HistoryEvent[] {
  const unit = (after ?? before)!;
  const { name, application, machine, principal } = unit;
  const self: EntityRef = { kind: 'unit', id: name };
  const others: EntityRef[] = [{ kind: 'application', id: application }];
  if (machine !== undefined) others.push({ kind: 'machine', id: machine });
  if (principal !== undefined) others.push({ kind: 'unit', id: principal });
  return describe(`unit ${name}`, [self, ...others], before, after, {
    born: (now) =>
      [
        ...(now.principal === undefined ? [] : [`beside unit ${now.principal}`]),
        ...(now.machine === undefined ? [] : [`on machine ${now.machine}`]),
      ].join(' '),
    changed: (old, now) => [
      ...moved('charm', old.charmUrl, now.charmUrl),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...(old.resolved === now.resolved ? [] : [resolutions[now.resolved]]),
      ...ranges(old, now),
      ...moved('workload version', old.workloadVersion, now.workloadVersion),
      ...(now.deployed && !old.deployed ? ['agent started'] : []),
      ...(now.unplaced?.problem === undefined || now.unplaced.problem === old.unplaced?.problem
        ? []
        : [`cannot be placed: ${now.unplaced.problem}`]),
    ],
    told: (old, now) =>
      old.machine === now.machine || now.machine === undefined
        ? []
        : [['placed', `on machine ${now.machine}`]],
  });
}
const resolutions: Readonly<Record<UnitDoc['resolved'], string>> = {
  'retry-hooks': 'resolved, the failed hook is to be run again',
  'no-hooks': 'resolved, the failed hook is not to be run again',
  '': 'resolution taken up',
};

export function describeMachine(
  before: MachineDoc | undefined,
  after: MachineDoc | undefined,
): HistoryEvent[] {
  const { id, parent } = (after ?? before)!;
  const refs: EntityRef[] = [{ kind: 'machine', id }];
  if (parent !== undefined) refs.push({ kind: 'machine', id: parent });
  return describe(`machine ${id}`, refs, before, after, {
    born: (now) =>
      inBrackets([
        formatBase(now.base),
        ...(now.parent === undefined ? [] : [`in machine ${now.parent}`]),
        ...constraintsOf(now.constraints),
        ...(now.placement && placedOn(now.placement) === undefined && now.placement.directive !== ''
          ? [`placement ${now.placement.directive}`]
          : []),
      ]),
    changed: (old, now) => [
      ...starts(old, now),
      ...(now.keepInstance && !old.keepInstance ? ['its instance is to be kept'] : []),
      ...(old.clean && !now.clean && now.life === 'alive'
        ? ['is clean no longer: it has its first unit']
        : []),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...(old.removeWhenEmpty === now.removeWhenEmpty
        ? []
        : [now.removeWhenEmpty ? 'is removed with its last unit' : 'stays without units']),
    ],
    told: (old, now) => [
      ...(now.instance && now.instance.id !== old.instance?.id
        ? [['instance', `${now.instance.displayName || now.instance.id} started`] as const]
        : []),
      ...(now.hostname === old.hostname ? [] : [['hostname', now.hostname || 'none'] as const]),
      ...(same(old.addresses, now.addresses)
        ? []
        : [['addresses', now.addresses.map((address) => address.value).join(', ') || 'none'] as const]),
    ],
  });
}

/** Each attempt that changes something of the record, and what came of an instance that it has no longer. */
function starts(old: MachineDoc, now: MachineDoc): string[] {
  const failed = (now.failedZones ?? []).filter((zone) => !old.failedZones?.includes(zone));
  const anew = (old.failedZones ?? []).length > 0 && (now.failedZones ?? []).length === 0 && !now.instance;
  const isAsked = now.nonce !== undefined && now.nonce !== old.nonce && !now.instance;
  const gone = now.life === 'alive' ? 'given up: it gets another' : 'released';
  const zone = isAsked
    ? [now.zone === undefined ? 'an instance is asked for' : `an instance is asked for in zone ${now.zone}`]
    : // An attempt that left nothing leaves no zone either.
      now.zone === undefined
      ? []
      : moved('zone', old.zone ?? '', now.zone);
  return [
    ...failed.map((one) => `could not be started in zone ${one}`),
    ...(anew ? ['all zones may be tried anew'] : []),
    ...(old.instance && !now.instance ? [`instance ${old.instance.id} ${gone}`] : zone),
  ];
}

export function describeRelation(
  before: RelationDoc | undefined,
  after: RelationDoc | undefined,
): HistoryEvent[] {
  const { id, key, endpoints } = (after ?? before)!;
  const applications = [...new Set(endpoints.map((end) => end.application))];
  const refs: EntityRef[] = [
    { kind: 'relation', id: String(id) },
    ...applications.map((application): EntityRef => ({ kind: 'application', id: application })),
  ];
  return describe(`relation ${id} (${key})`, refs, before, after, {});
}

export function describeModel(
  before: ModelDoc | undefined,
  after: ModelDoc | undefined,
  names: PastNames,
): HistoryEvent[] {
  const { uuid } = (after ?? before)!;
  const isSecret = (key: string): boolean => names.isSecretModelKey(key);
  return describe('model', [{ kind: 'model', id: uuid }], before, after, {
    born: (now) =>
      inBrackets([
        `${now.owner}/${now.name} on ${now.region === '' ? now.cloud : `${now.cloud}/${now.region}`}`,
        ...configChanges(undefined, now, isSecret),
      ]),
    changed: (old, now) => [
      ...moved('name', old.name, now.name),
      ...moved('owner', old.owner, now.owner),
      ...moved('credential', old.credential, now.credential),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...configChanges(old, now, isSecret),
      ...(now.keptInstances ?? [])
        .filter((instance) => !old.keptInstances?.includes(instance))
        .map((instance) => `instance ${instance} is left running`),
    ],
  });
}

interface Living extends Ending {
  readonly life: Life;
}

/** Births, ends and deaths are in the history of all `about`; the rest is only in that of the first. */
function describe<D extends Living>(
  subject: string,
  about: readonly EntityRef[],
  before: D | undefined,
  after: D | undefined,
  words: {
    /** What a new one is. */
    readonly born?: (now: D) => string;
    readonly changed?: (old: D, now: D) => string[];
    /** As `changed`, each with what is this one's own; in the history of all `about`. */
    readonly told?: (old: D, now: D) => (readonly [what: string, detail: string])[];
  },
): HistoryEvent[] {
  const event = (what: string, detail = ''): HistoryEvent => ({ subject, what, detail, about });
  if (!after) return before ? [event('removed')] : [];
  if (!before) {
    const born = event('created', words.born?.(after));
    return after.life === 'alive' ? [born] : [born, event(`life ${after.life}`)];
  }
  const own = about.slice(0, 1);
  return [
    ...(before.life === after.life ? [] : [event(`life ${before.life} -> ${after.life}`)]),
    ...(after.force && !same(before.force, after.force)
      ? [event(`forced: what is left of it is cleared at ${after.force.deadline}`)]
      : []),
    ...(words.told?.(before, after) ?? []).map(([what, detail]) => event(what, detail)),
    ...(words.changed?.(before, after) ?? []).map((what) => ({ ...event(what), about: own })),
  ];
}

function inBrackets(parts: readonly string[]): string {
  return `(${parts.join(', ')})`;
}

function moved(what: string, from: string, to: string): string[] {
  return from === to ? [] : [`${what} ${from === '' ? 'none' : from} -> ${to === '' ? 'none' : to}`];
}

function keysOf(what: string, before: Values, after: Values): string[] {
  const keys = changedKeys(before, after);
  return keys === '' ? [] : [`${what}: ${keys}`];
}

function constraintsOf(constraints: Constraints): string[] {
  const text = formatConstraints(constraints);
  return text === '' ? [] : [`constraints ${shown(text)}`];
}

function exposure(old: ApplicationDoc, now: ApplicationDoc): string[] {
  if (same(old.exposed, now.exposed)) return [];
  if (!now.exposed) return ['unexposed'];
  const endpoints = Object.keys(now.exposed).map((endpoint) => (endpoint === '' ? 'all' : endpoint));
  return [`exposed: ${endpoints.join(', ')}`];
}

function ranges(old: UnitDoc, now: UnitDoc): string[] {
  const was = new Set(openRanges(old.ports));
  const is = new Set(openRanges(now.ports));
  return [
    ...[...is].filter((range) => !was.has(range)).map((range) => `opened ${range}`),
    ...[...was].filter((range) => !is.has(range)).map((range) => `closed ${range}`),
  ];
}
