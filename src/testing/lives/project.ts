/** Projection of the documents to the facts of the reference model. */
import type { Ending } from '../../core/life.ts';
import type { Unplaced } from '../../core/unit/document.ts';
import type { Facts, Life, Living, RequireMode } from './facts.ts';
import { foundVolume } from './storage-step.ts';
import type { World } from './world.ts';

const epoch = Date.parse('2026-01-01T00:00:00Z');

export function factsOf(world: World): Facts {
  const { view, state, uuid } = world;
  const model = view.in('').get('model', uuid);
  const facts: Facts = {
    now: state.now,
    model: model && living(model),
    storageEnd: model?.storageEnd ?? '',
    requires: (model?.config['require-endpoints'] ?? 'declared') as RequireMode,
    applications: new Map(),
    units: new Map(),
    machines: new Map(),
    relations: new Map(),
    scopes: new Map(),
    storages: new Map(),
    volumes: new Map(state.volumes),
    numbers: new Map(),
    instances: new Set(state.instances),
    kept: new Set(model?.keptInstances?.map((id) => id.slice('i-'.length))),
    lost: new Set(state.lost),
  };
  for (const one of view.list('application'))
    facts.applications.set(one.name, {
      ...living(one),
      charm: /^local:(.*)-0$/.exec(one.charmUrl)?.[1] ?? '',
      subordinate: one.subordinate,
      require: one.require ?? [],
      closed: Object.keys(one.after ?? {}).find((name) => one.after?.[name]?.opened === undefined) ?? '',
      pending: one.pending !== undefined,
      destroysStorage: one.destroyStorage === true,
    });
  for (const one of view.list('unit'))
    facts.units.set(one.name, {
      ...living(one),
      application: one.application,
      principal: one.principal,
      machine: one.machine ?? '',
      wants: one.unplaced && wantsOf(one.unplaced),
      problem: one.unplaced?.problem !== undefined,
      deployed: one.deployed,
    });
  for (const one of view.list('machine'))
    facts.machines.set(one.id, {
      ...living(one),
      parent: one.parent,
      reaped: one.removeWhenEmpty,
      clean: one.clean,
      keep: one.keepInstance,
      controller: one.isController,
      begun: one.nonce !== undefined,
      recorded: one.instance !== undefined,
    });
  for (const one of view.list('relation'))
    facts.relations.set(String(one.id), {
      ...living(one),
      key: one.key,
      applications: one.endpoints.map(({ application }) => application),
      container: one.endpoints[0]?.scope === 'container',
    });
  for (const { unit, relation, departing } of view.list('scope'))
    facts.scopes.set(`${relation}#${unit}`, { unit, relation, departing });
  for (const one of view.list('storage'))
    facts.storages.set(one.id, {
      own: !one.detachable,
      found: (one.adopting ?? one.made?.providerId) === foundVolume,
      adopting: one.adopting !== undefined,
      unit: one.attachment?.unit ?? '',
      leaving: one.attachment?.life === 'dying',
      machine: one.machine ?? '',
      holder: one.instance?.slice('i-'.length) ?? '',
      made: one.made !== undefined,
      attached: one.attached === true,
      mounted: one.mounted !== undefined,
      ending: one.ending ?? '',
    });
  for (const { name, next } of view.list('sequence'))
    if (/^(machine|storage|relation|unit .*|container .*)$/.test(name)) facts.numbers.set(name, next);
  return facts;
}

function wantsOf({ placement }: Unplaced): string {
  return placement ? `${placement.scope}:${placement.directive}` : '';
}

function living({ life, force }: Ending & { readonly life: Life }): Living {
  return force ? { life, deadline: Date.parse(force.deadline) - epoch } : { life };
}
