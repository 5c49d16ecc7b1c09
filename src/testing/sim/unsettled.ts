import { settingsId } from '../../core/settings/document.ts';
import { scopeId } from '../../core/scope/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { LivingKind } from '../../core/entity-ref.ts';
import { impediments } from '../../core/impediments.ts';
import { unitApplication } from '../../core/names.ts';
import { counterparts } from '../counterparts.ts';
import { gatesToOpen } from '../gate-rules.ts';
import { resourceId } from '../../core/resource/document.ts';
import { isOpen } from '../../core/task/document.ts';
import { statusId, type StatusKind } from '../../core/status.ts';
import { takesPartIn } from '../../controller/transactions/agent/enter-scope.ts';
import type { Reader } from '../../store/store.ts';
import { areInContainer } from '../references.ts';
import { pathOf } from '../../forecast/world/hosts.ts';
import { remembered, withResources } from './charms.ts';
import { hostOf } from './container-names.ts';
import { farSecretsIn, secretsIn, strayContents, strayRecords } from './secrets.ts';
import { offersIn } from './offers.ts';
import { networksIn } from './spaces.ts';
import { storageIn, volumesIn } from './storage.ts';
import type { World } from './world.ts';

type View = Reader<Entities>;
type Seen = Pick<World, 'controller' | 'cloud' | 'machines' | 'vault'>;
/**
 * Whether a failed hook of the unit was skipped by `resolved --no-retry`, so that its charm lacks what the hook would
 * have told it.
 */
type Skipped = (model: string, unit: string) => boolean;

/**
 * Yields sentences about differences from the settled state once faults have ended: nothing is dying, each unit is
 * active and idle and knows what its counterparts wrote, and each machine has exactly one instance. Computed on demand.
 */
export function* unsettled(world: Seen, skipped: Skipped, harvest?: Strays): Iterable<string> {
  const root = world.controller.read();
  const controllerModel = root.get('controller', 'self')?.modelUuid;
  for (const model of root.list('model')) {
    if (model.uuid === controllerModel) continue;
    const view = root.in(model.uuid);
    const where = `in ${model.name}`;
    if (model.life !== 'alive')
      yield `model ${model.name} is ${model.life}${because(view, 'model', model.uuid)}`;
    yield* ends(view, where);
    for (const { name, rollout } of view.find('application', 'rollout', 'rollout'))
      yield `the ${rollout?.kind} of application ${name} ${where} is ${rollout?.state}`;
    yield* gatesToOpen(view);
    yield* machinesIn(view, where);
    yield* unitsIn(view, where, skipped);
    yield* relationsIn(view, where, skipped);
    for (const task of view.list('task'))
      if (isOpen(task)) yield `task ${task.id} ${where} is ${task.status}`;
    yield* strayRecords(view);
    yield* secretsIn(view, where, (unit) => skipped(model.uuid, unit));
    yield* farSecretsIn(view, where, (unit) => skipped(model.uuid, unit));
    yield* storageIn(view, where, (unit) => skipped(model.uuid, unit));
    yield* networksIn(view, where, (unit) => skipped(model.uuid, unit));
  }
  yield* offersIn(root);
  yield* volumesIn(world);
  yield* strayContents(root, world);
  for (const machine of world.machines) {
    const { id, model, state } = machine;
    // Instances that were kept belong to no machine any more.
    if (state !== 'running' || !root.in(model).get('machine', id)) continue;
    for (const unit of machine.units())
      if (root.in(model).get('unit', unit)?.machine !== id)
        yield `machine ${id} still has files of unit ${unit}`;
  }
  yield* instancesOf(world, harvest);
}

/** Instances without a record that may exist. */
interface Strays {
  mayStay(instance: string, model: string): boolean;
}

/** Yields sentences about instances that no record accounts for, and records whose instance does not exist. */
export function* instancesOf({ controller, cloud, machines }: Seen, harvest?: Strays): Iterable<string> {
  const root = controller.read();
  const lost = new Set(machines.filter(({ state }) => state === 'lost').map(({ instance }) => instance));
  const existing = new Set(cloud.instances().map(({ id }) => id));
  const known = new Set<string>();
  const kept = new Set<string>();
  for (const { uuid, keptInstances = [] } of root.list('model')) {
    for (const id of keptInstances) {
      known.add(id);
      kept.add(id);
      const host = hostOf(id);
      // Containers that were kept end with their host.
      const goes = host !== id && !existing.has(host);
      if (!existing.has(id) && !lost.has(id) && !goes)
        yield `instance ${id}, which was to be kept, is not there`;
    }
    for (const { id, instance } of root.in(uuid).list('machine')) {
      if (!instance || instance.unmanaged) continue;
      known.add(instance.id);
      if (!existing.has(instance.id)) yield `instance ${instance.id} of machine ${id} is not there`;
    }
  }
  for (const { id, tags, modelUuid } of cloud.instances())
    // Containers on a machine that was kept are kept with it.
    if (!known.has(id) && !kept.has(hostOf(id)) && !harvest?.mayStay(id, modelUuid))
      yield `instance ${id} (machine ${tags['juju-machine-id']}) is an orphan`;
}

