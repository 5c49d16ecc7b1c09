/** Removals of what a file made and no longer names: nothing else is taken away. */
import { diffRelations } from '../bundle/diff-bundle.ts';
import { ownValue } from '../bundle/own.ts';
import type { BundlePlan } from '../bundle/plan-bundle.ts';
import type { BundleModel } from '../bundle/bundle-model.ts';
import { compareNames, hostOf } from '../names.ts';
import { parseEndpointText } from '../relation/key.ts';
import type { ModelFile } from './model-file.ts';
import { owns, relationName, type OwnedKind } from './owned.ts';
import type { LiveModel } from './plan.ts';
import { goneValues } from './plan-resets.ts';
import type { ModelStep, RemovalStep } from './step.ts';
import { ByUser } from '../user/by-user.ts';

/** Relations, which make room for what the file adds. Those of replaced applications go with these. */
export function goneRelations(
  { bundle }: ModelFile,
  { bundle: { state }, owned }: LiveModel,
  replaced: Readonly<Record<string, string>>,
): RemovalStep[] {
  const { 'model-additions': gone = [] } = diffRelations(bundle.relations, state.relations) ?? {};
  return gone
    .filter((ends) => owns(owned, 'relation', relationName(ends)))
    .filter((ends) => !ends.some((end) => Object.hasOwn(replaced, parseEndpointText(end).application)))
    .map((endpoints) => ({ kind: 'remove-relation', endpoints }));
}

/** Everything else, of which nothing stands in the way of what the file adds. */
export function goneThings(
  file: ModelFile,
  live: LiveModel,
  plan: Pick<BundlePlan, 'machines'> & { readonly steps: readonly ModelStep[] },
): RemovalStep[] {
  const { state } = live.bundle;
  /** The names that the file made and no longer names, in order. */
  const gone = (kind: OwnedKind, has: Named, wanted: Named): string[] =>
    Object.keys(has)
      .filter((name) => owns(live.owned, kind, name) && !Object.hasOwn(wanted, name))
      .sort();
  const applications = gone('application', state.applications, file.bundle.applications)
    .filter((name) => !live.bundle.dying.includes(name))
    .map((application): RemovalStep => ({ kind: 'remove-application', application }));
  const machines = goneMachines(live, plan, applications);
  const secrets = gone('secret', live.secrets, file.secrets);
  return [
    ...goneGrants(file, live, new Set(secrets)),
    ...goneValues(file, live, {
      machines: plan.machines,
      gone: { machines: new Set(machines), secrets: new Set(secrets) },
    }),
    ...goneOffers(file, live),
    ...applications,
    ...gone('saas', state.saas ?? {}, file.bundle.saas ?? {}).map((saas): RemovalStep => ({
      kind: 'remove-saas',
      saas,
    })),
    ...machines.map((machine): RemovalStep => ({ kind: 'remove-machine', machine })),
    ...secrets.map((secret): RemovalStep => ({
      kind: 'remove-secret',
      secret,
    })),
    ...gone('storage-pool', live.storagePools, file.storagePools).map((pool): RemovalStep => ({
      kind: 'remove-pool',
      pool,
    })),
    ...goneAccess(file, live),
    ...goneConstraints(file, live),
    ...listed(gone('setting', live.settings, file.settings), (names) => ({ kind: 'reset-settings', names })),
  ];
}

type Named = Readonly<Record<string, unknown>>;

function listed(names: readonly string[], step: (names: readonly string[]) => RemovalStep): RemovalStep[] {
  return names.length === 0 ? [] : [step(names)];
}

function goneAccess(file: ModelFile, { access, owned }: LiveModel): RemovalStep[] {
  const named = new ByUser(file.access);
  return Object.entries(access)
    .filter(([user]) => owns(owned, 'access', user) && !named.has(user))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([user, was]) => ({ kind: 'remove-access', user, was }));
}

