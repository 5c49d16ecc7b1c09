/** Model that carries out a plan's steps at once, for tests of model files. */
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import type { BundleApplication, BundlePlacement } from '../../core/bundle/bundle.ts';
import { noMachineMap } from '../../core/bundle/bundle-model.ts';
import { machinesByLabel } from '../../core/bundle/map-machines.ts';
import { exposedToAll } from '../../core/bundle/plan-network.ts';
import { machineAnnotation, type BundleStep } from '../../core/bundle/step.ts';
import { defined } from '../../core/defined.ts';
import { changesOf, type PlanChange } from '../../core/model-file/changes.ts';
import type { ModelFile } from '../../core/model-file/model-file.ts';
import { ownedKey, relationName, type OwnedKind } from '../../core/model-file/owned.ts';
import { parseModelFile } from '../../core/model-file/parse-model-file.ts';
import { planModel, withoutApplications, type ModelToPlan } from '../../core/model-file/plan-model.ts';
import type { LiveModel, ModelPlan } from '../../core/model-file/plan.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import { apply, charmsOf, emptyModel, endpointsOfSaas } from '../bundle/model.ts';
import { charms } from '../bundle/plan-lines.ts';

export const emptyLive: LiveModel = {
  bundle: emptyModel,
  settings: {},
  constraints: {},
  access: { admin: 'admin' },
  secrets: {},
  storagePools: {},
  owned: new Set(),
};

export function fileOfRaw(raw: unknown): ModelFile {
  return parseModelFile(raw);
}

/** Plans the file `raw`, given as parsed YAML; each application's charm is named by the last word of its path. */
export function planFile(
  raw: unknown,
  live: LiveModel,
  options: Partial<Pick<ModelToPlan, 'prune' | 'replaced' | 'movable' | 'checksums' | 'charms'>> = {},
): ModelPlan {
  const file = fileOfRaw(raw);
  return planModel({
    file,
    live,
    charms: charmsOf(file.bundle, charms),
    saas: endpointsOfSaas(file.bundle),
    map: noMachineMap,
    force: false,
    prune: false,
    replaced: {},
    movable: new Set(),
    checksums: {},
    ...options,
  });
}

/** A plan's changes as lines: `change application db options.port`. */
export function changeLines(plan: ModelPlan, live: LiveModel): string[] {
  return changesOf(plan.steps, live, plan).map(lineOf);
}

export function lineOf({ action, kind, name, values = {} }: PlanChange): string {
  const shown = action === 'change' ? ` ${Object.keys(values).sort().join(' ')}` : '';
  return `${action} ${kind} ${name}${shown}`;
}

/** Returns the model after the steps, in which what they make is the file's. */
export function applied(live: LiveModel, { steps, bundle }: Pick<ModelPlan, 'steps' | 'bundle'>): LiveModel {
  let after = live;
  /** The model's machine for one of the file. */
  const machineOf = (number: string): string => {
    const labelled = [...machinesByLabel(after.bundle)].find(([label]) => label.startsWith(`${number} (`));
    return bundle.machines.get(number) ?? labelled![1];
  };
  let pending: BundleStep[] = [];
  const flush = (): void => {
    if (pending.length > 0) after = { ...after, bundle: apply(after.bundle, pending, charms) };
    pending = [];
  };
  for (const step of steps) {
    if (step.kind === 'annotate' && 'machine' in step.on) {
      flush();
      const change = (values: object) => ({ ...values, ...step.annotations });
      after = { ...after, bundle: annotated(after.bundle, machineOf(step.on.machine), change) };
    } else if (isOfBundle(step)) pending.push(step);
    else {
      flush();
      after = afterStep(after, step);
    }
  }
  flush();
  after = { ...after, bundle: asExported(after.bundle) };
  const owned = new Set(after.owned);
  for (const step of steps) for (const key of madeBy(step, machineOf)) owned.add(key);
  return { ...after, owned };
}

/** The model with containers and machines of its bundle as export-bundle shows them. */
function asExported(model: BundleModel): BundleModel {
  const hosts = new Set<string>();
  const placed = ({ container, on }: BundlePlacement): BundlePlacement => {
    if (on.kind !== 'machine') return { ...defined({ container }), on };
    const [host = '', type] = on.machine.split('/');
    hosts.add(host);
    return { ...defined({ container: container ?? type }), on: { kind: 'machine', machine: host } };
  };
  const applications = Object.fromEntries(
    Object.entries(model.state.applications).map(([name, one]) => [name, { ...one, to: one.to.map(placed) }]),
  );
  const machines = Object.fromEntries(
    Object.entries(model.machines)
      .filter(([id]) => hosts.has(id))
      .map(
        ([
          id,
          {
            base,
            annotations: { [machineAnnotation]: _label, ...annotations },
          },
        ]) => [id, { base, constraints: {}, annotations }],
      ),
  );
  return { ...model, state: { ...model.state, applications, machines } };
}

