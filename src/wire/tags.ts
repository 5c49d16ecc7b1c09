/**
 * Tags: the names of entities on the wire (wire.md#tags).
 *
 *   unit-mysql-0 ↔ mysql/0        machine-0-lxd-1 ↔ 0/lxd/1      relation-a.ep#b.ep ↔ a:ep b:ep
 *   cloudcred-aws_bob_main ↔ aws/bob/main        all others: `<kind>-<id>`
 */
import { JujuError } from '../core/errors.ts';

export const tagKinds = [
  'user',
  'model',
  'controller',
  'application',
  'unit',
  'machine',
  'cloud',
  'cloudcred',
  'relation',
  'action',
  'operation',
  'charm',
  'storage',
  'filesystem',
  'volume',
  'space',
  'subnet',
  'secret',
] as const;
type TagKind = (typeof tagKinds)[number];

interface Tag {
  readonly kind: TagKind;
  /** Name of the entity: `mysql/0`, `0/lxd/1`, `a:ep b:ep`, `aws/bob/main`. */
  readonly id: string;
}

/** Maximum length, above that of any name; keeps the patterns below from costing time. */
const longestTag = 512;

/** Parses a tag. Errors: JujuError without a code, `"x" is not a valid tag`, as Juju's. */
export function parseTag(text: string): Tag {
  if (text.length > longestTag) throw new JujuError('', `"${text.slice(0, 40)}…" is not a valid tag`);
  const dash = text.indexOf('-');
  const kind = text.slice(0, Math.max(dash, 0)) as TagKind;
  const rest = text.slice(dash + 1);
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (dash < 1 || !shape) throw new JujuError('', `"${text}" is not a valid tag`);
  const id = shape.read(rest);
  if (id === undefined) throw new JujuError('', `"${text}" is not a valid ${kind} tag`);
  return { kind, id };
}

/** Returns the id of a tag that must be of this kind. Errors: as parseTag. */
export function parseTagOf(kind: TagKind, text: string): string {
  const tag = parseTag(text);
  if (tag.kind !== kind) throw new JujuError('', `"${text}" is not a valid ${kind} tag`);
  return tag.id;
}

/** Returns the name of a user's tag, without the domain `local` of the controller's own users. Errors: as parseTag. */
export function parseUserTag(text: string): string {
  return parseTagOf('user', text).replace(/@local$/i, '');
}

export function formatTag(tag: Tag): string {
  return `${tag.kind}-${shapes[tag.kind].write(tag.id)}`;
}

export const userTag = (name: string): string => `user-${name}`;
export const modelTag = (uuid: string): string => `model-${uuid}`;
export const controllerTag = (uuid: string): string => `controller-${uuid}`;
export const applicationTag = (name: string): string => `application-${name}`;
/** Converts `mysql/0` to `unit-mysql-0`. */
export const unitTag = (name: string): string => formatTag({ kind: 'unit', id: name });
/** Converts `0/lxd/1` to `machine-0-lxd-1`. */
export const machineTag = (id: string): string => formatTag({ kind: 'machine', id });
export const cloudTag = (name: string): string => `cloud-${name}`;
/** Converts (`aws`, `bob`, `main`) to `cloudcred-aws_bob_main`. */
export const credentialTag = (cloud: string, owner: string, name: string): string =>
  formatTag({ kind: 'cloudcred', id: `${cloud}/${owner}/${name}` });
/** Converts `a:ep b:ep` to `relation-a.ep#b.ep`. */
export const relationTag = (key: string): string => formatTag({ kind: 'relation', id: key });
export const actionTag = (id: string): string => `action-${id}`;
export const operationTag = (id: string): string => `operation-${id}`;
/** Converts the name `db` to `space-db`. */
export const spaceTag = (name: string): string => `space-${name}`;
/** Converts the number `3` to `subnet-3`. */
export const subnetTag = (id: string): string => `subnet-${id}`;
export const charmTag = (url: string): string => `charm-${url}`;

