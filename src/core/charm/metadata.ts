/** A charm's metadata (charm-metadata.md#metadata). */
import { isApplicationName, isEndpointName, isReservedName } from '../names.ts';
import { notValid } from '../errors.ts';
import { limits } from '../limits.ts';
import { storageSpecs } from '../storage/spec.ts';
import { isMap, readFlag, readMap, readText, readTexts, show, type Raw } from './raw.ts';

export type Role = 'provider' | 'requirer' | 'peer';
export type Scope = 'global' | 'container';

export interface Endpoint {
  readonly name: string;
  readonly role: Role;
  readonly interface: string;
  readonly scope: Scope;
  /** Maximum number of relations on this endpoint; 0 = no limit. */
  readonly limit: number;
  readonly optional: boolean;
}

export interface CharmMeta {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly subordinate: boolean;
  /** Endpoint name → endpoint, without the implicit juju-info. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** The `requires` endpoints declared with `optional: false`; absent in charms stored by older versions. */
  readonly required?: readonly string[];
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly minJujuVersion: string;
  readonly series: readonly string[];
  /** Kubernetes workloads and devices; absent when there are none, and in charms stored by older versions. */
  readonly containers?: readonly string[];
  readonly devices?: Readonly<Record<string, unknown>>;
  /** Storage as the charm declares it; read by storageSpecs. */
  readonly storage: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<
    Record<string, { readonly type: string; readonly path: string; readonly description: string }>
  >;
  readonly extraBindings: readonly string[];
  readonly assumes: unknown;
}

export type ConfigValue = string | number | boolean;

export interface ConfigOption {
  readonly type: 'string' | 'int' | 'float' | 'boolean' | 'secret';
  readonly description: string;
  readonly default?: ConfigValue;
}

export interface ActionSpec {
  readonly description: string;
  /** JSON schema of the parameters. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly parallel: boolean;
  readonly executionGroup: string;
}

/**
 * The endpoint that every application provides without declaring it, by which a subordinate can attach to any
 * principal.
 */
export const jujuInfo: Endpoint = {
  name: 'juju-info',
  role: 'provider',
  interface: 'juju-info',
  scope: 'global',
  limit: 0,
  optional: false,
};

/**
 * A charm's endpoints by name, the implicit juju-info included. A subordinate may declare a `juju-info` of its own (it
 * requires the principal's), which then replaces the implicit one.
 */
export function endpointsOf(meta: Pick<CharmMeta, 'endpoints'>): Readonly<Record<string, Endpoint>> {
  return { [jujuInfo.name]: jujuInfo, ...meta.endpoints };
}

/** Whether the endpoint is the one that no charm declares. */
export function isImplicit(endpoint: Endpoint): boolean {
  return (
    endpoint.name === jujuInfo.name &&
    endpoint.interface === jujuInfo.interface &&
    endpoint.role === 'provider'
  );
}

/**
 * Parses metadata.yaml. `raw` is the file as parsed, or a charmcraft.yaml with the same keys. Errors: `not valid`, with
 * the problem and its path.
 */
export function parseMetadata(raw: unknown): CharmMeta {
  if (!isMap(raw)) throw notValid('metadata: expected a map');
  const name = readText(raw['name'], 'metadata: name');
  if (name === '') throw notValid('metadata: name: expected string, got nothing');
  if (!isApplicationName(name)) throw notValid(`metadata: invalid charm name ${show(name)}`);
  const subordinate = readFlag(raw['subordinate'], 'metadata: subordinate');
  const endpoints = parseEndpoints(raw, name, subordinate);
  if (subordinate && !Object.values(endpoints).some((e) => e.role === 'requirer' && e.scope === 'container'))
    throw notValid(`subordinate charm ${show(name)} lacks "requires" relation with container scope`);
  return {
    name,
    summary: readText(raw['summary'], 'metadata: summary'),
    description: readText(raw['description'], 'metadata: description'),
    subordinate,
    endpoints,
    required: Object.keys(endpoints).filter((one) => statedRequired(raw['requires'], one)),
    tags: [
      ...readTexts(raw['tags'], 'metadata: tags'),
      ...readTexts(raw['categories'], 'metadata: categories'),
    ],
    terms: readTexts(raw['terms'], 'metadata: terms'),
    minJujuVersion: readText(raw['min-juju-version'], 'metadata: min-juju-version'),
    series: readTexts(raw['series'], 'metadata: series'),
    storage: parseStorage(raw, name),
    resources: parseResources(raw),
    ...named('containers', raw, Object.keys),
    ...named('devices', raw, (all) => all),
    extraBindings: parseExtraBindings(raw, endpoints),
    assumes: raw['assumes'] ?? [],
  };
}

/** Reads an optional section; absent when it is empty. */
function named<K extends string, T>(key: K, raw: Raw, read: (all: Raw) => T): { readonly [P in K]?: T } {
  const all = readMap(raw[key], `metadata: ${key}`);
  return Object.keys(all).length === 0 ? {} : ({ [key]: read(all) } as { readonly [P in K]?: T });
}

const sections: readonly (readonly [string, Role])[] = [
  ['provides', 'provider'],
  ['requires', 'requirer'],
  ['peers', 'peer'],
];

function parseEndpoints(raw: Raw, charm: string, subordinate: boolean): Record<string, Endpoint> {
  const endpoints: Record<string, Endpoint> = {};
  for (const [section, role] of sections) {
    for (const [name, value] of Object.entries(readMap(raw[section], `metadata: ${section}`))) {
      if (Object.hasOwn(endpoints, name))
        throw notValid(`charm ${show(charm)} using a duplicated relation name: ${show(name)}`);
      const endpoint = parseEndpoint(name, role, value, `metadata: ${section}.${name}`);
      checkEndpoint(endpoint, charm, subordinate);
      endpoints[name] = endpoint;
    }
  }
  return endpoints;
}

/**
 * Whether the endpoint is declared required. An endpoint without `optional` is not required (core/requirements), though
 * Juju shows its `optional` as false.
 */
function statedRequired(requires: unknown, name: string): boolean {
  const value = isMap(requires) && Object.hasOwn(requires, name) ? requires[name] : undefined;
  return isMap(value) && value['optional'] === false;
}

const nameMax = limits.endpointName.max;

/** Parses an endpoint; the short form is the interface alone. */
function parseEndpoint(name: string, role: Role, value: unknown, path: string): Endpoint {
  if (!isEndpointName(name)) throw notValid(`${path}: invalid endpoint name ${show(name)}`);
  const map = typeof value === 'string' ? { interface: value } : readMap(value, path);
  const itsInterface = readText(map['interface'], `${path}.interface`);
  if (itsInterface === '') throw notValid(`${path}.interface: expected string, got nothing`);
  // The name and the interface appear in messages, such as those about what a unit waits for.
  if (name.length > nameMax) throw notValid(`${path}: expected a name of at most ${nameMax} characters`);
  if (itsInterface.length > nameMax || /\p{Cc}/u.test(itsInterface))
    throw notValid(`${path}.interface: expected a name of at most ${nameMax} characters, in one line`);
  const scope = map['scope'] ?? 'global';
  if (scope !== 'global' && scope !== 'container')
    throw notValid(`${path}.scope: expected "global" or "container", got ${show(scope)}`);
  const stated = map['limit'] ?? 0;
  const limit = typeof stated === 'string' && /^\d{1,9}$/.test(stated) ? Number(stated) : stated;
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0)
    throw notValid(`${path}.limit: expected a non-negative int, got ${show(limit)}`);
  return {
    name,
    role,
    interface: itsInterface,
    scope,
    limit,
    optional: readFlag(map['optional'], `${path}.optional`),
  };
}

