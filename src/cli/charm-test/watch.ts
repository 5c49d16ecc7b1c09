/** Watches a charm's files: each change is packed, given to the units, and checked by the scenarios. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { zipCharm } from '../../operate/files/zip-charm.ts';
import { unitsOf } from '../../operate/scenario/conditions.ts';
import type { FullStatus } from '../../wire/facades/client.ts';
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
 * Yields the packed charm whenever what would be packed has changed, until the signal aborts. `folder`: for archives.
 */
export async function* charmChanges(
  charm: string,
  { folder, clock, signal }: { readonly folder: string; readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<Change | Unpackable, void, undefined> {
  const isFolder = (await stat(charm)).isDirectory();
  let wake = (): void => undefined;
  let changed = false;
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
    let digest = await digestOf(charm, isFolder, join(folder, 'watched.charm')).catch(() => '');
    for (let number = 1; !signal.aborted; number++) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      while (changed && !signal.aborted) {
        changed = false;
        await clock.sleep(quietMs, signal).catch(() => undefined);
      }
      if (signal.aborted) return;
      const archive = join(folder, `watched-${number}.charm`);
      try {
        const now = await digestOf(charm, isFolder, archive);
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

/** Packs a folder to `archive`. Returns the digest of what is deployed: equal files have equal archives. */
async function digestOf(charm: string, isFolder: boolean, archive: string): Promise<string> {
  if (isFolder) await zipCharm(charm, archive);
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
  const { stage, run, clock, signal, timeoutMs } = target;
  const status = await stage.status();
  for (const application of applicationsOf(status, charmName)) {
    const { code, stderr } = await run(['refresh', application, '--path', archive, '--force-units']);
    signal.throwIfAborted();
    if (code !== 0) throw new Error(stderr.trim());
  }
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const now = await stage.status();
    const units = unitsWith(now, charmName);
    const late = units.filter(([, unit]) => unit.charm !== '').map(([name]) => name);
    if (late.length === 0) {
      const failed = units.filter(([, unit]) => unit['workload-status'].status === 'error');
      if (failed.length > 0) await run(['resolved', ...failed.map(([name]) => name)]);
      return;
    }
    if (clock.now() > deadline) throw new Error(`units do not take the new charm: ${late.join(', ')}`);
    await clock.sleep(lookMs, signal);
  }
}

function applicationsOf(status: FullStatus | undefined, charmName: string): string[] {
  return Object.entries(status?.applications ?? {}).flatMap(([name, { charm }]) =>
    charm.replace(/^local:/, '').replace(/-\d+$/, '') === charmName ? [name] : [],
  );
}

function unitsWith(status: FullStatus | undefined, charmName: string) {
  const applications = new Set(applicationsOf(status, charmName));
  // A unit without a machine runs nothing yet.
  return [...unitsOf(status)].filter(
    ([name, { machine }]) => applications.has(name.split('/')[0] ?? '') && machine !== '',
  );
}
