import { formatBase } from '../base.ts';
import type { BundleApplication } from '../bundle/bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { exposedToAll } from '../bundle/plan-network.ts';
import type { DeployStep, UnitRef } from '../bundle/step.ts';
import { formatStorage } from '../bundle/storage.ts';
import { formatConstraints } from '../constraints.ts';
import { defined } from '../defined.ts';
import { ByUser } from '../user/by-user.ts';
import type { ChangeAction, ChangeKind, PlanChange, ValueChange } from './changes.ts';
import type { LiveModel } from './plan.ts';
import type { ModelStep } from './step.ts';

type Values = Record<string, ValueChange>;
type Named = Readonly<Record<string, unknown>>;
type Changes = {
  readonly [K in ModelStep['kind']]: (step: Extract<ModelStep, { kind: K }>) => readonly PlanChange[];
};

/**
 * Returns the changes of each step; none for those that only prepare others. `machines`: the file's machine → the
 * model's, where it has it. `unitName`: as namesIn.
 */
export function changesOfStep(
  live: LiveModel,
  machines: ReadonlyMap<string, string>,
  unitName: (unit: UnitRef) => string,
): (step: ModelStep) => readonly PlanChange[] {
  const table: Changes = {
    ...ofApplications(live),
    ...ofOffers(live),
    ...ofModel(live),
    ...ofMachines(live, machines, unitName),
  };
  return (step) => (table[step.kind] as (step: ModelStep) => readonly PlanChange[])(step);
}

type OfApplications =
  | 'upload'
  | 'restore-charm'
  | 'restore-resource'
  | 'deploy'
  | 'attach'
  | 'refresh'
  | 'set-options'
  | 'reset-options'
  | 'set-constraints'
  | 'reset-constraints'
  | 'set-base'
  | 'set-after'
  | 'bind'
  | 'expose'
  | 'unexpose'
  | 'reset-after'
  | 'reset-bindings'
  | 'remove-application';

function ofApplications({ bundle: { state } }: LiveModel): Pick<Changes, OfApplications> {
  const has = (name: string): BundleApplication | undefined => ownValue(state.applications, name);
  const changed = (name: string, values: Values): readonly PlanChange[] => [
    one('change', 'application', name, values),
  ];
  const options = (name: string): Named => ({
    ...has(name)?.options,
    ...(has(name)?.trust ? { trust: true } : {}),
  });
  return {
    upload: () => [],
    'restore-charm': () => [],
    'restore-resource': ({ application, resource, revision }) =>
      changed(application, { [`resources.${resource}`]: { to: `its content at revision ${revision}` } }),
    deploy: (step) => [one('add', 'application', step.application, valuesOf(step))],
    attach: ({ application, resource }) =>
      changed(application, { [`resources.${resource}`]: { to: 'the contents of its file' } }),
    refresh: ({ application, charm }) =>
      changed(application, { charm: { from: has(application)?.charm, to: charmText(charm) } }),
    'set-options': (step) =>
      changed(step.application, each('options', options(step.application), step.options)),
    'reset-options': (step) =>
      changed(step.application, each('options', options(step.application), absent(step.options))),
    'set-constraints': ({ application, constraints }) =>
      changed(application, {
        constraints: {
          ...defined({ from: formatConstraints(has(application)?.constraints ?? {}) || undefined }),
          to: formatConstraints(constraints),
        },
      }),
    'reset-constraints': ({ application }) =>
      changed(application, { constraints: { from: formatConstraints(has(application)?.constraints ?? {}) } }),
    'set-base': ({ application, base }) => {
      const old = has(application)?.base ?? state.defaultBase;
      return changed(application, {
        base: { ...defined({ from: old && formatBase(old) }), to: formatBase(base) },
      });
    },
    'set-after': ({ application, after }) => {
      const before = has(application)?.after ?? {};
      return changed(application, each('after', before, { ...absent(Object.keys(before)), ...after }));
    },
    bind: ({ application, bindings }) =>
      changed(application, each('bindings', has(application)?.bindings ?? {}, bindings)),
    expose: ({ application, endpoints }) => {
      const old = has(application);
      const before = old?.exposed ? (old.exposedEndpoints ?? exposedToAll) : {};
      return changed(application, each('exposed', before, endpoints ?? exposedToAll));
    },
    unexpose: ({ application, endpoints }) => {
      const open = has(application)?.exposedEndpoints ?? exposedToAll;
      return changed(application, each('exposed', open, absent(endpoints ?? Object.keys(open))));
    },
    'reset-after': ({ application }) => {
      const before = has(application)?.after ?? {};
      return changed(application, each('after', before, absent(Object.keys(before))));
    },
    'reset-bindings': ({ application, bindings }) =>
      changed(application, each('bindings', has(application)?.bindings ?? {}, absent(Object.keys(bindings)))),
    'remove-application': ({ application, replaced }) => [
      {
        ...one(replaced === undefined ? 'remove' : 'replace', 'application', application),
        ...defined({ why: replaced }),
      },
    ],
  };
}

