/** Random model files as parsed YAML, and random edits of them with the changes that their plans should have. */
import { defined } from '../../core/defined.ts';
import fc from '../fast-check.ts';

interface RawApplication {
  readonly charm: string;
  readonly num_units?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly constraints?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly expose?: boolean;
  readonly 'exposed-endpoints'?: Readonly<Record<string, { readonly 'expose-to-cidrs': readonly string[] }>>;
  readonly trust?: boolean;
  readonly bindings?: Readonly<Record<string, string>>;
  readonly offers?: Readonly<Record<string, RawOffer>>;
  readonly after?: Readonly<Record<string, string>>;
  readonly to?: readonly string[];
  readonly storage?: Readonly<Record<string, string>>;
  readonly base?: string;
}

interface RawOffer {
  readonly endpoints: readonly string[];
  readonly acl?: Readonly<Record<string, string>>;
}

export interface RawFile {
  readonly settings: Readonly<Record<string, string | boolean>>;
  readonly constraints?: string;
  readonly access: Readonly<Record<string, string>>;
  readonly 'storage-pools': Readonly<
    Record<string, { provider: string; attributes: Record<string, string> }>
  >;
  readonly secrets: Readonly<Record<string, { description: string; grants: readonly string[] }>>;
  readonly applications: Readonly<Record<string, RawApplication>>;
  readonly saas?: Readonly<Record<string, { readonly url: string }>>;
  readonly machines?: Readonly<Record<string, { readonly annotations?: Readonly<Record<string, string>> }>>;
  readonly relations: readonly (readonly [string, string])[];
}

/** Texts that a reader could take for something else. */
const text = fc.constantFrom('a', '${x}', '$${x}', 'yes', '0', 'a: b\n', '# c', '~', 'ä {"}');
const constraints = fc.constantFrom('mem=1024M', 'mem=2048M cores=2', 'arch=amd64');
const charmOf: Readonly<Record<string, string>> = {
  db: './mysql',
  other: './mysql',
  blog: './wordpress',
  site: './web',
  store: './files',
};

const application = fc.record(
  {
    num_units: fc.nat(3),
    options: fc.record({ port: fc.nat(9) }, { requiredKeys: [] }),
    constraints,
    annotations: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
    expose: fc.boolean(),
    trust: fc.boolean(),
    'exposed-endpoints': fc.dictionary(
      fc.constantFrom('', 'db'),
      fc.constantFrom(
        { 'expose-to-cidrs': ['10.0.0.0/8'] },
        { 'expose-to-cidrs': ['10.1.0.0/16', '10.2.0.0/16'] },
      ),
      { minKeys: 1 },
    ),
    bindings: fc.constantFrom({ '': 'dmz' }, { db: 'dmz' }, { '': 'dmz', db: 'alpha' }),
    storage: fc.constantFrom({ disk: 'loop,1G' }, { disk: '2,3G' }),
    base: fc.constantFrom('ubuntu@22.04/stable', 'ubuntu@24.04/stable'),
    to: fc.constantFrom(['0'], ['lxd:0'], ['new', 'lxd'], ['zone=z1']),
  },
  { requiredKeys: [] },
);

/**
 * What an application can have: `expose` is not true of one whose endpoints are exposed, `site` and `store` have no
 * endpoint, a unit in a container is in one space, and only `store` has storage and another base, which machines that
 * others have too cannot have.
 */
function ofEndpoints(
  name: string,
  one: Omit<RawApplication, 'charm'>,
  to: readonly string[] = [],
): Omit<RawApplication, 'charm'> {
  const { expose, 'exposed-endpoints': open, bindings = {}, storage, base, ...rest } = one;
  const inContainer = to.some((place) => place.startsWith('lxd'));
  const known = <T>(values: Readonly<Record<string, T>> = {}): Record<string, T> =>
    name === 'site' || name === 'store' ? without(values, 'db') : { ...values };
  const endpoints = known(open);
  return {
    ...rest,
    ...(name === 'store' ? defined({ storage, base: to.length === 0 ? base : undefined }) : {}),
    bindings: inContainer && Object.hasOwn(bindings, 'db') ? {} : known(bindings),
    ...(Object.keys(endpoints).length > 0 ? { 'exposed-endpoints': endpoints } : defined({ expose })),
  };
}