const ofBundle = [
  'upload',
  'deploy',
  'attach',
  'refresh',
  'set-options',
  'set-constraints',
  'set-after',
  'bind',
  'expose',
  'offer',
  'grant',
  'consume',
  'integrate',
  'add-machine',
  'add-unit',
  'annotate',
];

function isOfBundle(step: ModelStep): step is BundleStep {
  return ofBundle.includes(step.kind);
}

function afterStep(live: LiveModel, step: Exclude<ModelStep, BundleStep>): LiveModel {
  switch (step.kind) {
    case 'set-settings':
      return { ...live, settings: { ...live.settings, ...step.values } };
    case 'reset-settings':
      return { ...live, settings: without(live.settings, step.names) };
    case 'set-model-constraints':
      return { ...live, constraints: step.constraints };
    case 'reset-model-constraints':
      return { ...live, constraints: {} };
    case 'set-access':
      return { ...live, access: { ...live.access, [step.user]: step.access } };
    case 'remove-access':
      return { ...live, access: without(live.access, [step.user]) };
    case 'set-pool': {
      const { provider, attributes } = step;
      return { ...live, storagePools: { ...live.storagePools, [step.pool]: { provider, attributes } } };
    }
    case 'remove-pool':
      return { ...live, storagePools: without(live.storagePools, [step.pool]) };
    case 'set-secret': {
      const { grants = [], description = '' } = live.secrets[step.secret] ?? {};
      const secret = { grants, description: step.description ?? description };
      return { ...live, secrets: { ...live.secrets, [step.secret]: secret } };
    }
    case 'remove-secret':
      return { ...live, secrets: without(live.secrets, [step.secret]) };
    case 'reset-description': {
      const secret = { ...live.secrets[step.secret]!, description: '' };
      return { ...live, secrets: { ...live.secrets, [step.secret]: secret } };
    }
    case 'grant-secret':
    case 'revoke-secret': {
      const secret = live.secrets[step.secret]!;
      const others = secret.grants.filter((name) => name !== step.application);
      const grants = step.kind === 'grant-secret' ? [...others, step.application] : others;
      return { ...live, secrets: { ...live.secrets, [step.secret]: { ...secret, grants } } };
    }
    case 'remove-application': {
      const secrets = Object.entries(live.secrets).map(([name, one]) => [
        name,
        { ...one, grants: one.grants.filter((reader) => reader !== step.application) },
      ]);
      const bundle = withoutApplications(live.bundle, [step.application]);
      return { ...live, bundle, secrets: Object.fromEntries(secrets) as LiveModel['secrets'] };
    }
    default:
      return { ...live, bundle: afterRemoval(live.bundle, step) };
  }
}

function afterRemoval(model: BundleModel, step: Exclude<ModelStep, BundleStep>): BundleModel {
  const changed = (name: string, change: (one: BundleApplication) => BundleApplication): BundleModel => ({
    ...model,
    state: {
      ...model.state,
      applications: { ...model.state.applications, [name]: change(model.state.applications[name]!) },
    },
  });
  switch (step.kind) {
    case 'remove-units': {
      const units = (model.units[step.application] ?? []).filter(({ name }) => !step.units.includes(name));
      const to = (one: BundleApplication) => one.to.slice(0, units.length);
      const after = changed(step.application, (one) => ({ ...one, units: units.length, to: to(one) }));
      return { ...after, units: { ...model.units, [step.application]: units } };
    }
    case 'remove-relation': {
      const name = relationName(step.endpoints);
      const isOther = (ends: readonly string[]): boolean => relationName(ends as [string, string]) !== name;
      return {
        ...model,
        relations: model.relations.filter(({ endpoints }) =>
          isOther(endpoints.map((end) => `${end.application}:${end.name}`)),
        ),
        state: { ...model.state, relations: model.state.relations.filter(isOther) },
      };
    }
    case 'remove-offer': {
      return changed(ownerOf(model, step.offer), ({ offers, ...one }) => ({
        ...one,
        offers: without(offers ?? {}, [step.offer]),
      }));
    }
    case 'reset-options':
      return changed(step.application, (one) => ({
        ...one,
        options: without(one.options, step.options),
        trust: one.trust && !step.options.includes('trust'),
      }));
    case 'reset-constraints':
      return changed(step.application, (one) => ({ ...one, constraints: {} }));
    case 'unexpose':
      return changed(step.application, ({ exposedEndpoints = exposedToAll, ...one }) => {
        const left = step.endpoints ? without(exposedEndpoints, step.endpoints) : {};
        return Object.keys(left).length === 0
          ? { ...one, exposed: false }
          : { ...one, exposedEndpoints: left };
      });
    case 'reset-after':
      return changed(step.application, ({ after: _after, ...one }) => one);
    case 'reset-bindings':
      return changed(step.application, (one) => ({
        ...one,
        bindings: without(one.bindings, Object.keys(step.bindings)),
      }));
    case 'reset-annotations':
      if ('application' in step.on)
        return changed(step.on.application, (one) => ({
          ...one,
          annotations: without(one.annotations, step.keys),
        }));
      return annotated(model, step.on.machine, (values) => without(values, step.keys));
    case 'revoke-offer': {
      const { offer, user, to } = step;
      return changed(ownerOf(model, offer), ({ offers = {}, ...one }) => {
        const { acl, ...rest } = offers[offer]!;
        const left = to === undefined ? without(acl, [user]) : { ...acl, [user]: to };
        return { ...one, offers: { ...offers, [offer]: { ...rest, acl: left } } };
      });
    }
    case 'remove-saas': {
      const saas = without(model.state.saas ?? {}, [step.saas]);
      return { ...model, saas: without(model.saas, [step.saas]), state: { ...model.state, saas } };
    }
    case 'remove-machine':
      return { ...model, machines: without(model.machines, [step.machine]) };
    case 'set-base':
      return changed(step.application, (one) => ({ ...one, base: step.base }));
    default:
      throw new Error(`the world of tests does not know the step ${step.kind}`);
  }
}

