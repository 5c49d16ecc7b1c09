/** Watches the files of a charm and of scenarios: a changed charm is packed, and given to the units. */
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { zipCharm } from '../../operate/files/zip-charm.ts';
import { unitsOf } from '../../operate/scenario/conditions.ts';
import type { FullStatus, UnitStatus } from '../../wire/facades/client.ts';
import type { LocalStage, Ran } from './local-stage.ts';

/** Time in milliseconds without a change after which the charm is packed: an editor or a build writes many files. */
const quietMs = 300;
const lookMs = 200;

interface Change {
  /** Packed charm; absent when what would be packed has not changed. */
  readonly archive?: string;
  /** Reason why the charm cannot be packed as it is. */
  readonly error?: Error;
  /** Scenario files whose content has changed, or cannot be read any more. */
  readonly scenarios: readonly string[];
}

/** State of the watched files when they were last read. */
export interface Watched {
  /** Digest of the packed charm. */
  readonly charm: string;
  /** Digest of each scenario file, by its absolute path. */
  readonly scenarios: ReadonlyMap<string, string>;
}

/**
 * Yields the packed charm whenever what would be packed has changed since `since`, and scenario files whose content has
 * changed, until the signal aborts. `folder`: for archives. `except`: absolute path of a file that does not count,
 * which the test itself writes. `isBehind`: whether the charm that was yielded last was refused; it comes again with
 * each change.
 */
export async function* changesOf(
  charm: string,
  {
    since,
    folder,
    except,
    isBehind = () => false,
    clock,
    signal,
  }: {
    readonly since: Watched;
    readonly folder: string;
    readonly except?: string | undefined;
    readonly isBehind?: () => boolean;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Change, void, undefined> {
  const isFolder = (await stat(charm)).isDirectory();
  const alarm = new Alarm(signal);
  try {
    if (isFolder) alarm.watchTree(charm);
    for (const file of [...(isFolder ? [] : [charm]), ...since.scenarios.keys()]) alarm.watchFile(file);
    let digest = since.charm;
    let known = since.scenarios;
    for (let number = 1; await alarm.rings(clock); number++) {
      const now = await digestsOf(known.keys());
      const scenarios = [...now].flatMap(([file, one]) => (one === known.get(file) ? [] : [file]));
      known = now;
      const archive = join(folder, `watched-${number}.charm`);
      try {
        const packed = await digestOf(charm, isFolder, archive, except);
        const isNew = packed !== digest || (scenarios.length > 0 && isBehind());
        digest = packed;
        if (isNew) yield { archive: isFolder ? archive : charm, scenarios };
        else if (scenarios.length > 0) yield { scenarios };
      } catch (error) {
        digest = '';
        yield { error: error as Error, scenarios };
      } finally {
        await rm(archive, { force: true });
      }
    }
  } finally {
    alarm.close();
  }
}

/** Reports when something in watched files and folders may have changed. */
class Alarm {
  readonly #signal: AbortSignal;
  readonly #watchers: FSWatcher[] = [];
  #wake = (): void => undefined;
  /** Whether a change was not reported yet; changes before the watch begins count. */
  #changed = true;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  watchTree(folder: string): void {
    this.#add(watch(folder, { recursive: true }, () => this.#notice()));
  }

  /** Watches the folder of a file, which an editor replaces by another file. */
  watchFile(file: string): void {
    this.#add(watch(dirname(file), (_, name) => (name === basename(file) ? this.#notice() : undefined)));
  }

  /** Waits for a change, and until nothing has changed for a while. Returns false when the signal has aborted. */
  async rings(clock: Clock): Promise<boolean> {
    if (!this.#changed && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    while (this.#changed && !this.#signal.aborted) {
      this.#changed = false;
      await clock.sleep(quietMs, this.#signal).catch(() => undefined);
    }
    return !this.#signal.aborted;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #add(watcher: FSWatcher): void {
    watcher.on('error', () => this.#notice());
    this.#watchers.push(watcher);
  }

  #notice(): void {
    this.#changed = true;
    this.#wake();
  }
}

/** Returns the digest of each file's content; '' for a file that cannot be read. */
export async function digestsOf(files: Iterable<string>): Promise<Map<string, string>> {
  const read = [...files].map(async (file): Promise<[string, string]> => {
    const content = await readFile(file).catch(() => undefined);
    return [file, content ? sha256(content) : ''];
  });
  return new Map(await Promise.all(read));
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
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
  return sha256(await readFile(isFolder ? archive : charm));
}

interface RefreshTarget {
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
    if (code !== 0) throw new Error(stderr.trim().replace(/^ERROR /m, ''));
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
  // Units that do not come to rest are reported by the scenario.
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
 * names of units that are not as wanted in time.
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