interface Shape {
  /** Parses what follows `<kind>-`; undefined when it cannot be an id. */
  read(rest: string): string | undefined;
  write(id: string): string;
}

const applicationName = '(?:[a-z][a-z0-9]*(?:-[0-9]*[a-z][a-z0-9]*)*)';
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const number = '(?:0|[1-9][0-9]*)';
const endpoint = `${applicationName}\\.[a-zA-Z][a-zA-Z0-9_-]*`;
const userName = '[a-zA-Z0-9](?:[a-zA-Z0-9.+-]*[a-zA-Z0-9])?(?:@[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?)?';

const unitForm = new RegExp(`^${applicationName}-${number}$`);
const filesystemForm = new RegExp(`^${number}(?:-[a-z]+-${number})*(?:-${number})?$`);
const machineForm = new RegExp(`^${number}(?:[-/][a-z]+[-/]${number})*$`);
const relationForm = new RegExp(`^${endpoint}(?:#${endpoint})?$`);

/** Ids of entities that are numbered in the model or on a machine: `3`, `0/3`. */
const onMachine: Shape = {
  read: (rest) => (filesystemForm.test(rest) ? rest.replaceAll('-', '/') : undefined),
  write: (id) => id.replaceAll('/', '-'),
};

const shapes: Readonly<Record<TagKind, Shape>> = {
  user: plain(userName),
  model: plain(uuid),
  controller: plain(uuid),
  application: plain(applicationName),
  unit: {
    read: (rest) => (unitForm.test(rest) ? replaceLast(rest, '-', '/') : undefined),
    write: (id) => replaceLast(id, '/', '-'),
  },
  machine: {
    // python-libjuju leaves the slashes of a container's id, which Juju takes.
    read: (rest) => (machineForm.test(rest) ? rest.replaceAll('-', '/') : undefined),
    write: (id) => id.replaceAll('/', '-'),
  },
  cloud: plain('[a-zA-Z0-9][a-zA-Z0-9.-]*'),
  cloudcred: {
    read: readCredential,
    write: (id) =>
      id
        .split('/')
        .map((part) => part.replaceAll('%', '%25').replaceAll('_', '%5f'))
        .join('_'),
  },
  relation: {
    read: (rest) => (relationForm.test(rest) ? rest.replaceAll('.', ':').replace('#', ' ') : undefined),
    write: (id) => id.replaceAll(':', '.').replace(' ', '#'),
  },
  action: plain('[0-9a-f-]+'),
  operation: plain(number),
  charm: plain('\\S+'),
  storage: {
    // python-libjuju leaves the id as it is, which Juju takes when the name has no hyphen.
    read: (rest) =>
      /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[0-9]+$/.test(rest)
        ? replaceLast(rest, '-', '/')
        : /^[a-z][a-z0-9]*\/[0-9]+$/.test(rest)
          ? rest
          : undefined,
    write: (id) => replaceLast(id, '/', '-'),
  },
  filesystem: onMachine,
  volume: onMachine,
  space: plain('[a-z0-9]+(?:-[a-z0-9]+)*'),
  subnet: plain('\\S+'),
  secret: plain('[0-9a-z]{20}'),
};

function plain(pattern: string): Shape {
  const regex = new RegExp(`^(?:${pattern})$`);
  return { read: (rest) => (regex.test(rest) ? rest : undefined), write: (id) => id };
}

/** Reads a credential's tag: `_` separates the parts, and names hold it as `%5f`. */
function readCredential(rest: string): string | undefined {
  const parts = rest.split('_');
  if (parts.length !== 3 || parts.some((part) => part === '')) return undefined;
  try {
    const names = parts.map((part) => decodeURIComponent(part));
    return names.some((name) => name.includes('/')) ? undefined : names.join('/');
  } catch {
    return undefined;
  }
}

function replaceLast(text: string, search: string, replacement: string): string {
  const index = text.lastIndexOf(search);
  return index < 0 ? text : text.slice(0, index) + replacement + text.slice(index + 1);
}
