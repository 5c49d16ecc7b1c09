/** Model that carries out a bundle's steps at once, for tests of plans. */
import type { Bundle, BundleApplication, BundlePlacement, BundleSaas } from '../../core/bundle/bundle.ts';
import type { BundleCharm, BundleModel, ModelMachine, ModelUnit } from '../../core/bundle/bundle-model.ts';
import { parseMachineMap } from '../../core/bundle/map-machines.ts';
import { exposedToAll } from '../../core/bundle/plan-network.ts';
import { ownValue } from '../../core/bundle/own.ts';
import { parseBundle } from '../../core/bundle/parse-bundle.ts';
import { planBundle, type BundlePlan } from '../../core/bundle/plan-bundle.ts';
import { planRelations } from '../../core/bundle/plan-relations.ts';
import type { BundleStep, MachineRef, UnitPlacement, UnitRef } from '../../core/bundle/step.ts';
import { requirementsIn, waitsOf } from '../../core/bundle/waits.ts';
import { hostOf } from '../../core/names.ts';
import { defined } from '../../core/defined.ts';
import { offeredAt } from './charms.ts';

export type Charms = Readonly<Record<string, BundleCharm>>;

export const emptyModel: BundleModel = {
  state: { applications: {}, machines: {}, relations: [] },
  dying: [],
  units: {},
  machines: {},
  relations: [],
  saas: {},
  connections: {},
  requirements: {},
  requireMode: 'declared',
};

/** Plans the bundle `raw`, given as parsed YAML; each application's charm is named by the last word of its path. */
export function plan(raw: object, model: BundleModel, charms: Charms, map = ''): BundlePlan {
  const { bundle } = parseBundle(raw);
  return planBundle({
    bundle,
    model,
    charms: charmsOf(bundle, charms),
    map: parseMachineMap(map),
    saas: endpointsOfSaas(bundle),
    force: false,
  });
}

export function endpointsOfSaas({ saas = {} }: Bundle): BundleModel['saas'] {
  return Object.fromEntries(
    Object.entries(saas).flatMap(([name, { url }]) => (offeredAt[url] ? [[name, offeredAt[url]]] : [])),
  );
}

/** Returns the model after some of a plan's steps, as a controller would have it. */
export function apply(model: BundleModel, steps: readonly BundleStep[], charms: Charms): BundleModel {
  const world = new World(model);
  for (const step of steps) world.do(step);
  return world.settled(charms);
}

export function charmsOf(bundle: Bundle, charms: Charms): Charms {
  return Object.fromEntries(
    Object.entries(bundle.applications).flatMap(([name, { charm }]) => {
      const found = charms[charm.slice(charm.lastIndexOf('/') + 1)];
      return found ? [[name, found]] : [];
    }),
  );
}

class World {
  readonly #applications: Record<string, BundleApplication>;
  readonly #units: Record<string, ModelUnit[]>;
  readonly #machines: Record<string, ModelMachine>;
  readonly #relations: [string, string][];
  readonly #consumed: Record<string, BundleSaas>;
  readonly #made = new Map<string, string>();
  readonly #model: BundleModel;

  constructor(model: BundleModel) {
    this.#model = model;
    this.#applications = { ...model.state.applications };
    this.#units = Object.fromEntries(Object.entries(model.units).map(([name, units]) => [name, [...units]]));
    this.#machines = { ...model.machines };
    this.#relations = model.state.relations.map(([a, b]) => [a, b]);
    this.#consumed = { ...model.state.saas };
  }