/** What a new application is made of, as far as its file or its charm says it. */
function valuesOf(step: DeployStep): Values {
  const constraints = formatConstraints(step.constraints);
  return {
    charm: { to: charmText(step.charm) },
    base: { to: formatBase(step.base) },
    ...each('options', {}, step.options),
    ...(constraints === '' ? {} : { constraints: { to: constraints } }),
    ...each('bindings', {}, step.bindings),
    ...each('resources', {}, step.resources ?? {}),
    ...each('storage', {}, formatStorage(step.storage)),
    ...(step.require.length === 0 ? {} : { require: { to: [...step.require] } }),
    ...each('after', {}, step.after ?? {}),
  };
}

type OfOffers =
  | 'offer'
  | 'grant'
  | 'remove-offer'
  | 'revoke-offer'
  | 'consume'
  | 'remove-saas'
  | 'integrate'
  | 'remove-relation';

function ofOffers({ bundle: { state, saas: consumed } }: LiveModel): Pick<Changes, OfOffers> {
  const offers = new Map(
    Object.values(state.applications).flatMap(({ offers: each = {} }) => Object.entries(each)),
  );
  const urlOf = (saas: string): string | undefined => {
    const url = ownValue(state.saas ?? {}, saas)?.url;
    return url === undefined || Object.hasOwn(consumed, saas) ? url : `${url} (terminated)`;
  };
  /** The access before; none where it is the same, which is given again to an offer that is made anew. */
  const before = (offer: string, user: string, to: string): string | undefined => {
    const had = new ByUser(offers.get(offer)?.acl).get(user);
    return had === to ? undefined : had;
  };
  return {
    offer: ({ offer, endpoints, changes, application }) => [
      changes
        ? one('change', 'offer', offer, { endpoints: { from: offers.get(offer)?.endpoints, to: endpoints } })
        : one('add', 'offer', offer, { application: { to: application }, endpoints: { to: endpoints } }),
    ],
    grant: ({ offer, user, access: to }) => [
      one('change', 'offer', offer, {
        [`access.${user}`]: { ...defined({ from: before(offer, user, to) }), to },
      }),
    ],
    'remove-offer': ({ offer, replaced }) => [
      {
        ...one(replaced === undefined ? 'remove' : 'replace', 'offer', offer),
        ...defined({ why: replaced }),
      },
    ],
    'revoke-offer': ({ offer, user, was, to }) => [
      one('change', 'offer', offer, { [`access.${user}`]: { from: was, ...defined({ to }) } }),
    ],
    consume: ({ saas, url }) => [
      urlOf(saas) === undefined
        ? one('add', 'saas', saas, { url: { to: url } })
        : one('change', 'saas', saas, { url: { from: urlOf(saas), to: url } }),
    ],
    'remove-saas': ({ saas }) => [one('remove', 'saas', saas)],
    integrate: ({ endpoints }) => [one('add', 'relation', endpoints.join(' '))],
    'remove-relation': ({ endpoints }) => [one('remove', 'relation', endpoints.join(' '))],
  };
}

type OfMachines =
  | 'add-machine'
  | 'remove-machine'
  | 'add-unit'
  | 'remove-units'
  | 'annotate'
  | 'reset-annotations';

