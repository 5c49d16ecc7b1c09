/**
 * Taking over a model from another controller (migration.md#take-over): the tags of its instances, profiles and volumes
 * get this controller's UUID. Both controllers use the same LXD and project.
 */
import { JujuError } from '../../../core/errors.ts';
import { timeLimit } from '../../../kit/clock.ts';
import { sideBySide } from '../../../kit/side-by-side.ts';
import { ProviderError, tagKeys, type AdoptParams, type Environ } from '../../contract/provider.ts';
import { answered, instancePath } from './change-instance.ts';
import { LxdError } from './client.ts';
import { projectOf } from './config.ts';
import { isHolder } from './containers.ts';
import type { LxdContext } from './context.ts';
import { classified, isAbsent, isBusy } from './errors.ts';
import { isOwned, tagPrefix } from './names.ts';
import { listOwned } from './owned.ts';
import { listProfiles, profilePath } from './profiles.ts';
import { listVolumes, volumePath } from './volumes.ts';

/** Number of resources that are changed at a time. */
const atOnce = 8;
/** Time limit in milliseconds for one resource: the others do not wait for it. */
const oneMs = 30_000;
/** Maximum number of attempts for a resource that others change. */
const attempts = 10;
const againMs = 500;

/** The ticket is the project: the instances themselves, by their tags, show that the LXD is the same one. */
export function adoption(context: LxdContext): NonNullable<Environ['migration']> {
  return {
    ticket: projectOf(context.open.config),
    check: (from, signal) => answered(check(context, from, signal)),
    adopt: (from, signal) => classified(adopt(context, from, signal)),
  };
}

/** Returns what the other controller's environment of the model would look at. */
function theirsOf({ client, open }: LxdContext, from: string): Pick<LxdContext, 'client' | 'open'> {
  return { client, open: { ...open, controllerUuid: from } };
}

async function check(
  context: LxdContext,
  { ticket, from, machines }: AdoptParams,
  signal: AbortSignal,
): Promise<void> {
  const project = projectOf(context.open.config);
  if (ticket !== project)
    throw new JujuError('not supported', `its machines are in LXD's project ${ticket}, not in ${project}`);
  const { owned, unseen } = await listOwned(theirsOf(context, from), 'model', { state: false }, signal);
  const found = owned.filter(({ config }) => !isHolder(config)).length + unseen.length;
  if (found < machines)
    throw new JujuError(
      'not supported',
      `the LXD of this controller has ${found} of its ${machines} machines in project ${project}: it is another one, or its credential does not see them`,
    );
}

async function adopt(context: LxdContext, { from }: AdoptParams, signal: AbortSignal): Promise<void> {
  const theirs = theirsOf(context, from);
  const { owned, unseen } = await listOwned(theirs, 'model', { state: false }, signal);
  const volumes = await listVolumes(theirs, 'model', signal);
  const profiles = await listProfiles(theirs, 'model', signal);
  const paths = [
    ...owned.map(({ name }) => instancePath(name)),
    ...volumes.map(({ pool, volume }) => volumePath(pool, volume.name)),
    ...profiles.map(({ name }) => profilePath(name)),
  ];
  await retagEach(context, paths, from, signal);
  const [away] = unseen;
  if (away)
    throw new ProviderError('transient', `LXD does not reach instance ${away.name} on ${away.location}`);
}

/** Retags each resource, going on after failures. */
async function retagEach(
  context: LxdContext,
  paths: readonly string[],
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  const retagOne = (path: string): Promise<unknown> =>
    retagInTime(context, path, from, signal).catch((error: unknown) => failures.push(error));
  await sideBySide(paths, atOnce, retagOne, signal);
  if (failures.length > 0) throw failures[0];
}

async function retagInTime(
  context: LxdContext,
  path: string,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const limit = timeLimit(context.open.clock, oneMs, signal);
  try {
    await retag(context, path, from, limit.signal);
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    throw new ProviderError('transient', `LXD has not changed ${path} within ${oneMs / 1000} s`, {
      cause: error,
    });
  } finally {
    limit.done();
  }
}

/** Members that a change of an instance, profile or volume has to repeat, as far as it has them. */
const kept = ['architecture', 'devices', 'ephemeral', 'profiles', 'description', 'stateful'] as const;
type Tagged = { readonly config: Readonly<Record<string, string>> } & Readonly<
  Partial<Record<(typeof kept)[number], unknown>>
>;

/** Makes a resource of the other controller one of this controller; any other resource stays as it is. */
async function retag(
  { client, open }: LxdContext,
  path: string,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      const { value, etag } = await client.read<Tagged>(path, signal);
      if (!isOwned(value.config, { ...open, controllerUuid: from })) return;
      const config = { ...value.config, [tagPrefix + tagKeys.controller]: open.controllerUuid };
      const rest = Object.fromEntries(kept.filter((key) => key in value).map((key) => [key, value[key]]));
      return await client.request({ method: 'PUT', path, body: { ...rest, config }, etag }, signal);
    } catch (error) {
      if (isAbsent(error)) return;
      const isChanged = error instanceof LxdError && error.status === 412;
      if (!(isChanged || isBusy(error)) || attempt === attempts) throw error;
      await open.clock.sleep(againMs, signal);
    }
  }
}