function* ends(view: View, where: string): Iterable<string> {
  for (const { name, life } of view.list('application'))
    if (life !== 'alive')
      yield `application ${name} ${where} is ${life}${because(view, 'application', name)}`;
  for (const { name, life } of view.list('unit'))
    if (life !== 'alive') yield `unit ${name} ${where} is ${life}${because(view, 'unit', name)}`;
  for (const { id, life } of view.list('machine'))
    if (life !== 'alive') yield `machine ${id} ${where} is ${life}${because(view, 'machine', id)}`;
  for (const { id, key, life } of view.list('relation'))
    if (life !== 'alive') yield `relation ${key} ${where} is ${life}${because(view, 'relation', String(id))}`;
}

function because(view: View, kind: LivingKind, id: string): string {
  const found = impediments({ kind, id }, view, 2);
  return found.length === 0 ? ' and nothing blocks it' : `: ${found.map(({ text }) => text).join(', ')}`;
}

function* machinesIn(view: View, where: string): Iterable<string> {
  for (const { id, instance, removeWhenEmpty } of view.list('machine')) {
    const holders =
      view.count('unit', 'machine', id) +
      view.count('machine', 'parent', id) +
      view.count('unit', 'named', id);
    if (removeWhenEmpty && holders === 0) yield `machine ${id} ${where} was made for units and has none`;
    if (!instance) yield `machine ${id} ${where} has no instance: ${statusText(view, 'instance', id)}`;
    else if (statusOf(view, 'machine-agent', id) !== 'started')
      yield `machine ${id} ${where} is ${statusText(view, 'machine-agent', id)}`;
  }
}

function* unitsIn(view: View, where: string, skipped: Skipped): Iterable<string> {
  for (const unit of view.list('unit')) {
    const { name, application, principal, unplaced } = unit;
    if (unplaced) {
      // Waiting units must have a reason to wait; a unit that cannot be placed must say so.
      if (!view.get('application', application)?.pending && unplaced.problem === undefined)
        yield `unit ${name} ${where} is not placed, and nothing is missing`;
      if (principal !== undefined && !areInContainer(view, application, unitApplication(principal)))
        yield `unit ${name} ${where} waits beside ${principal}, and no relation holds it there`;
      continue;
    }
    const wantedCharm = view.get('application', application)?.charmUrl;
    if (unit.charmUrl !== wantedCharm)
      yield `unit ${name} ${where} runs charm ${unit.charmUrl}, its application has ${wantedCharm}`;
    for (const [kind, wanted] of [
      ['unit-agent', 'idle'],
      ['workload', 'active'],
    ] as const)
      if (statusOf(view, kind, name) !== wanted && !(kind === 'workload' && skipped(view.space, name)))
        yield `unit ${name} ${where}: ${kind} is ${statusText(view, kind, name)}`;
    if (!view.get('lease', application)) yield `application ${application} ${where} has no leader`;
    if (skipped(view.space, name)) continue;
    const seen = view.get('unit-state', name)?.charm[remembered.n];
    const current = String(view.get('application', application)?.config['n'] ?? 0);
    if (seen !== current) yield `unit ${name} ${where} was told of n=${seen}, it is ${current}`;
    const told = view.get('payloads', name)?.payloads['n/current']?.labels.join(' ');
    if (told !== current) yield `unit ${name} ${where} has the payload of n=${told}, it is ${current}`;
    if (!withResources.includes(application)) continue;
    const doc = view.get('resource', resourceId({ application, name: 'data' }));
    const has = view.get('unit-state', name)?.charm[remembered.data];
    const wanted = doc ? pathOf('data', doc.fingerprint) : '';
    if (has !== wanted) yield `unit ${name} ${where} has the resource ${has}, it is ${wanted}`;
  }
}

function* relationsIn(view: View, where: string, skipped: Skipped): Iterable<string> {
  for (const relation of view.list('relation')) {
    const id = String(relation.id);
    const members = [...view.find('scope', 'relation', id)];
    for (const { application } of relation.endpoints)
      for (const unit of view.find('unit', 'application', application))
        if (
          !unit.unplaced &&
          !relation.suspended &&
          takesPartIn(view, unit, relation) &&
          !view.get('scope', scopeId({ relation: id, unit: unit.name }))
        )
          yield `unit ${unit.name} ${where} is not in relation ${relation.key}`;
    for (const self of members.filter(({ unit, remote }) => !remote && !skipped(view.space, unit)))
      for (const other of counterparts(self, members)) {
        const seen = view.get('unit-state', self.unit)?.charm[remembered.of(id, other.unit)];
        const current =
          view.get('settings', settingsId({ relation: id, owner: other.unit }))?.values['n'] ?? '';
        if (seen !== current)
          yield `unit ${self.unit} ${where} has seen n=${seen} of ${other.unit} in relation ${relation.key}, it is ${current}`;
      }
  }
}

function statusOf(view: View, kind: StatusKind, entity: string): string {
  return view.get('status', statusId(kind, entity))?.status ?? 'unknown';
}

function statusText(view: View, kind: StatusKind, entity: string): string {
  const status = view.get('status', statusId(kind, entity));
  return status ? `${status.status}${status.message && ` (${status.message})`}` : 'unknown';
}