  do(step: BundleStep): void {
    switch (step.kind) {
      case 'attach':
      case 'upload':
        return;
      case 'deploy': {
        const { trust = false, ...options } = step.options;
        this.#applications[step.application] = {
          charm: 'path' in step.charm ? step.charm.path : step.charm.url,
          base: step.base,
          units: 0,
          to: [],
          options,
          constraints: step.constraints,
          annotations: {},
          exposed: false,
          bindings: step.bindings,
          trust: trust === true,
          require: step.require,
          ...defined({ after: step.after, storage: step.storage }),
        };
        return;
      }
      case 'refresh':
        return this.#change(step.application, () => ({
          charm: 'path' in step.charm ? step.charm.path : step.charm.url,
        }));
      case 'set-options': {
        const { trust = this.#application(step.application).trust, ...options } = step.options;
        return this.#change(step.application, (one) => ({
          options: { ...one.options, ...options },
          trust: trust === true,
        }));
      }
      case 'set-constraints':
        return this.#change(step.application, () => ({ constraints: step.constraints }));
      case 'set-after':
        return this.#change(step.application, () => ({ after: step.after }));
      case 'bind':
        return this.#change(step.application, ({ bindings }) => ({
          bindings: { ...bindings, ...step.bindings },
        }));
      case 'expose':
        return this.#change(step.application, ({ exposedEndpoints }) => ({
          exposed: true,
          exposedEndpoints: { ...exposedEndpoints, ...(step.endpoints ?? exposedToAll) },
        }));
      case 'offer':
        return this.#change(step.application, ({ offers = {} }) => ({
          offers: {
            ...offers,
            [step.offer]: { endpoints: step.endpoints, acl: ownValue(offers, step.offer)?.acl ?? {} },
          },
        }));
      case 'grant':
        for (const [name, { offers = {} }] of Object.entries(this.#applications)) {
          const offer = ownValue(offers, step.offer);
          if (!offer) continue;
          const granted = { ...offer, acl: { ...offer.acl, [step.user]: step.access } };
          this.#change(name, () => ({ offers: { ...offers, [step.offer]: granted } }));
        }
        return;
      case 'consume':
        this.#consumed[step.saas] = { url: step.url };
        return;
      case 'integrate':
        this.#relations.push([...step.endpoints]);
        return;
      case 'add-machine':
        this.#made.set(step.id, this.#newMachine(step.at, { ...step, life: 'alive' }));
        return;
      case 'add-unit': {
        const { application } = step.unit;
        const units = (this.#units[application] = ownValue(this.#units, application) ?? []);
        const { base = { name: 'ubuntu', channel: '24.04/stable' } } = this.#application(application);
        const machine = step.waits
          ? undefined
          : this.#newMachine(step.at, { base, life: 'alive', annotations: {} });
        units.push({ name: `${application}/${units.length}`, ...defined({ machine }) });
        return this.#change(application, (one) => ({
          units: units.length,
          to: [...one.to, machine === undefined ? this.#asked(step.at) : onMachine(machine)],
        }));
      }
      case 'annotate':
        if ('application' in step.on)
          this.#change(step.on.application, (one) => ({
            annotations: { ...one.annotations, ...step.annotations },
          }));
    }
  }

  settled(charms: Charms): BundleModel {
    const bundle: Bundle = {
      ...this.#model.state,
      applications: this.#applications,
      relations: this.#relations,
      ...(Object.keys(this.#consumed).length > 0 ? { saas: this.#consumed } : {}),
    };
    const saas = Object.fromEntries(
      Object.entries(this.#consumed).map(([name, { url }]) => [name, offeredAt[url] ?? []]),
    );
    const runs = charmsOf(bundle, charms);
    const bases = Object.fromEntries(
      Object.entries(this.#applications).flatMap(([name, { base }]) => (base ? [[name, base]] : [])),
    );
    const empty = { ...this.#model, relations: [], requirements: {} };
    const added = planRelations({
      relations: this.#relations,
      charms: runs,
      bases,
      saas,
      requirements: (name, meta) => requirementsIn(bundle, empty, name, meta),
      existing: [],
    });
    const waits = waitsOf(bundle, empty, runs, added);
    return {
      ...this.#model,
      state: bundle,
      units: this.#units,
      machines: this.#machines,
      relations: added.map((endpoints) => ({ endpoints })),
      saas,
      requirements: Object.fromEntries(
        Object.entries(runs).map(([name, { meta }]) => {
          const missing = waits.get(name);
          const requirements = requirementsIn(bundle, empty, name, meta);
          return [name, { subordinate: meta.subordinate, requirements, ...defined({ missing }) }];
        }),
      ),
    };
  }

  /** Returns the machine for a placement; creates it if necessary. */
  #newMachine({ container, on }: UnitPlacement, { life, base, annotations }: ModelMachine): string {
    const machine = { life, base, annotations };
    const hosts = Object.keys(this.#machines).filter((id) => !id.includes('/'));
    const named = on.kind === 'new' || on.kind === 'directive' ? undefined : this.#id(on);
    if (named !== undefined && container === undefined) return named;
    const host = hostOf(named ?? String(hosts.length));
    if (named === undefined) this.#machines[host] = machine;
    if (container === undefined) return host;
    const beside = Object.keys(this.#machines).filter((id) => id.startsWith(`${host}/`));
    const id = `${host}/${container}/${beside.length}`;
    this.#machines[id] = machine;
    return id;
  }

  #asked({ container, on }: UnitPlacement): BundlePlacement {
    const where = container === undefined ? {} : { container };
    if (on.kind === 'new' || on.kind === 'directive') return { ...where, on };
    return { ...where, ...onMachine(this.#id(on)) };
  }

  #id(ref: MachineRef): string {
    const id =
      ref.kind === 'machine' ? ref.id : ref.kind === 'made' ? this.#made.get(ref.step) : this.#of(ref.unit);
    if (id === undefined) throw new Error(`no machine for ${JSON.stringify(ref)}`);
    return id;
  }

  #of({ application, index }: UnitRef): string | undefined {
    return ownValue(this.#units, application)?.[index]?.machine;
  }

  #application(name: string): BundleApplication {
    const application = ownValue(this.#applications, name);
    if (!application) throw new Error(`no application ${name}`);
    return application;
  }

  #change(name: string, change: (one: BundleApplication) => Partial<BundleApplication>): void {
    const one = this.#application(name);
    this.#applications[name] = { ...one, ...change(one) };
  }
}

function onMachine(machine: string): BundlePlacement {
  return { on: { kind: 'machine', machine } };
}
