/** The file that a revert applies: the model as it was, or parts of it in the model as it is. */
import type { Bundle, BundleApplication, BundleRelation } from '../../bundle/bundle.ts';
import { ownValue } from '../../bundle/own.ts';
import { defined } from '../../defined.ts';
import { JujuError } from '../../errors.ts';
import type { RollingRequest } from '../../rollout/rollout.ts';
import { compareNames } from '../../names.ts';
import { parseEndpointText } from '../../relation/key.ts';
import { fileOf } from '../file-of.ts';
import type { ModelFile } from '../model-file.ts';
import type { OwnedThings } from '../owned.ts';
import type { LiveModel } from '../plan.ts';
import { revertible } from './everything.ts';
import { alignedPlacements, withBases } from './past-application.ts';
import { pastAccess, pastPools, pastSecrets } from './past-of-model.ts';
import type { Left, PastModel } from './past-model.ts';

interface RevertFile {
  readonly file: ModelFile;
  /** What the plan may take away. */
  readonly owned: OwnedThings;
  readonly left: readonly Left[];
}

interface ToRevert {
  readonly past: PastModel;
  readonly live: Omit<LiveModel, 'owned'>;
  /** The applications that are reverted; absent = everything. */
  readonly only?: readonly string[];
  /** How units take another charm; absent = all at once. */
  readonly rolling?: RollingRequest;
  /** The user who reverts. */
  readonly user: string;
  /** Consumed applications (SAAS) of then whose offers cannot be consumed any more → why. */
  readonly lostOffers: ReadonlyMap<string, string>;
}

/** Makes the file. Errors: `not found`: an application of `only` that the model neither had nor has. */
export function revertFile({ past, live, only, rolling, user, lostOffers }: ToRevert): RevertFile {
  const left: Left[] = [];
  const earlier = fileOf(based(past.live), '');
  const now = fileOf(based(live), '');
  for (const name of only ?? [])
    if (!Object.hasOwn(earlier.bundle.applications, name) && !Object.hasOwn(now.bundle.applications, name))
      throw new JujuError('not found', `application "${name}" not found, neither then nor now`);
  const isReverted = (name: string): boolean => !only || only.includes(name);
  const applications = {
    ...picked(now.bundle.applications, (name) => !isReverted(name)),
    ...pastApplications({ past, live, earlier, now, ...defined({ rolling }) }, isReverted, left),
  };
  const wanted = only ? { ...saasOf(earlier.bundle, isReverted), ...now.bundle.saas } : earlier.bundle.saas;
  const saas = picked(wanted ?? {}, (name) => !lostOffers.has(name));
  for (const [name, why] of lostOffers)
    if (wanted && Object.hasOwn(wanted, name))
      left.push({ kind: 'saas', name, text: `${name} is not consumed again: ${why}` });
  const bundle: Bundle = {
    ...(Object.keys(saas).length > 0 ? { saas } : {}),
    applications,
    machines: machinesOf(applications, [earlier.bundle.machines, now.bundle.machines]),
    relations: relationsOf(
      { earlier, now, isReverted: only && isReverted },
      { ...applications, ...saas },
      left,
    ),
  };
  const secrets = pastSecrets({ past, live, applications, isReverted, isWhole: !only, left });
  const owned = revertible(live, {
    users: [user, ...past.missingUsers],
    machines: only ? [] : past.addedMachines,
  });
  if (only)
    return {
      file: {
        ...now,
        bundle,
        secrets,
        storagePools: { ...poolsOf(earlier, isReverted), ...now.storagePools },
      },
      owned,
      left,
    };
  return {
    file: {
      ...earlier,
      bundle,
      secrets,
      access: pastAccess({ past, live, user, left }),
      storagePools: pastPools({ past, live, left }),
    },
    owned,
    left,
  };
}

