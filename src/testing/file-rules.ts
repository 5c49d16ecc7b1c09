/** What a model file says, stated apart from the product's planner, for the files of simulated worlds. */
import type { Entities } from '../core/kinds.ts';
import type { Reader } from '../store/store.ts';

type View = Reader<Entities>;

/** A model file as it is after parsing its YAML. */
export interface SimFile {
  readonly name: string;
  readonly 'default-base': string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly applications: Readonly<Record<string, SimApplication>>;
  readonly relations?: readonly (readonly [string, string])[];
  readonly machines?: Readonly<Record<string, object>>;
  readonly secrets?: Readonly<Record<string, SimSecret>>;
  readonly 'storage-pools'?: Readonly<Record<string, { readonly provider: string }>>;
}

export interface SimApplication {
  /** `/db-3`: version 3 of the charm db. */
  readonly charm: string;
  readonly num_units?: number;
  readonly to?: readonly string[];
  readonly options?: Readonly<Record<string, number>>;
  readonly constraints?: string;
  readonly expose?: boolean;
  readonly after?: Readonly<Record<string, string>>;
  readonly storage?: Readonly<Record<string, string>>;
  readonly refresh?: Readonly<Record<string, string | number>>;
  readonly offers?: Readonly<Record<string, { readonly endpoints: readonly string[] }>>;
}

interface SimSecret {
  readonly content: { readonly value: { readonly env: string } };
  readonly grants: readonly string[];
}

/** Yields what of the model is not as the file says. */
export function* differences(file: SimFile, view: View): Iterable<string> {
  for (const [name, wanted] of Object.entries(file.applications)) yield* ofApplication(name, wanted, view);
  for (const ends of file.relations ?? [])
    if (!alive(view).some((key) => key === [...ends].sort().join(' ')))
      yield `there is no relation ${ends.join(' ')}`;
  for (const [name, { grants }] of Object.entries(file.secrets ?? {})) {
    const secret = [...view.list('secret')].find(
      ({ owner, label }) => owner.kind === 'model' && label === name,
    );
    if (!secret) yield `there is no secret ${name}`;
    else
      for (const grant of grants)
        if (
          ![...view.list('secret-grant')].some((one) => one.secret === secret.id && one.subject.id === grant)
        )
          yield `${grant} may not read the secret ${name}`;
  }
  for (const pool of Object.keys(file['storage-pools'] ?? {}))
    if (!view.get('storage-pool', pool)) yield `there is no pool ${pool}`;
  const { config } = view.in('').get('model', view.space)!;
  for (const [name, value] of Object.entries(file.settings ?? {}))
    if (config[name] !== value) yield `the setting ${name} is ${String(config[name])} and not ${value}`;
}

function* ofApplication(name: string, wanted: SimApplication, view: View): Iterable<string> {
  const doc = view.get('application', name);
  if (doc?.life !== 'alive') return yield `there is no application ${name}`;
  const differs = (what: string, is: unknown, should: unknown): string[] =>
    String(is) === String(should) ? [] : [`${what} of ${name} is ${String(is)} and not ${String(should)}`];
  const { num_units: units, options = {}, expose = false, after = {}, constraints, offers = {} } = wanted;
  if (!doc.subordinate && units !== undefined)
    yield* differs('the number of units', unitsOf(view, name).length, units);
  for (const [option, value] of Object.entries(options))
    yield* differs(`option ${option}`, doc.config[option], value);
  const version = view.get('charm', doc.charmUrl)?.config['version']?.default;
  yield* differs('the version of the charm', version, wanted.charm.split('-')[1]);
  if (expose && !doc.exposed) yield `${name} is not exposed`;
  for (const other of Object.keys(after)) if (!doc.after?.[other]) yield `${name} has no gate on ${other}`;
  if (constraints !== undefined)
    yield* differs('mem', doc.constraints.mem, /^mem=(\d+)M$/.exec(constraints)?.[1]);
  for (const offer of Object.keys(offers))
    if (view.get('offer', offer)?.application !== name) yield `${name} does not offer ${offer}`;
}

/** Returns the model's applications, units and relations that are not ending, as a text. */
export function summaryOf(view: View): string {
  const applications = [...view.list('application')].filter(({ life }) => life === 'alive');
  const texts = applications.map(({ name, charmUrl, subordinate, config, constraints, after, exposed }) => {
    const options = Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1));
    const gates = Object.keys(after ?? {}).sort();
    const units = subordinate ? 0 : unitsOf(view, name).length;
    return JSON.stringify([name, charmUrl, units, options, constraints, gates, exposed !== undefined]);
  });
  return [...texts.sort(), ...alive(view).sort()].join('\n');
}

function unitsOf(view: View, application: string): Entities['unit'][] {
  return [...view.find('unit', 'application', application)].filter(({ life }) => life === 'alive');
}

/** The relations that are not ending, by their ends in order. */
function alive(view: View): string[] {
  return [...view.list('relation')]
    .filter(({ life, endpoints }) => life === 'alive' && endpoints.length === 2)
    .map(({ endpoints }) =>
      endpoints
        .map(({ application, name }) => `${application}:${name}`)
        .sort()
        .join(' '),
    );
}
