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
  readonly offers?: Readonly<Record<string, { readonly endpoints: readonly string[] }>>;
  readonly after?: Readonly<Record<string, string>>;
  readonly to?: readonly string[];
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
  readonly machines?: Readonly<Record<string, object>>;
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
};

const application = fc.record(
  {
    num_units: fc.nat(3),
    options: fc.record({ port: fc.nat(9) }, { requiredKeys: [] }),
    constraints,
    annotations: fc.dictionary(fc.constantFrom('x', 'y'), text, { maxKeys: 2 }),
    expose: fc.boolean(),
    to: fc.constantFrom(['0'], ['lxd:0'], ['new', 'lxd'], ['zone=z1']),
  },
  { requiredKeys: [] },
);

/** Random files, whose relations and grants name applications that they have. */
export const rawFiles: fc.Arbitrary<RawFile> = fc
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
    applications: fc.dictionary(fc.constantFrom(...Object.keys(charmOf)), application),
    offered: fc.boolean(),
    gated: fc.boolean(),
    relations: fc.subarray([
      ['blog:db', 'db:db'],
      ['blog:db', 'other:db'],
    ] as [string, string][]),
  })
  .map(({ applications, offered, gated, relations, pools, secrets, constraints: ofModel, ...rest }) => {
    const has = (name: string): boolean => Object.hasOwn(applications, name.split(':', 1)[0]!);
    const entries = Object.entries(applications).map(([name, { to, ...one }]): [string, RawApplication] => [
      name,
      {
        charm: charmOf[name]!,
        ...one,
        ...(to && (one.num_units ?? 0) >= to.length ? { to } : {}),
        ...(offered && name === 'db' ? { offers: { data: { endpoints: ['db'] } } } : {}),
        ...(gated && name === 'site' && has('db') ? { after: { db: 'active' } } : {}),
      },
    ]);
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
      applications: Object.fromEntries(entries),
      ...(placed ? { machines: { '0': {} } } : {}),
      relations: relations.filter((ends) => ends.every(has)),
    };
  });

interface Edit {
  readonly file: RawFile;
  /** Lines as lineOf has them. */
  readonly changes: readonly string[];
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
  for (const name of Object.keys(file.applications)) edits.push(...editsOfApplication(file, name));
  return edits;
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
  if (!one.expose) edits.push(change({ expose: true }, `change application ${name} exposed`));
  else edits.push(change({ expose: false }, `change application ${name} exposed`));
  if (units > (one.to?.length ?? 0))
    edits.push(change({ num_units: units - 1 }, `remove unit ${name}/${units - 1}`));
  if (one.options?.['port'] !== undefined)
    edits.push(change({ options: {} }, `change application ${name} options.port`));
  if (one.constraints !== undefined)
    edits.push(change({ constraints: undefined }, `change application ${name} constraints`));
  if (one.offers) edits.push(change({ offers: {} }, 'remove offer data'));
  return edits;
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