/** Offers that the reverted applications were related with. */
export function saasOf(bundle: Bundle, isReverted: (name: string) => boolean): NonNullable<Bundle['saas']> {
  const ends = bundle.relations
    .map((each) => each.map((end) => parseEndpointText(end).application))
    .filter((each) => each.some(isReverted));
  const related = new Set(ends.flat());
  return picked(bundle.saas ?? {}, (name) => related.has(name));
}

/** Pools that the reverted applications have storage of. */
function poolsOf(
  { bundle, storagePools }: ModelFile,
  isReverted: (name: string) => boolean,
): ModelFile['storagePools'] {
  const reverted = Object.values(picked(bundle.applications, isReverted));
  const used = new Set(
    reverted.flatMap(({ storage = {} }) => Object.values(storage).map(({ pool }) => pool)),
  );
  return picked(storagePools, (name) => used.has(name));
}

/** The model with bases where they hold. */
function based<T extends { readonly bundle: { readonly state: Bundle } }>(
  model: T,
): Parameters<typeof fileOf>[0] & T {
  const state = withBases(model.bundle.state);
  return { ...model, bundle: { ...model.bundle, state } } as never;
}

function pastApplications(
  {
    past,
    live,
    earlier,
    now,
    rolling,
  }: Pick<ToRevert, 'past' | 'live' | 'rolling'> & { readonly earlier: ModelFile; readonly now: ModelFile },
  isReverted: (name: string) => boolean,
  left: Left[],
): Record<string, BundleApplication> {
  const result: Record<string, BundleApplication> = {};
  for (const [name, was] of Object.entries(earlier.bundle.applications)) {
    if (!isReverted(name)) continue;
    const has = ownValue(now.bundle.applications, name);
    const isGone = past.charms.get(was.charm) === 'gone';
    if (isGone) {
      const what = has ? `it keeps ${has.charm}` : 'it is not deployed again';
      left.push({ kind: 'application', name, text: `${name}: ${was.charm} is no longer kept, so ${what}` });
      if (!has) continue;
    } else if (!has && was.units > 0)
      left.push({
        kind: 'application',
        name,
        text: `${name} is deployed anew, without what its units had stored`,
      });
    const to = alignedPlacements(name, was.to, live.bundle);
    const charm = isGone && has ? has.charm : was.charm;
    result[name] = { ...was, to, charm, ...defined({ refresh: rolling }) };
  }
  return result;
}

/** Relations as they were, without those whose ends cannot be there. `isReverted`: absent = all are. */
function relationsOf(
  {
    earlier,
    now,
    isReverted,
  }: {
    readonly earlier: ModelFile;
    readonly now: ModelFile;
    readonly isReverted: ((name: string) => boolean) | undefined;
  },
  there: Readonly<Record<string, unknown>>,
  left: Left[],
): BundleRelation[] {
  const touches = (ends: BundleRelation): boolean =>
    !isReverted || ends.some((end) => isReverted(parseEndpointText(end).application));
  const wanted = earlier.bundle.relations.filter(touches).filter((ends) => {
    const missing = ends
      .map((end) => parseEndpointText(end).application)
      .find((name) => !Object.hasOwn(there, name));
    if (missing === undefined) return true;
    const name = ends.join(' ');
    left.push({ kind: 'relation', name, text: `relation ${name} is not made again: there is no ${missing}` });
    return false;
  });
  return [...now.bundle.relations.filter((ends) => !touches(ends)), ...wanted];
}

/** The machines that applications are placed on; those that were there are described as they were. */
function machinesOf(
  applications: Bundle['applications'],
  [earlier, now]: readonly [Bundle['machines'], Bundle['machines']],
): Bundle['machines'] {
  const used = new Set(
    Object.values(applications).flatMap(({ to }) =>
      to.flatMap(({ on }) => (on.kind === 'machine' ? [on.machine] : [])),
    ),
  );
  return Object.fromEntries(
    [...used].sort(compareNames).flatMap((id) => {
      const machine = ownValue(earlier, id) ?? ownValue(now, id);
      return machine ? [[id, machine]] : [];
    }),
  );
}

function picked<T>(all: Readonly<Record<string, T>>, isPicked: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => isPicked(name)));
}