function ofMachines(
  { bundle }: LiveModel,
  machines: ReadonlyMap<string, string>,
  unitName: (unit: UnitRef) => string,
): Pick<Changes, OfMachines> {
  return {
    'add-machine': ({ for: purpose, base, constraints }) => {
      const asked = formatConstraints(constraints);
      return [
        one(
          'add',
          'machine',
          'machine' in purpose ? `new ${purpose.machine}` : `new for ${unitName(purpose.unit)}`,
          {
            base: { to: formatBase(base) },
            ...(asked === '' ? {} : { constraints: { to: asked } }),
          },
        ),
      ];
    },
    'remove-machine': ({ machine }) => [one('remove', 'machine', machine)],
    'add-unit': ({ unit }) => [one('add', 'unit', unitName(unit))],
    'remove-units': ({ units }) => units.map((name) => one('remove', 'unit', name)),
    'reset-annotations': ({ on, keys }) => {
      const isOfApplication = 'application' in on;
      const name = isOfApplication ? on.application : on.machine;
      const all = isOfApplication ? bundle.state.applications : bundle.machines;
      const before = ownValue<{ annotations: Named }>(all, name)?.annotations ?? {};
      const values = each('annotations', before, absent(keys));
      return [one('change', isOfApplication ? 'application' : 'machine', name, values)];
    },
    annotate: ({ on, annotations }) => {
      const id = 'application' in on ? on.application : machines.get(on.machine);
      const all = 'application' in on ? bundle.state.applications : bundle.machines;
      const before = id === undefined ? {} : (ownValue<{ annotations: Named }>(all, id)?.annotations ?? {});
      const values = each('annotations', before, annotations);
      if ('application' in on) return [one('change', 'application', on.application, values)];
      return [
        id === undefined
          ? one('add', 'machine', `new ${on.machine}`, values)
          : one('change', 'machine', id, values),
      ];
    },
  };
}

function ofModel(
  live: LiveModel,
): Pick<Changes, Exclude<ModelStep['kind'], OfApplications | OfOffers | OfMachines>> {
  const settings = (values: Named): PlanChange[] =>
    Object.entries(values).map(([name, to]) => {
      const from = ownValue(live.settings, name);
      const action = from === undefined ? 'add' : to === undefined ? 'remove' : 'change';
      return one(action, 'setting', name, { value: defined({ from, to }) });
    });
  return {
    'set-settings': ({ values }) => settings(values),
    'reset-settings': ({ names }) => settings(absent(names)),
    'set-model-constraints': ({ constraints }) => [
      one('change', 'model', 'constraints', {
        constraints: {
          ...defined({ from: formatConstraints(live.constraints) || undefined }),
          to: formatConstraints(constraints),
        },
      }),
    ],
    'reset-model-constraints': () => [
      one('change', 'model', 'constraints', { constraints: { from: formatConstraints(live.constraints) } }),
    ],
    'set-access': ({ user, access, was }) => [
      one(was === undefined ? 'add' : 'change', 'access', user, {
        access: { ...defined({ from: was }), to: access },
      }),
    ],
    'remove-access': ({ user, was }) => [one('remove', 'access', user, { access: { from: was } })],
    'set-pool': ({ pool, provider, attributes, changes }) => {
      const old = ownValue(live.storagePools, pool);
      return [
        one(changes ? 'change' : 'add', 'storage-pool', pool, {
          ...(old?.provider === provider
            ? {}
            : { provider: { ...defined({ from: old?.provider }), to: provider } }),
          ...each('attributes', old?.attributes ?? {}, {
            ...absent(Object.keys(old?.attributes ?? {})),
            ...attributes,
          }),
        }),
      ];
    },
    'remove-pool': ({ pool }) => [one('remove', 'storage-pool', pool)],
    'set-secret': ({ secret, changes, description, content }) => [
      one(changes ? 'change' : 'add', 'secret', secret, {
        ...(description === undefined
          ? {}
          : {
              description: {
                ...defined({ from: ownValue(live.secrets, secret)?.description }),
                to: description,
              },
            }),
        ...(content ? { content: { to: 'the contents of its sources' } } : {}),
      }),
    ],
    'reset-description': ({ secret }) => [
      one('change', 'secret', secret, {
        description: defined({ from: ownValue(live.secrets, secret)?.description }),
      }),
    ],
    'grant-secret': ({ secret, application }) => [
      one('change', 'secret', secret, { [`grants.${application}`]: { to: true } }),
    ],
    'revoke-secret': ({ secret, application }) => [
      one('change', 'secret', secret, { [`grants.${application}`]: { from: true } }),
    ],
    'remove-secret': ({ secret }) => [one('remove', 'secret', secret)],
  };
}

function one(action: ChangeAction, kind: ChangeKind, name: string, values?: Values): PlanChange {
  return { action, kind, name, ...defined({ values }) };
}

/** The values that differ, each under the group's name; undefined in `after` = it goes. */
function each(group: string, before: Named, after: Named): Values {
  return Object.fromEntries(
    Object.entries(after)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, to]) => {
        const from = ownValue(before, name);
        if (JSON.stringify(from) === JSON.stringify(to)) return [];
        return [[name === '' ? group : `${group}.${name}`, defined({ from, to })]];
      }),
  );
}

function absent(names: readonly string[]): Named {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function charmText(charm: DeployStep['charm']): string {
  return 'path' in charm ? charm.path : charm.url;
}