function ownerOf({ state: { applications } }: BundleModel, offer: string): string {
  return Object.keys(applications).find((name) => applications[name]?.offers?.[offer])!;
}

/** The model with other annotations of a machine, in both of its places. */
function annotated(
  model: BundleModel,
  id: string,
  change: (values: Readonly<Record<string, string>>) => Record<string, string>,
): BundleModel {
  const of = <T extends { readonly annotations: Readonly<Record<string, string>> }>(
    machines: Readonly<Record<string, T>>,
  ): Record<string, T> =>
    Object.fromEntries(
      Object.entries(machines).map(([key, one]) => [
        key,
        key === id ? { ...one, annotations: change(one.annotations) } : one,
      ]),
    );
  const state = { ...model.state, machines: of(model.state.machines) };
  return { ...model, machines: of(model.machines), state };
}

function madeBy(step: ModelStep, machineOf: (number: string) => string): string[] {
  const key = (kind: OwnedKind, ...names: readonly string[]): string =>
    ownedKey({ kind, name: names.join(' ') });
  const options = (application: string, all: object): string[] =>
    Object.keys(all).map((name) => key('option', application, name));
  switch (step.kind) {
    case 'deploy':
      return [
        key('application', step.application),
        key('constraints', step.application),
        key('trust', step.application),
        key('after', step.application),
        ...Object.keys(step.bindings).map((endpoint) => key('binding', step.application, endpoint)),
        ...options(step.application, step.options),
      ];
    case 'set-after':
      return [key('after', step.application)];
    case 'bind':
      return Object.keys(step.bindings).map((endpoint) => key('binding', step.application, endpoint));
    case 'add-machine':
      return 'machine' in step.for ? [key('machine', machineOf(step.for.machine))] : [];
    case 'annotate': {
      const { on, annotations } = step;
      const of = 'application' in on ? `application ${on.application}` : `machine ${machineOf(on.machine)}`;
      return Object.keys(annotations).map((name) => key('annotation', of, name));
    }
    case 'grant':
      return [key('offer-access', step.offer, step.user)];
    case 'consume':
      return [key('saas', step.saas)];
    case 'set-options':
      return [key('trust', step.application), ...options(step.application, step.options)];
    case 'set-constraints':
      return [key('constraints', step.application)];
    case 'expose':
      return [key('expose', step.application)];
    case 'offer':
      return [key('offer', step.offer)];
    case 'integrate':
      return [key('relation', relationName(step.endpoints))];
    case 'set-settings':
      return Object.keys(step.values).map((name) => key('setting', name));
    case 'set-model-constraints':
      return [key('model-constraints', 'model')];
    case 'set-access':
      return [key('access', step.user)];
    case 'set-pool':
      return [key('storage-pool', step.pool)];
    case 'set-secret':
      return [key('secret', step.secret), key('secret-description', step.secret)];
    case 'grant-secret':
      return [key('secret-grant', step.secret, step.application)];
    default:
      return [];
  }
}

function without<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
