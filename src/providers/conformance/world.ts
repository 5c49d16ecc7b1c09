/** Environment of each case: models with UUIDs and folders of their own, and a record of everything that is output. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/clock.ts';
import { createLog } from '../../kit/log.ts';
import type { Environ, OpenParams, Provider } from '../contract/provider.ts';
import type { StartParams } from '../contract/start.ts';
import { overhear, textOf } from './overhear.ts';
import type { Look, Subject } from './subject.ts';

export type Opened = Environ & { readonly modelUuid: string };

export interface ProviderWorld {
  readonly folder: string;
  readonly stateDir: string;
  readonly toolsDir: string;
  readonly controllerUuid: string;
  readonly never: AbortSignal;
  /** Opens a model's environment; a new model unless one is named. */
  open(provider: Provider, params?: Partial<OpenParams>): Opened;
  /** Returns the parameters of `open`, for callers that open the environment elsewhere. */
  openParams(provider: Provider, params?: Partial<OpenParams>): OpenParams;
  startParams(machineId: string, params?: Partial<StartParams>): StartParams;
  look(after: Look['after']): Look;
  /** Lines of everything that the provider returned, threw, logged and reported as progress. */
  readonly heard: readonly string[];
  readonly agentPassword: string;
  /** Destroys through the provider what the controllers of this world created, then removes the folder. */
  end(provider: Provider): Promise<void>;
}

/** Agent of the cases: reports its start and then idles, with the world's folder in its command line. */
const agentOf = (folder: string): string => `#!/bin/sh
echo "agent $*"
exec tail -q -f -- /dev/null "${folder}" "$@" 2>/dev/null
`;

export function createProviderWorld(subject: Pick<Subject, 'open' | 'start'> = {}): ProviderWorld {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-providers-'));
  // The folder must be readable for machines that run as another user.
  chmodSync(folder, 0o755);
  const stateDir = join(folder, 'state');
  const toolsDir = join(folder, 'tools');
  mkdirSync(toolsDir);
  writeFileSync(join(toolsDir, 'node'), agentOf(folder), { mode: 0o755 });
  /** State folders by controller. */
  const controllers = new Map<string, string>();
  const models = new Set<string>();
  const controllerUuid = randomUUID();
  const agentPassword = `agent-${randomUUID()}`;
  const never = new AbortController().signal;
  const heard: string[] = [];
  let isOver = false;
  // A case that ran out of time continues while the next one runs.
  const check = (): void => {
    if (isOver) throw new Error('the case is over');
  };
  const log = createLog(
    'provider',
    (record) => void heard.push(textOf(record)),
    () => systemClock.now(),
  );
  return {
    folder,
    stateDir,
    toolsDir,
    controllerUuid,
    never,
    heard,
    agentPassword,
    openParams(provider, params = {}) {
      const { cloud, config = {} } = subject.open ?? {};
      return {
        cloud: { name: provider.type, type: provider.type, region: '', endpoint: '', config: {}, ...cloud },
        config: provider.validate({ ...config, ...params.config }),
        controllerUuid,
        modelUuid: randomUUID(),
        modelName: 'test',
        stateDir,
        clock: systemClock,
        log,
        ...params,
      };
    },
    open(provider, params = {}) {
      const all = this.openParams(provider, params);
      controllers.set(all.controllerUuid, all.stateDir);
      models.add(all.modelUuid);
      return overhear(provider.open(all), { modelUuid: all.modelUuid }, (line) => heard.push(line), check);
    },
    startParams: (machineId, params = {}) => ({
      machineId,
      nonce: `machine-${machineId}:nonce`,
      base: { name: 'ubuntu', channel: '24.04/stable' },
      constraints: {},
      tags: {},
      agent: {
        toolsDir,
        dataDir: '/var/lib/juju',
        agentConf: `# format 2.0\ntag: machine-${machineId.replaceAll('/', '-')}\napipassword: ${agentPassword}\n`,
        version: '3.6.0',
      },
      progress: (message) => void heard.push(message),
      ...subject.start?.(machineId),
      ...params,
    }),
    look: (after) => ({ after, folder, modelUuids: [...models], controllerUuids: [...controllers.keys()] }),
    async end(provider) {
      isOver = true;
      for (const [uuid, folderOf] of controllers) {
        const environ = provider.open(
          this.openParams(provider, { controllerUuid: uuid, stateDir: folderOf }),
        );
        await overhear(environ, {}, (line) => heard.push(line)).destroyController(never);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a signal that aborts when it is checked for the nth time: by `aborted`, `throwIfAborted` or a new listener.
 */
export function abortAtCheck(n: number): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let checks = 0;
  const isOver = (): boolean => {
    if (++checks === n) controller.abort(new Error(`cancelled at check ${n}`));
    return checks >= n;
  };
  signal.throwIfAborted = () => {
    if (isOver()) throw signal.reason;
  };
  Object.defineProperty(signal, 'aborted', { get: isOver });
  return signal;
}
