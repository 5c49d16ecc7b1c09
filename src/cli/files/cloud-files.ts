/**
 * clouds.yaml and credentials.yaml in Juju's own format. Content of other clients or people stays: unknown keys,
 * comments, order.
 */
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { commentAt, readDocument, setAt } from '../../kit/yaml/edit.ts';
import { readYamlValue } from '../../kit/yaml/read.ts';
import { textOf } from '../../kit/yaml/write.ts';
import { Misshapen, readClientFile, reading, type FileText } from './client-file.ts';
import { withLock } from './lock.ts';
import { writePrivate } from './write-private.ts';
import { defined } from '../../core/defined.ts';

export interface CloudEntry {
  readonly type: string;
  readonly description?: string;
  readonly 'auth-types'?: readonly string[];
  readonly endpoint?: string;
  readonly 'identity-endpoint'?: string;
  readonly 'storage-endpoint'?: string;
  /** Regions in the file's order: the first is the default. */
  readonly regions?: ReadonlyMap<string, RegionEntry>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly 'region-config'?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly 'ca-certificates'?: readonly string[];
  readonly 'skip-tls-verify'?: boolean;
}
export interface RegionEntry {
  readonly endpoint?: string;
  readonly 'identity-endpoint'?: string;
  readonly 'storage-endpoint'?: string;
}
interface CredentialEntry {
  readonly authType: string;
  readonly attributes: Readonly<Record<string, string>>;
}
/** Entry of one cloud in credentials.yaml. */
export interface CloudCredentials {
  readonly defaultCredential?: string;
  readonly defaultRegion?: string;
  /** Credentials by name, in the file's order. */
  readonly credentials: ReadonlyMap<string, CredentialEntry>;
}

/** Keys of a cloud in credentials.yaml that are not names of credentials. */
const reservedCredentialNames = ['default-credential', 'default-region'];

export class CloudFiles {
  readonly dir: string;
  readonly #clock: Clock;

  constructor(dir: string, clock: Clock) {
    this.dir = dir;
    this.#clock = clock;
  }

  get cloudsPath(): string {
    return join(this.dir, 'clouds.yaml');
  }

  get credentialsPath(): string {
    return join(this.dir, 'credentials.yaml');
  }

  /** Reads the clouds. Errors: plain Error that names the file and the problem in it. */
  async clouds(): Promise<ReadonlyMap<string, CloudEntry>> {
    const file = await this.#read('clouds');
    return reading(file, () => readClouds(cloudsContent(file.text)));
  }

  /**
   * Reads the public cloudsfrom the file of Juju's client; undefined when there is none. Errors: plain Error that names
   * the file and the problem in it.
   */
  async publicClouds(): Promise<ReadonlyMap<string, CloudEntry> | undefined> {
    const path = join(this.dir, 'public-clouds.yaml');
    const file = await readClientFile(path, 'the client then knows no public clouds');
    return file && reading(file, () => readClouds(cloudsContent(file.text)));
  }

  /** Replaces a cloud's entry except for unknown keys; undefined removes it. `comment` is placed below the entry. */
  async setCloud(name: string, entry: CloudEntry | undefined, comment = ''): Promise<void> {
    await this.#change('clouds', (document) => {
      const content = document.toJS({ mapAsMap: true }) as unknown;
      const previousEntry = mapAt(mapAt(content, 'clouds'), name);
      const unknownKeys = [...previousEntry].filter(([key]) => !cloudKeys.includes(String(key)));
      setAt(
        document,
        ['clouds', name],
        entry && new Map<unknown, unknown>([...Object.entries(entry), ...unknownKeys]),
        { inline: ['auth-types'] },
      );
      if (comment !== '') commentAt(document, ['clouds', name], comment);
    });
  }

  async credentials(): Promise<ReadonlyMap<string, CloudCredentials>> {
    const file = await this.#read('credentials');
    return reading(file, () => readCredentials(credentialsContent(file.text)));
  }

  /** Returns the credentials for one cloud; empty when there are none. */
  async credentialsOf(cloud: string): Promise<CloudCredentials> {
    return (await this.credentials()).get(cloud) ?? { credentials: new Map() };
  }

  /** Sets a credential; undefined removes it, and also the default if it was this credential. */
  async setCredential(cloud: string, name: string, entry: CredentialEntry | undefined): Promise<void> {
    await this.#change('credentials', (document) => {
      setAt(
        document,
        ['credentials', cloud, name],
        entry && { 'auth-type': entry.authType, ...entry.attributes },
      );
      if (entry) return;
      const cloudEntry = mapAt(mapAt(document.toJS({ mapAsMap: true }), 'credentials'), cloud);
      if (cloudEntry.get('default-credential') === name)
        setAt(document, ['credentials', cloud, 'default-credential'], undefined);
      if (cloudEntry.size === 0) setAt(document, ['credentials', cloud], undefined);
    });
  }

  /** Sets the default credential or region; undefined removes it. */
  async setDefault(
    key: 'default-credential' | 'default-region',
    cloud: string,
    value: string | undefined,
  ): Promise<void> {
    await this.#change('credentials', (document) => setAt(document, ['credentials', cloud, key], value));
  }

  async #change(
    fileName: 'clouds' | 'credentials',
    fn: (document: ReturnType<typeof readDocument>) => void,
  ): Promise<void> {
    await withLock(join(this.dir, '.lock'), this.#clock, async () => {
      // The file is read first, so that a damaged file is refused and not overwritten.
      await this[fileName]();
      const file = await this.#read(fileName);
      const document = readDocument(file.text);
      fn(document);
      await writePrivate(file.path, textOf(document));
    });
  }

  async #read(fileName: 'clouds' | 'credentials'): Promise<FileText> {
    const path = fileName === 'clouds' ? this.cloudsPath : this.credentialsPath;
    return (await readClientFile(path, `the client then has none of your ${fileName}`)) ?? { path, text: '' };
  }
}

