/** Removals of single values that a file set: of applications, machines and secrets that stay. */
import { boundSpace } from '../application/bindings.ts';
import type { BundleApplication } from '../bundle/bundle.ts';
import { ownValue } from '../bundle/own.ts';
import { exposedToAll } from '../bundle/plan-network.ts';
import type { BundlePlan } from '../bundle/plan-bundle.ts';
import { machineAnnotation } from '../bundle/step.ts';
import { defined } from '../defined.ts';
import { defaultSpace } from '../space/document.ts';
import type { ModelFile } from './model-file.ts';
import { owns } from './owned.ts';
import type { LiveModel } from './plan.ts';
import type { RemovalStep } from './step.ts';

type Named = Readonly<Record<string, unknown>>;
type Wanted = Pick<
  BundleApplication,
  'options' | 'trust' | 'constraints' | 'after' | 'bindings' | 'exposed' | 'exposedEndpoints' | 'annotations'
>;

/** Values that the file set and no longer names. `gone`: machines and secrets that are removed, with all they have. */
export function goneValues(
  file: ModelFile,
  live: LiveModel,
  {
    machines,
    gone: removed,
  }: Pick<BundlePlan, 'machines'> & {
    readonly gone: { readonly machines: ReadonlySet<string>; readonly secrets: ReadonlySet<string> };
  },
): RemovalStep[] {
  const { state } = live.bundle;
  const dying = new Set(live.bundle.dying);
  // An application that others made stays when the file no longer names it, and keeps nothing of the file's.
  const applications = Object.keys(state.applications)
    .filter((name) => Object.hasOwn(file.bundle.applications, name) || !owns(live.owned, 'application', name))
    .filter((name) => !dying.has(name))
    .sort();
  return [
    ...applications.flatMap((name) => goneOfApplication(name, file, live)),
    ...goneOfMachines(file, live, { machines, gone: removed.machines }),
    ...Object.keys(live.secrets)
      .filter(
        (name) =>
          !removed.secrets.has(name) &&
          (ownValue(file.secrets, name)?.description ?? '') === '' &&
          ownValue(live.secrets, name)?.description !== '' &&
          owns(live.owned, 'secret-description', name),
      )
      .sort()
      .map((secret): RemovalStep => ({ kind: 'reset-description', secret })),
  ];
}

/** Applications of the file whose gates it set and no longer names. */
export function goneGates({ bundle }: ModelFile, { bundle: { state }, owned }: LiveModel): string[] {
  return Object.entries(bundle.applications).flatMap(([name, { after }]) =>
    !after && ownValue(state.applications, name)?.after && owns(owned, 'after', name) ? [name] : [],
  );
}

/** Annotations of machines that stay. */
function goneOfMachines(
  { bundle }: ModelFile,
  live: LiveModel,
  { machines, gone: removed }: Pick<BundlePlan, 'machines'> & { readonly gone: ReadonlySet<string> },
): RemovalStep[] {
  const wanted = new Map<string, Named>();
  for (const [id, { life }] of Object.entries(live.bundle.machines))
    if (life === 'alive' && !removed.has(id)) wanted.set(id, {});
  for (const [number, { annotations }] of Object.entries(bundle.machines))
    wanted.set(machines.get(number) ?? '', annotations);
  return [...wanted].flatMap(([machine, annotations]): RemovalStep[] => {
    const { [machineAnnotation]: _label, ...has } = live.bundle.machines[machine]?.annotations ?? {};
    const keys = gone(has, annotations, (key) => owns(live.owned, 'annotation', 'machine', machine, key));
    return keys.length === 0 ? [] : [{ kind: 'reset-annotations', on: { machine }, keys }];
  });
}

function gone(has: Named, wanted: Named, isOwned: (name: string) => boolean): string[] {
  return Object.keys(has)
    .filter((name) => !Object.hasOwn(wanted, name) && isOwned(name))
    .sort();
}

function goneOfApplication(
  application: string,
  { bundle }: ModelFile,
  { bundle: { state }, owned }: LiveModel,
): RemovalStep[] {
  const wanted = ownValue(bundle.applications, application) ?? nothing;
  const has = ownValue(state.applications, application);
  if (!has) return [];
  const steps: RemovalStep[] = [];
  const options = gone(has.options, wanted.options, (name) => owns(owned, 'option', application, name));
  if (has.trust && !wanted.trust && owns(owned, 'trust', application)) options.push('trust');
  if (options.length > 0) steps.push({ kind: 'reset-options', application, options });
  if (isSet(has.constraints) && !isSet(wanted.constraints) && owns(owned, 'constraints', application))
    steps.push({ kind: 'reset-constraints', application });
  if (has.after && !wanted.after && owns(owned, 'after', application))
    steps.push({ kind: 'reset-after', application });
  const bound = gone(has.bindings, wanted.bindings, (name) => owns(owned, 'binding', application, name));
  if (bound.length > 0)
    steps.push({ kind: 'reset-bindings', application, bindings: unbound(bound, wanted, has) });
  if (has.exposed && owns(owned, 'expose', application)) steps.push(...unexposing(application, wanted, has));
  const keys = gone(has.annotations, wanted.annotations, (key) =>
    owns(owned, 'annotation', 'application', application, key),
  );
  if (keys.length > 0) steps.push({ kind: 'reset-annotations', on: { application }, keys });
  return steps;
}

/** What a file wants of an application that it does not name. */
const nothing: Wanted = {
  options: {},
  trust: false,
  constraints: {},
  bindings: {},
  exposed: false,
  annotations: {},
};

function isSet(constraints: BundleApplication['constraints']): boolean {
  return Object.keys(constraints).length > 0;
}

/** The endpoints in the space that holds for those without one of their own. */
function unbound(
  endpoints: readonly string[],
  wanted: Wanted,
  has: BundleApplication,
): Record<string, string> {
  const fallback =
    wanted.bindings[''] || (endpoints.includes('') ? defaultSpace : boundSpace(has.bindings, ''));
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint, fallback]));
}

/** Closes the application, or those of its endpoints that the file does not open. */
function unexposing(application: string, wanted: Wanted, has: BundleApplication): RemovalStep[] {
  const open = Object.keys(has.exposedEndpoints ?? exposedToAll);
  const stay = wanted.exposed ? (wanted.exposedEndpoints ?? exposedToAll) : {};
  const endpoints = open.filter((endpoint) => !Object.hasOwn(stay, endpoint)).sort();
  if (endpoints.length === 0) return [];
  return [
    { kind: 'unexpose', application, ...defined({ endpoints: wanted.exposed ? endpoints : undefined }) },
  ];
}
