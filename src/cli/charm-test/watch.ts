/** Watches a charm's files: each change is packed, given to the units, and checked by the scenarios. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { zipCharm } from '../../operate/files/zip-charm.ts';
import { unitsOf } from '../../operate/scenario/conditions.ts';
import type { FullStatus, UnitStatus } from '../../wire/facades/client.ts';
import type { LocalStage, Ran } from './local-stage.ts';

/** Time in milliseconds without a change after which the charm is packed: an editor or a build writes many files. */
const quietMs = 300;
const lookMs = 200;

export interface Change {
  /** Packed charm. */
  readonly archive: string;
  readonly error?: undefined;
}
export interface Unpackable {
  /** Reason why the charm cannot be packed as it is. */
  readonly error: Error;
}

/**
 * Yields the packed charm whenever what would be packed has changed since it had the digest `since`, until the signal
 * aborts. `folder`: for archives. `except`: absolute path of a file that does not count, which the test itself writes.
 */
export async function* charmChanges(
  charm: string,
  {
    since,
    folder,
    except,
    clock,
    signal,
  }: {
    readonly since: string;
    readonly folder: string;
    readonly except?: string | undefined;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Change | Unpackable, void, undefined> {
  const isFolder = (await stat(charm)).isDirectory();
  let wake = (): void => undefined;
  // What has changed before the watch begins counts.
  let changed = true;
  const notice = (): void => {
    changed = true;
    wake();
  };
  // A file is replaced by another one, so that its folder is watched.
  const watcher = watch(isFolder ? charm : dirname(charm), { recursive: isFolder }, (_, name) => {
    if (isFolder || name === basename(charm)) notice();
  });
  watcher.on('error', notice);
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    let digest = since;
    for (let number = 1; !signal.aborted; number++) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      while (changed && !signal.aborted) {
        changed = false;
        await clock.sleep(quietMs, signal).catch(() => undefined);
      }
      if (signal.aborted) return;
      const archive = join(folder, `watched-${number}.charm`);
      try {
        const now = await digestOf(charm, isFolder, archive, except);
        if (now !== digest) yield { archive: isFolder ? archive : charm };
        digest = now;
      } catch (error) {
        digest = '';
        yield { error: error as Error };
      } finally {
        await rm(archive, { force: true });
      }
    }
  } finally {
    watcher.close();
  }
}

/** Returns the digest of a charm as it would be packed now; '' when it cannot be packed. */
export async function charmDigest(charm: string, folder: string, except?: string): Promise<string> {
  const archive = join(folder, 'watched.charm');
  try {
    return await digestOf(charm, (await stat(charm)).isDirectory(), archive, except);
  } catch {
    return '';
  } finally {
    await rm(archive, { force: true });
  }
}

/** Packs a folder to `archive`. Returns the digest of what is deployed: equal files have equal archives. */
async function digestOf(
  charm: string,
  isFolder: boolean,
  archive: string,
  except: string | undefined,
): Promise<string> {
  if (isFolder) await zipCharm(charm, archive, '', except && relative(charm, except));
  return createHash('sha256')
    .update(await readFile(isFolder ? archive : charm))
    .digest('hex');
}

export interface RefreshTarget {
  readonly stage: LocalStage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Maximum time in milliseconds until all units have the new charm. */
  readonly timeoutMs: number;
  readonly run: (argv: readonly string[]) => Promise<Ran>;
}

/**
 * Gives the packed charm to the units of every application of that charm, those whose hook has failed included, and
 * runs failed hooks again. Errors: plain Error with the message of the refused refresh, or of a unit that does not
 * follow.
 */
export async function refreshUnits(target: RefreshTarget, charmName: string, archive: string): Promise<void> {
  const { stage, run, signal } = target;
  const status = await stage.status();
  for (const application of applicationsOf(status, charmName)) {
    const { code, stderr } = await run(['refresh', application, '--path', archive, '--force-units']);
    signal.throwIfAborted();
    if (code !== 0) throw new Error(stderr.trim());
  }
  const has = (unit: UnitStatus): boolean => unit.charm === '' && isAtRest(unit);
  const late = await restless(target, charmName, (_, unit) => has(unit));
  if (late.length > 0) throw new Error(`units do not take the new charm: ${late.join(', ')}`);
  const failed = new Map(
    unitsWith(await stage.status(), charmName).flatMap(([name, { 'workload-status': workload }]) =>
      workload.status === 'error' ? [[name, workload.since]] : [],
    ),
  );
  if (failed.size === 0) return;
  await run(['resolved', ...failed.keys()]);
  // The scenario tells of a unit that does not come to rest.
  await restless(target, charmName, (name, unit) => {
    const { status: now, since } = unit['workload-status'];
    return isAtRest(unit) && !(now === 'error' && since === failed.get(name));
  });
}

function isAtRest(unit: UnitStatus): boolean {
  return unit['agent-status'].status === 'idle' || unit['workload-status'].status === 'error';
}

/**
 * Waits until all units of the charm are as wanted, at two looks: an agent seems idle between two hooks. Returns the
 * names of those that are not in time.
 */
async function restless(
  { stage, clock, signal, timeoutMs }: RefreshTarget,
  charmName: string,
  isWanted: (name: string, unit: UnitStatus) => boolean,
): Promise<string[]> {
  const deadline = clock.now() + timeoutMs;
  for (let good = 0; ;) {
    const units = unitsWith(await stage.status(), charmName);
    const others = units.filter(([name, unit]) => !isWanted(name, unit)).map(([name]) => name);
    good = others.length === 0 ? good + 1 : 0;
    if (good === 2 || clock.now() > deadline) return others;
    await clock.sleep(lookMs, signal);
  }
}

function applicationsOf(status: FullStatus | undefined, charmName: string): string[] {
  return Object.entries(status?.applications ?? {}).flatMap(([name, { charm }]) =>
    charm.replace(/^local:/, '').replace(/-\d+$/, '') === charmName ? [name] : [],
  );
}

function unitsWith(status: FullStatus | undefined, charmName: string): [string, UnitStatus][] {
  const applications = new Set(applicationsOf(status, charmName));
  // A unit without a machine runs nothing yet.
  return [...unitsOf(status)].filter(
    ([name, { machine }]) => applications.has(name.split('/')[0] ?? '') && machine !== '',
  );
}