const cloudKeys = [
  'type',
  'description',
  'auth-types',
  'endpoint',
  'identity-endpoint',
  'storage-endpoint',
  'regions',
  'config',
  'region-config',
  'ca-certificates',
  'skip-tls-verify',
];

/** Parses the text of a file like clouds.yaml, with maps as Maps. Errors: those of readYamlValue. */
export const cloudsContent = (text: string): unknown => readYamlValue(text, { dialect: 'juju', maps: true });

/**
 * Parses the text of a file like credentials.yaml. Every scalar is the text in the file, so that `12:34` is no number.
 */
export const credentialsContent = (text: string): unknown =>
  readYamlValue(text, { dialect: 'texts', maps: true });

/** Returns the clouds in the content of a clouds.yaml with maps as Maps. Errors: Misshapen. */
export function readClouds(content: unknown): Map<string, CloudEntry> {
  const clouds = new Map<string, CloudEntry>();
  for (const [name, value] of topMap(content, 'clouds')) {
    if (!(value instanceof Map) || typeof value.get('type') !== 'string')
      throw new Misshapen(['clouds', String(name)], `cloud "${String(name)}" has no type`);
    clouds.set(String(name), readCloud(value));
  }
  return clouds;
}

function readCloud(value: ReadonlyMap<unknown, unknown>): CloudEntry {
  const list = (key: string): Record<string, readonly string[]> => {
    const items = value.get(key);
    return Array.isArray(items) && items.length > 0 ? { [key]: items.map(String) } : {};
  };
  const text = (key: string): Record<string, string> => {
    const member = value.get(key);
    return typeof member === 'string' && member !== '' ? { [key]: member } : {};
  };
  const regions = mapAt(value, 'regions');
  const config = plain(mapAt(value, 'config')) as Record<string, unknown>;
  const regionConfig = plain(mapAt(value, 'region-config')) as Record<string, Record<string, unknown>>;
  return {
    type: String(value.get('type')),
    ...text('description'),
    ...list('auth-types'),
    ...text('endpoint'),
    ...text('identity-endpoint'),
    ...text('storage-endpoint'),
    ...(regions.size > 0 && {
      regions: new Map(
        [...regions].map(([name, region]) => [String(name), plain(region ?? {}) as RegionEntry]),
      ),
    }),
    ...defined({ config: Object.keys(config).length > 0 ? config : undefined }),
    ...(Object.keys(regionConfig).length > 0 && { 'region-config': regionConfig }),
    ...list('ca-certificates'),
    ...defined({ 'skip-tls-verify': value.get('skip-tls-verify') === true || undefined }),
  };
}

/** Returns the credentials in the content of a credentials.yaml. Errors: Misshapen. */
export function readCredentials(content: unknown): Map<string, CloudCredentials> {
  const clouds = new Map<string, CloudCredentials>();
  for (const [cloud, value] of topMap(content, 'credentials')) {
    const path = ['credentials', String(cloud)];
    if (isNothing(value)) continue;
    if (!(value instanceof Map))
      throw new Misshapen(path, `the entry of cloud "${String(cloud)}" must be a map`);
    const credentials = new Map<string, CredentialEntry>();
    for (const [name, credential] of value) {
      if (reservedCredentialNames.includes(String(name))) continue;
      if (!(credential instanceof Map) || typeof credential.get('auth-type') !== 'string')
        throw new Misshapen(
          [...path, String(name)],
          `credential "${String(name)}" of cloud "${String(cloud)}" has no auth-type`,
        );
      const { 'auth-type': authType, ...attributes } = plain(credential) as Record<string, unknown>;
      const texts = Object.entries(attributes).map(([key, item]) => [key, scalarText(item)] as const);
      credentials.set(String(name), { authType: String(authType), attributes: Object.fromEntries(texts) });
    }
    const textAt = (key: string): string => scalarText(value.get(key));
    clouds.set(String(cloud), {
      ...defined({
        defaultCredential: textAt('default-credential') || undefined,
        defaultRegion: textAt('default-region') || undefined,
      }),
      credentials,
    });
  }
  return clouds;
}

const scalarText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/**
 * Returns the single map of the file, which may be empty. Errors: Misshapen for content that rewriting the file would
 * lose.
 */
function topMap(content: unknown, key: string): ReadonlyMap<unknown, unknown> {
  if (isNothing(content)) return new Map();
  const map: unknown = content instanceof Map ? content.get(key) : content;
  if (content instanceof Map && (isNothing(map) || map instanceof Map)) return mapAt(content, key);
  throw new Misshapen([key], content instanceof Map ? `${key} must be a map` : 'a map is expected');
}

/** Returns whether a value is absent or an empty text. */
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns the map under this key; an empty one when there is none. */
function mapAt(value: unknown, key: string): ReadonlyMap<unknown, unknown> {
  const map: unknown = value instanceof Map ? value.get(key) : undefined;
  return map instanceof Map ? map : new Map();
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
}
