/** Place of a unit on its machine: a charm folder and a way to run hooks in it. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findDebugSession, type DebugSession } from '../../hooks/debug-session.ts';
import type { HookContext } from '../../hooks/context.ts';
import { installHookTools } from '../../hooks/install-hook-tools.ts';
import { killLeftover } from '../../hooks/leftover.ts';
import { runHook, type HookResult, type HookRun } from '../../hooks/run-hook.ts';
import { HookSocket } from '../../hooks/socket.ts';
import type { Clock } from '../../kit/clock.ts';
import { createLocks } from '../../kit/locks.ts';
import type { Log } from '../../kit/log.ts';
import { writeText } from '../../providers/toolkit/json-file.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { unitPaths } from '../paths.ts';
import { provideResource, type FetchResource, type UnitResource } from './provide-resource.ts';
import { deployCharm, type CharmArchive, type FetchCharm } from './deploy-charm.ts';
import { makeFolder } from '../../kit/make-folder.ts';

export interface UnitHost {
  /** Makes the charm folder hold this charm. The call may be repeated. */
  deploy(charm: CharmArchive, signal: AbortSignal): Promise<void>;
  /** Runs a hook, action or script. Rejects when aborted; errors of the charm are in the result. */
  run(run: UnitRun): Promise<HookResult>;
  /** Finds the debug session that catches the hook or action of one of these names. Absent: there are no sessions. */
  debugSession?(names: readonly string[]): Promise<DebugSession | undefined>;
  /** Makes the machine have the resource, and returns its path. Errors: those of provideResource. */
  provideResource(resource: UnitResource, signal: AbortSignal): Promise<string>;
  /** Replaces the text that `savedState` returns. */
  saveState(text: string): Promise<void>;
  /** Ends what belongs to this process; the files stay. */
  close(): Promise<void>;
  /** Removes all files of the unit from the machine; must be called after close. */
  remove(): Promise<void>;
}

export type UnitRun = { readonly context: HookContext } & Pick<
  HookRun,
  'program' | 'timeoutMs' | 'signal' | 'cancel' | 'onOutput' | 'capture' | 'debug'
>;

export interface UnitHosts {
  /** Opens the unit's place; first kills processes that a crashed agent left running for the unit. */
  open(unit: string, log: Log): Promise<UnitHost>;
  /** Lists the units that have files on the machine. */
  list(): Promise<readonly string[]>;
  /** The text that was saved last for the unit; undefined = none was, or it cannot be read. */
  savedState(unit: string): Promise<string | undefined>;
}

interface UnitHostOptions {
  readonly dataDir: string;
  /** Folder for sockets; see unitPaths. */
  readonly runDir?: string | undefined;
  readonly version: string;
  /** Juju's name of the architecture: `amd64`. */
  readonly arch: string;
  readonly clock: Clock;
  readonly fetchCharm: FetchCharm;
  readonly fetchResource: FetchResource;
}

/** Creates unit hosts on this machine's disk, whose hooks are processes. */
export function unitHosts(options: UnitHostOptions): UnitHosts {
  return {
    open: (unit, log) => openUnitHost(options, unit, log),
    async list() {
      const names = await readdir(join(options.dataDir, 'agents')).catch(() => []);
      return names.filter((name) => name.startsWith('unit-')).map((tag) => parseTagOf('unit', tag));
    },
    savedState: (unit) =>
      readFile(unitPaths(options.dataDir, unit).savedState, 'utf8').catch(() => undefined),
  };
}

async function openUnitHost(options: UnitHostOptions, unit: string, log: Log): Promise<UnitHost> {
  const { dataDir, runDir, version, arch, clock, fetchCharm, fetchResource } = options;
  const paths = unitPaths(dataDir, unit, runDir);
  await makeFolder(paths.stateDir);
  if (await killLeftover(paths.processFile))
    log.warning('ended the hook that the previous agent left running');
  await installHookTools({ dir: paths.toolsDir, version, arch });
  const socket = await HookSocket.listen({ path: paths.socket, log });
  const locks = createLocks();
  return {
    deploy: (charm, signal) => deployCharm(paths, charm, fetchCharm, signal),
    run: (run) =>
      runHook({
        ...run,
        charmDir: paths.charmDir,
        toolsDir: paths.toolsDir,
        socket,
        processFile: paths.processFile,
        clock,
      }),
    debugSession: (names) => findDebugSession({ unit, names, toolsDir: paths.toolsDir }),
    provideResource: (resource, signal) =>
      provideResource(
        { paths, unit, fetch: fetchResource, clock, random: Math.random, locks },
        resource,
        signal,
      ),
    saveState: (text) => writeText(paths.savedState, text),
    close: () => socket.close(),
    async remove() {
      await rm(paths.agentDir, { recursive: true, force: true });
      await rm(dirname(paths.socket), { recursive: true, force: true });
      await rm(paths.toolsDir, { recursive: true, force: true });
    },
  };
}