/** Random files, whose relations and grants name applications that they have; `wide` ones consume, and have `store`. */
const filesOf = (wide: boolean): fc.Arbitrary<RawFile> =>
  fc
    .record({
      settings: fc.record(
        {
          'update-status-hook-interval': fc.constantFrom('2m', '3m'),
          'automatically-retry-hooks': fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      constraints: fc.option(constraints, { nil: undefined }),
      access: fc.dictionary(fc.constantFrom('bob', 'eve'), fc.constantFrom('read', 'write', 'admin')),
      pools: fc.dictionary(fc.constantFrom('fast', 'slow'), fc.dictionary(fc.constantFrom('a', 'b'), text)),
      secrets: fc.dictionary(
        fc.constantFrom('pw', 'key'),
        fc.record({ description: text, grants: fc.subarray(Object.keys(charmOf)) }),
      ),
      applications: fc.dictionary(
        fc.constantFrom(...Object.keys(charmOf).filter((name) => wide || name !== 'store')),
        application,
      ),
      offered: fc.option(
        fc.record(
          { acl: fc.dictionary(fc.constantFrom('bob', 'eve'), fc.constantFrom('read', 'consume', 'admin')) },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
      labels: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
      gated: fc.boolean(),
      consumes: wide ? fc.boolean() : fc.constant(false),
      relations: fc.subarray([
        ['blog:db', 'db:db'],
        ['blog:db', 'other:db'],
        ['blog:db', 'far:server'],
      ] as [string, string][]),
    })
    .map(
      ({
        applications,
        offered,
        gated,
        consumes,
        labels,
        relations,
        pools,
        secrets,
        constraints: ofModel,
        ...rest
      }) => {
        const saas: RawFile['saas'] = consumes ? { far: { url: 'ctrl:admin/data.db' } } : {};
        const has = (name: string): boolean =>
          Object.hasOwn({ ...applications, ...saas }, name.split(':', 1)[0]!);
        const entries = Object.entries(applications).map(
          ([name, { to, ...one }]): [string, RawApplication] => [
            name,
            {
              charm: charmOf[name]!,
              ...ofEndpoints(name, one, to),
              ...(to && (one.num_units ?? 0) >= to.length ? { to } : {}),
              ...(offered && name === 'db' ? { offers: { data: { endpoints: ['db'], ...offered } } } : {}),
              ...(gated && name === 'site' && has('db') ? { after: { db: 'active' } } : {}),
            },
          ],
        );
        const placed = entries.some(([, { to }]) => to?.some((place) => /^(?:lxd:)?0$/.test(place)));
        return {
          ...rest,
          ...defined({ constraints: ofModel }),
          'storage-pools': Object.fromEntries(
            Object.entries(pools).map(([name, attributes]) => [name, { provider: 'tmpfs', attributes }]),
          ),
          secrets: Object.fromEntries(
            Object.entries(secrets).map(([name, { description, grants }]) => [
              name,
              { description, grants: grants.filter(has) },
            ]),
          ),
          ...(consumes ? { saas } : {}),
          applications: Object.fromEntries(entries),
          ...(placed ? { machines: { '0': { annotations: labels } } } : {}),
          relations: relations.filter((ends) => ends.every(has)),
        };
      },
    );

/** Files of one model alone, as a controller of tests has their charms. */
export const rawFiles = filesOf(false);
/** Files that may also have storage, another base, and what other models offer. */
export const wideFiles = filesOf(true);

interface Edit {
  readonly file: RawFile;
  /** Lines as lineOf has them. */
  readonly changes: readonly string[];
  /** What stays different: `store storage`. */
  readonly differs?: readonly string[];
  /** The application whose new units have another base than the machine that they are placed on. */
  readonly misplaced?: string;
}

/** Every edit of one thing that the file allows. */
export function editsOf(file: RawFile): Edit[] {
  const edits: Edit[] = [
    {
      file: { ...file, settings: { ...file.settings, 'logging-config': '<root>=TRACE' } },
      changes: ['add setting logging-config'],
    },
    {
      file: { ...file, constraints: 'mem=9216M' },
      changes: ['change model constraints constraints'],
    },
    { file: { ...file, access: { ...file.access, new: 'read' } }, changes: ['add access new'] },
    {
      file: { ...file, applications: { ...file.applications, added: { charm: './web', num_units: 1 } } },
      changes: ['add application added', 'add unit added/0'],
    },
  ];
  for (const user of Object.keys(file.access))
    edits.push({ file: { ...file, access: without(file.access, user) }, changes: [`remove access ${user}`] });
  for (const name of Object.keys(file.settings))
    edits.push({
      file: { ...file, settings: without(file.settings, name) },
      changes: [`remove setting ${name}`],
    });
  for (const pool of Object.keys(file['storage-pools']))
    edits.push({
      file: { ...file, 'storage-pools': without(file['storage-pools'], pool) },
      changes: [`remove storage-pool ${pool}`],
    });
  for (const secret of Object.keys(file.secrets)) {
    const changed = { ...file.secrets[secret]!, description: 'other' };
    edits.push({
      file: { ...file, secrets: { ...file.secrets, [secret]: changed } },
      changes: [`change secret ${secret} description`],
    });
    edits.push({
      file: { ...file, secrets: without(file.secrets, secret) },
      changes: [`remove secret ${secret}`],
    });
  }
  for (const ends of file.relations)
    edits.push({
      file: { ...file, relations: file.relations.filter((other) => other !== ends) },
      changes: [`remove relation ${ends.join(' ')}`],
    });
  for (const name of Object.keys(file.saas ?? {})) {
    const isOf = (ends: readonly string[]): boolean => ends.some((end) => end.startsWith(`${name}:`));
    edits.push({
      file: { ...file, saas: {}, relations: file.relations.filter((ends) => !isOf(ends)) },
      changes: [
        ...file.relations.filter(isOf).map((ends) => `remove relation ${ends.join(' ')}`),
        `remove saas ${name}`,
      ],
    });
  }
  for (const name of Object.keys(file.applications)) edits.push(...editsOfApplication(file, name));
  for (const [number, { annotations = {} }] of Object.entries(file.machines ?? {})) {
    const change = (after: Readonly<Record<string, string>>, key: string): Edit => ({
      file: { ...file, machines: { ...file.machines, [number]: { annotations: after } } },
      changes: [`change machine 0 annotations.${key}`],
    });
    edits.push(change({ ...annotations, z: '1' }, 'z'));
    for (const key of Object.keys(annotations)) edits.push(change(without(annotations, key), key));
  }
  return edits;
}

/** Edits of machines that stay as they are. */
export function editsOfPlaces(file: RawFile): Edit[] {
  return Object.entries(file.machines ?? {}).flatMap(([number, machine]) =>
    [{ base: 'ubuntu@22.04/stable' }, { constraints: 'mem=5G' }].map((values) => ({
      file: { ...file, machines: { ...file.machines, [number]: { ...machine, ...values } } },
      changes: [],
      differs: [`machine 0 ${Object.keys(values)[0]}`],
    })),
  );
}

function editsOfApplication(file: RawFile, name: string): Edit[] {
  const one = file.applications[name]!;
  const change = (values: object, ...changes: readonly string[]): Edit => ({
    file: { ...file, applications: { ...file.applications, [name]: { ...one, ...values } } },
    changes,
  });
  const units = one.num_units ?? 0;
  const edits = [
    change({ options: { port: 77 } }, `change application ${name} options.port`),
    change({ constraints: 'mem=7168M' }, `change application ${name} constraints`),
    change({ annotations: { ...one.annotations, z: '1' } }, `change application ${name} annotations.z`),
    change({ num_units: units + 1 }, `add unit ${name}/${units}`),
  ];
  edits.push(...editsOfExposure(one, name, change));
  if (one.trust) edits.push(change({ trust: false }, `change application ${name} options.trust`));
  else edits.push(change({ trust: true }, `change application ${name} options.trust`));
  if (Object.values(one.bindings ?? {}).includes('dmz'))
    edits.push(change({ bindings: {} }, `change application ${name} ${boundNames(one.bindings!)}`));
  for (const key of Object.keys(one.annotations ?? {}))
    edits.push(
      change(
        { annotations: without(one.annotations!, key) },
        `change application ${name} annotations.${key}`,
      ),
    );
  for (const other of Object.keys(one.after ?? {}))
    edits.push(change({ after: undefined }, `change application ${name} after.${other}`));
  if (units > (one.to?.length ?? 0))
    edits.push(change({ num_units: units - 1 }, `remove unit ${name}/${units - 1}`));
  if (one.options?.['port'] !== undefined)
    edits.push(change({ options: {} }, `change application ${name} options.port`));
  if (one.constraints !== undefined)
    edits.push(change({ constraints: undefined }, `change application ${name} constraints`));
  if (name === 'store') {
    const storage = { disk: 'tmpfs,7G' };
    edits.push({ ...change({ storage }), differs: ['store storage'] });
    const base = one.base?.includes('22.04') ? 'ubuntu@24.04/stable' : 'ubuntu@22.04/stable';
    const misplaced = one.to?.includes('0') ? name : undefined;
    edits.push({ ...change({ base }, 'change application store base'), ...defined({ misplaced }) });
  }
  if (one.offers) edits.push(change({ offers: {} }, 'remove offer data'));
  for (const [user, level] of Object.entries(one.offers?.['data']?.acl ?? {})) {
    const { endpoints, acl = {} } = one.offers!['data']!;
    const acls = [without(acl, user), { ...acl, [user]: level === 'read' ? 'admin' : 'read' }];
    for (const after of acls)
      edits.push(change({ offers: { data: { endpoints, acl: after } } }, `change offer data access.${user}`));
  }
  return edits;
}

function editsOfExposure(
  { expose, 'exposed-endpoints': open }: RawApplication,
  name: string,
  change: (values: object, ...changes: readonly string[]) => Edit,
): Edit[] {
  if (!open)
    return [
      expose
        ? change({ expose: false }, `change application ${name} exposed`)
        : change({ expose: true }, `change application ${name} exposed`),
    ];
  return Object.keys(open).map((endpoint) => {
    const left = without(open, endpoint);
    return change(
      { 'exposed-endpoints': left },
      `change application ${name} ${endpoint === '' ? 'exposed' : `exposed.${endpoint}`}`,
    );
  });
}

/** The bindings that the model shows: those to another space than endpoints have without one. */
function boundNames(bindings: Readonly<Record<string, string>>): string {
  const { '': fallback = 'alpha' } = bindings;
  return Object.keys(bindings)
    .filter((name) => bindings[name] !== (name === '' ? 'alpha' : fallback))
    .map((name) => (name === '' ? 'bindings' : `bindings.${name}`))
    .sort()
    .join(' ');
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
