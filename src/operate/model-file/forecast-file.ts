/** A model file for a forecast (forecasts.md#applies): of charms and resources what is asked about them, not the contents. */
import { call } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import type { ForecastCharm, ForecastFile, ForecastResource } from '../../core/forecast/file.ts';
import { hasCode } from '../../core/errors.ts';
import type { ModelFile } from '../../core/model-file/model-file.ts';
import { isPath, type ReadCharm } from '../bundle/bundle-charms.ts';
import type { ReadResource } from '../bundle/bundle-resources.ts';
import type { CharmSource } from '../deploy/charm-source.ts';
import { charmFromWire } from '../deploy/model-charm.ts';
import { checkResourceNames } from '../deploy/resources.ts';

interface ToForecast extends Omit<ForecastFile, 'text' | 'charms' | 'resources'> {
  /** The file before and after it was parsed. */
  readonly raw: unknown;
  readonly file: ModelFile;
  readonly connection: Connection;
  readonly readCharm: ReadCharm;
  readonly readResource: ReadResource;
}

/** Reads what the file refers to. Errors: those of the readers; `not found` for a charm that the model does not have. */
export async function forecastFile(given: ToForecast): Promise<ForecastFile> {
  const { raw, file, connection, readCharm, readResource, ...rest } = given;
  const local = new Map<string, CharmSource>();
  const resources: ForecastResource[] = [];
  for (const { charm, resources: named = {} } of Object.values(file.bundle.applications)) {
    if (isPath(charm) && !local.has(charm)) local.set(charm, await readCharm(charm));
    if (Object.keys(named).length === 0) continue;
    const { meta } = local.get(charm)?.charm ?? charmFromWire(await infoOf(connection, charm));
    checkResourceNames(meta, Object.keys(named));
    for (const [name, value] of Object.entries(named)) {
      const source = await readResource(name, meta.resources[name]!, value);
      resources.push({ name, value, bytes: source.bytes, fingerprint: await source.fingerprint() });
    }
  }
  const charms: ForecastCharm[] = [];
  for (const [path, source] of local) charms.push(await charmOf(path, source, connection));
  return { ...rest, text: JSON.stringify(raw), charms, resources };
}

/** What is known of a charm: its archive's hash as each charm of its name would have it, so that equal ones are found. */
async function charmOf(path: string, source: CharmSource, connection: Connection): Promise<ForecastCharm> {
  const { files, revision, charm } = source;
  const { 'charm-urls': urls } = await call(connection, 'Charms', 'List', { names: [charm.meta.name] });
  const hashes = new Map<string, string>();
  for (const url of urls) {
    const version = await versionOf(connection, url);
    if (version !== undefined && !hashes.has(version)) hashes.set(version, await source.sha256(version));
  }
  return { path, files, revision, hashes: Object.fromEntries(hashes) };
}

/** A charm that no application uses may be removed after it was listed. */
async function versionOf(connection: Connection, url: string): Promise<string | undefined> {
  try {
    return (await infoOf(connection, url)).version ?? '';
  } catch (error) {
    if (hasCode(error, 'not found')) return undefined;
    throw error;
  }
}

function infoOf(connection: Connection, url: string) {
  return call(connection, 'Charms', 'CharmInfo', { url });
}