function goneConstraints({ constraints }: ModelFile, live: LiveModel): RemovalStep[] {
  const isSet = Object.keys(live.constraints).length > 0;
  return constraints === undefined && isSet && owns(live.owned, 'model-constraints', 'model')
    ? [{ kind: 'reset-model-constraints' }]
    : [];
}

/** Rights to read secrets that stay, of others' secrets, too. */
function goneGrants({ secrets }: ModelFile, live: LiveModel, gone: ReadonlySet<string>): RemovalStep[] {
  return Object.keys(live.secrets)
    .filter((secret) => !gone.has(secret))
    .sort()
    .flatMap((secret) => {
      const wanted = new Set(ownValue(secrets, secret)?.grants);
      return [...(ownValue(live.secrets, secret)?.grants ?? [])]
        .filter((name) => !wanted.has(name) && owns(live.owned, 'secret-grant', secret, name))
        .sort()
        .map((application): RemovalStep => ({ kind: 'revoke-secret', secret, application }));
    });
}

/** Offers, and access to offers that stay, of others' applications, too. */
function goneOffers({ bundle }: ModelFile, { bundle: { state }, owned }: LiveModel): RemovalStep[] {
  return Object.keys(state.applications)
    .sort()
    .flatMap((application) => {
      const goes =
        !Object.hasOwn(bundle.applications, application) && owns(owned, 'application', application);
      const wanted = ownValue(bundle.applications, application)?.offers ?? {};
      const has = Object.entries(ownValue(state.applications, application)?.offers ?? {});
      return has.flatMap(([offer, { acl }]): RemovalStep[] => {
        const stays = ownValue(wanted, offer);
        if (!stays && owns(owned, 'offer', offer)) return [{ kind: 'remove-offer', offer }];
        if (goes) return [];
        const named = new ByUser(stays?.acl);
        return Object.entries(acl)
          .filter(([user]) => !named.has(user) && owns(owned, 'offer-access', offer, user))
          .map(([user, was]) => ({ kind: 'revoke-offer', offer, user, was }));
      });
    });
}

/** Machines that nothing of the file is for, and on which no unit stays. */
function goneMachines(
  { bundle, owned }: LiveModel,
  plan: Pick<BundlePlan, 'machines'> & { readonly steps: readonly ModelStep[] },
  applications: readonly RemovalStep[],
): string[] {
  const used = new Set([...plan.machines.values(), ...usedBySteps(plan.steps)]);
  for (const host of hostsLeft(bundle, [...plan.steps, ...applications])) used.add(host);
  const { machines } = bundle;
  return Object.keys(machines)
    .filter((id) => owns(owned, 'machine', id) && machines[id]?.life === 'alive' && !used.has(id))
    .sort(compareNames);
}

function usedBySteps(steps: readonly ModelStep[]): string[] {
  return steps.flatMap((step) =>
    (step.kind === 'add-unit' || step.kind === 'add-machine') && step.at.on.kind === 'machine'
      ? [step.at.on.id, hostOf(step.at.on.id)]
      : [],
  );
}

/**
 * Machines, and their hosts, that have a unit after the removals, or that a unit that waits is to be placed on. Units
 * that are being removed already do not count: the step that removes a machine waits for them.
 */
function hostsLeft({ units, state }: BundleModel, removals: readonly ModelStep[]): string[] {
  const goneApplications = new Set(
    removals.flatMap((step) => (step.kind === 'remove-application' ? [step.application] : [])),
  );
  const goneUnits = new Set(removals.flatMap((step) => (step.kind === 'remove-units' ? step.units : [])));
  return Object.entries(units)
    .filter(([application]) => !goneApplications.has(application))
    .flatMap(([application, all]) => {
      const to = ownValue(state.applications, application)?.to ?? [];
      const staying = all.filter(({ dying }) => !dying);
      return staying.flatMap(({ name, machine }, i) => {
        const place = to[i]?.on;
        const id = machine ?? (place?.kind === 'machine' ? place.machine : undefined);
        return id === undefined || goneUnits.has(name) ? [] : [id, hostOf(id)];
      });
    });
}