function checkEndpoint(
  { name, role, scope, interface: its }: Endpoint,
  charm: string,
  subordinate: boolean,
): void {
  const attaches = subordinate && role === 'requirer' && scope === 'container';
  if (isReservedName(name) && !attaches)
    throw notValid(`charm ${show(charm)} using a reserved relation name: ${show(name)}`);
  if (isReservedName(its) && role !== 'requirer')
    throw notValid(`charm ${show(charm)} relation ${show(name)} using a reserved interface: ${show(its)}`);
}

function parseStorage(raw: Raw, charm: string): Record<string, unknown> {
  const storage = readMap(raw['storage'], 'metadata: storage');
  for (const [name, value] of Object.entries(storage)) {
    const type = readMap(value, `metadata: storage.${name}`)['type'];
    if (type !== 'block' && type !== 'filesystem')
      throw notValid(
        `charm ${show(charm)} storage ${show(name)}: type must be specified: block or filesystem`,
      );
  }
  storageSpecs(storage);
  return { ...storage };
}

function parseResources(raw: Raw): CharmMeta['resources'] {
  return Object.fromEntries(
    Object.entries(readMap(raw['resources'], 'metadata: resources')).map(([name, value]) => {
      const section = `metadata: resources.${name}`;
      const resource = readMap(value, section);
      const type = readText(resource['type'] ?? 'file', `${section}.type`);
      if (type !== 'file' && type !== 'oci-image')
        throw notValid(`${section}.type: unsupported resource type ${show(type)}`);
      const path = readText(resource['filename'], `${section}.filename`);
      checkResource({ name, type, path }, section);
      return [name, { type, path, description: readText(resource['description'], `${section}.description`) }];
    }),
  );
}

/**
 * The name of a resource is part of paths on machines and of URLs of the API, and its file on machines is called as the
 * charm says: neither name may lead elsewhere.
 */
function checkResource(
  { name, type, path }: { readonly name: string; readonly type: string; readonly path: string },
  section: string,
): void {
  if (!isFileName(name)) throw notValid(`${section}: invalid resource name ${show(name)}`);
  if (path === '' && type === 'file') throw notValid(`${section}: resource missing filename`);
  if (path !== '' && !isFileName(path))
    throw notValid(`${section}.filename: filename cannot contain "/" (got ${show(path)})`);
}

function isFileName(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || text.length > limits.resourceName.max) return false;
  return !/[/\\]|\p{Cc}|\p{Cs}/u.test(text);
}

function parseExtraBindings(raw: Raw, endpoints: Readonly<Record<string, Endpoint>>): string[] {
  const names = Object.keys(readMap(raw['extra-bindings'], 'metadata: extra-bindings'));
  const clash = names.find((name) => Object.hasOwn(endpoints, name));
  if (clash !== undefined) throw notValid(`relation ${show(clash)} cannot be used in extra bindings`);
  return names;
}
