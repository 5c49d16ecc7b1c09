/** Apply of a model file by the user of a forecast, with the client's own code (forecasts.md#applies). */
import { createHash } from 'node:crypto';
import { parseMachineMap } from '../core/bundle/map-machines.ts';
import { parseCharm } from '../core/charm/parse-charm.ts';
import { notFound } from '../core/errors.ts';
import type { ForecastCharm, ForecastFile, ForecastResource } from '../core/forecast/file.ts';
import { settingsOfCopy } from '../core/forecast/forecast.ts';
import { checkLimit, limits } from '../core/limits.ts';
import type { ModelFile } from '../core/model-file/model-file.ts';
import { parseModelFile } from '../core/model-file/parse-model-file.ts';
import { addCharm } from '../controller/transactions/begin/add-charm.ts';
import { setResourceContent } from '../controller/transactions/shared/resources.ts';
import type { Tx } from '../controller/transactions/tx.ts';
import type { Clock } from '../kit/clock.ts';
import type { CharmSource } from '../operate/deploy/charm-source.ts';
import type { ResourceSource } from '../operate/deploy/resources.ts';
import { applyModel, type ApplyEvent } from '../operate/model-file/apply-model.ts';
import { prepareModel, refuseReplacements } from '../operate/model-file/prepare-model.ts';
import type { Operator } from '../operate/operator.ts';
import type { ModelSession, OpenController } from '../operate/sessions.ts';

/** Means of the user who applies. */
export interface Applying {
  readonly session: ModelSession;
  readonly openController: OpenController;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Runs a transaction in the controller, as an upload does once all of it is there. */
  readonly change: <R>(fn: (tx: Tx) => R) => Promise<R>;
  /** Tells what the apply does. */
  readonly tell: (what: string) => void;
}

/** User whose resources an apply attaches. */
const username = 'what-if';

/** Applies the file. Errors: what is wrong with it; the controller's. */
export async function applyFile(given: ForecastFile, applying: Applying): Promise<void> {
  const { session, openController, change, tell, ...operator } = applying;
  const charms = new Map(given.charms.map((charm) => [charm.path, charm]));
  const told: Operator<ApplyEvent> = {
    ...operator,
    architecture: 'amd64',
    report: (event) => {
      if (event.kind === 'step done') tell(event.text);
      if (event.kind === 'step failed') tell(`failed: ${event.text}`);
    },
  };
  const prepared = await prepareModel(told, {
    file: playedPart(fileOf(given)),
    secrets: {},
    map: parseMachineMap(given['map-machines']),
    readCharm: async (path) => sourceOf(found(charms.get(path), 'charm', path), change),
    readResource: async (name, _declared, value) =>
      contentOf(
        found(
          given.resources.find((one) => one.name === name && one.value === value),
          'resource',
          name,
        ),
        change,
      ),
    openController,
    session,
    force: given.force,
    prune: given.prune,
    replace: given.replace,
  });
  refuseReplacements(prepared);
  if (prepared.plan.steps.length === 0) return tell('nothing to change');
  await applyModel(told, prepared, 1);
  tell('done');
}

function fileOf({ text }: ForecastFile): ModelFile {
  const file = parseModelFile(JSON.parse(text));
  const { applications, machines } = file.bundle;
  const units = Object.values(applications).reduce((sum, one) => sum + one.units, 0);
  checkLimit(limits.forecastEntities, units + Object.keys(machines).length);
  return file;
}

/** The part of the file that a forecast plays: the copy of the model has nothing of the rest. */
function playedPart(file: ModelFile): ModelFile {
  const { applications, machines, ...bundle } = file.bundle;
  return {
    ...file,
    settings: withoutKeys(file.settings, settingsOfCopy),
    access: {},
    secrets: {},
    bundle: {
      ...bundle,
      applications: mapped(applications, (one) => {
        const { offers: _, ...rest } = one;
        return { ...rest, annotations: {} };
      }),
      machines: mapped(machines, (one) => ({ ...one, annotations: {} })),
    },
  };
}

function sourceOf({ files, revision, hashes }: ForecastCharm, change: Applying['change']): CharmSource {
  const charm = parseCharm(files);
  // A charm that the model does not have gets the hash of what describes it.
  const own = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  const hashOf = (version: string): string => hashes[version] ?? own;
  return {
    charm,
    files,
    revision,
    sha256: (version) => Promise.resolve(hashOf(version)),
    upload: async () =>
      (await change((tx) => addCharm(tx, { charm, version: '', sha256: hashOf(''), size: 0, revision }))).url,
  };
}

function contentOf(
  { name, bytes, fingerprint }: ForecastResource,
  change: Applying['change'],
): ResourceSource {
  const content = { fingerprint, sha256: fingerprint, size: bytes, username };
  return {
    name,
    bytes,
    fingerprint: () => Promise.resolve(fingerprint),
    send: async (_operator, _session, target) => {
      await change((tx) => setResourceContent(tx, { ...target, name }, content));
    },
  };
}

function found<T>(one: T | undefined, kind: string, name: string): T {
  if (one === undefined) throw notFound(kind, name);
  return one;
}

function withoutKeys<V>(all: Readonly<Record<string, V>>, keys: ReadonlySet<string>): Record<string, V> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !keys.has(key)));
}

function mapped<V>(all: Readonly<Record<string, V>>, fn: (one: V) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(all).map(([key, one]) => [key, fn(one)]));
}
