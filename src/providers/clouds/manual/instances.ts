import { JujuError } from '../../../core/errors.ts';
import type { Locks } from '../../../kit/locks.ts';
import {
  ProviderError,
  plainSettings,
  tagKeys,
  type FirstBoot,
  type Instance,
  type OpenParams,
  type StartParams,
  type StartResult,
} from '../../contract/provider.ts';
import { parseSshTarget, SshError, type SshTarget } from '../../toolkit/ssh/ssh.ts';
import { renderInstallScript } from '../../toolkit/user-data/index.ts';
import { hostAddresses } from './host-addresses.ts';
import type { Host, HostAccess } from '../../contract/enlist.ts';
import { enterHost, instanceName } from './host.ts';
import { HostRecords, instanceOf, type HostRecord } from './record.ts';
import { defined } from '../../../core/defined.ts';

/** Parameters of enterHost that stay the same for all hosts. */
export type Access = Omit<HostAccess, 'target' | 'mayAsk'>;

/** Time limit in milliseconds for a failed start to restore its host. */
const undoMs = 120_000;

const howTo = 'add a host as a machine with: add-machine ssh:[user@]host';

/** First boot when none is given: the script still creates ubuntu's login, and marks the host with its nonce. */
const plainBoot: FirstBoot = { ...plainSettings, upgrade: false, custom: {} };

/** Hosts of one model, as instances that are started and given back. */
export class HostInstances {
  readonly #open: OpenParams;
  readonly #access: Access | undefined;
  readonly #locks: Locks;
  readonly #records: HostRecords;

  constructor(needs: {
    readonly open: OpenParams;
    /** Login parameters; absent where no hosts are started, as in a controller. */
    readonly access: Access | undefined;
    /** Locks by host. */
    readonly locks: Locks;
  }) {
    this.#open = needs.open;
    this.#access = needs.access;
    this.#locks = needs.locks;
    this.#records = new HostRecords(needs.open.stateDir);
  }

  async start(params: StartParams, signal: AbortSignal): Promise<StartResult> {
    signal.throwIfAborted();
    const target = targetOf(params);
    const access = this.#access;
    if (!access) throw new ProviderError('bad request', howTo);
    const id = instanceName(target);
    return this.#locks(id, async () => {
      signal.throwIfAborted();
      const found = await this.#records.get(id);
      const isOwn = found?.nonce === params.nonce && this.#isOwn(found);
      if (found && isOwn && found.made) return resultOf(found, found.made);
      if (params.existing) throw new ProviderError('transient', `${id} is no longer a machine`);
      if (found && !isOwn) await this.#replace(found, params, signal);
      const record: HostRecord = {
        id,
        controllerUuid: this.#open.controllerUuid,
        modelUuid: this.#open.modelUuid,
        machineId: params.machineId,
        nonce: params.nonce,
        target,
        tags: params.tags,
      };
      await this.#records.put(record);
      return this.#make(record, { access, params, signal });
    });
  }

  async stop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const id of new Set(ids)) {
      signal.throwIfAborted();
      await this.#locks(id, async () => {
        const record = await this.#records.get(id);
        if (record && this.#isOwn(record)) await this.#release(record, signal);
      }).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async list(): Promise<readonly Instance[]> {
    return (await this.#records.list()).filter((record) => this.#isOwn(record)).map(instanceOf);
  }

  async get(ids: readonly string[]): Promise<readonly (Instance | undefined)[]> {
    const records = await Promise.all(ids.map((id) => this.#records.get(id)));
    return records.map((record) => (record && this.#isOwn(record) ? instanceOf(record) : undefined));
  }

  async controllers(): Promise<readonly Instance[]> {
    return (await this.#ofController())
      .filter(({ tags }) => tags[tagKeys.isController] === 'true')
      .map(instanceOf);
  }

  async destroy(of: 'model' | 'controller', signal: AbortSignal): Promise<void> {
    const all = await this.#ofController();
    for (const record of of === 'model' ? all.filter((one) => this.#isOwn(one)) : all) {
      signal.throwIfAborted();
      await this.#locks(record.id, () => this.#release(record, signal));
    }
  }

  async #ofController(): Promise<HostRecord[]> {
    const all = await this.#records.list();
    return all.filter(({ controllerUuid }) => controllerUuid === this.#open.controllerUuid);
  }

  #isOwn({ controllerUuid, modelUuid }: HostRecord): boolean {
    return controllerUuid === this.#open.controllerUuid && modelUuid === this.#open.modelUuid;
  }

  /** Cleans a host that an abandoned attempt of the same machine left; a host of any other machine is kept. */
  async #replace(found: HostRecord, { machineId }: StartParams, signal: AbortSignal): Promise<void> {
    if (!this.#isOwn(found) || found.machineId !== machineId)
      throw new ProviderError('bad request', `${found.id} is a machine already`);
    await this.#release(found, signal);
  }

  async #make(
    record: HostRecord,
    { access, params, signal }: { access: Access; params: StartParams; signal: AbortSignal },
  ): Promise<StartResult> {
    const { machineId, base, agent, boot = plainBoot, nonce, progress } = params;
    let host: Host | undefined;
    try {
      host = await this.#enter(record.target, signal);
      const { hardware } = await host.inspect(nonce, signal);
      const script = await renderInstallScript(
        {
          machineId,
          nonce,
          base,
          boot: { ...boot, enlistersKeys: access.authorizedKeys },
          downloadSeconds,
          // The agent needs an address to be downloaded from.
          ...defined({ agent: boot.download ? agent : undefined }),
        },
        hardware.arch ?? '',
      );
      await host.install(script, { nonce, signal, progress });
      const made = { hardware, addresses: await hostAddresses(record.target) };
      signal.throwIfAborted();
      await this.#records.put({ ...record, made });
      return resultOf(record, made);
    } catch (error) {
      const failure = signal.aborted ? error : asProviderError(error);
      // A host that is already a foreign machine has nothing to undo; a failed undo is recorded for a later stop.
      const isForeign = error instanceof JujuError && error.code === 'already exists';
      try {
        if (host && !isForeign) await host.clean(AbortSignal.timeout(undoMs));
      } catch (cause) {
        const message = `${record.id} could not be cleaned up: ${(cause as Error).message}`;
        throw signal.aborted ? error : new ProviderError('transient', message, { cause: error });
      }
      await this.#records.remove(record.id);
      throw failure;
    }
  }

  async #release(record: HostRecord, signal: AbortSignal): Promise<void> {
    try {
      const host = await this.#enter(record.target, signal);
      await host.clean(signal);
    } catch (error) {
      const isForeign = error instanceof JujuError && error.code === 'already exists';
      if (!isForeign) throw signal.aborted ? error : asProviderError(error);
    }
    await this.#records.remove(record.id);
  }

  #enter(target: SshTarget, signal: AbortSignal): Promise<Host> {
    if (!this.#access) throw new ProviderError('bad request', howTo);
    return enterHost({ ...this.#access, target, mayAsk: false }, signal);
  }
}

const downloadSeconds = 60;

function targetOf({ placement = '' }: StartParams): SshTarget {
  const where = /^ssh:(.+)$/s.exec(placement)?.[1];
  if (where === undefined) throw new ProviderError('bad request', howTo);
  try {
    return parseSshTarget(where);
  } catch (error) {
    throw new ProviderError('bad request', (error as Error).message, { cause: error });
  }
}

function resultOf(record: HostRecord, made: NonNullable<HostRecord['made']>): StartResult {
  return { instance: instanceOf({ ...record, made }), hardware: made.hardware };
}

function asProviderError(error: unknown): unknown {
  if (error instanceof SshError) {
    const classes = {
      unreachable: 'transient',
      failed: 'transient',
      denied: 'credential',
      'host key': 'bad request',
    } as const;
    return new ProviderError(classes[error.kind], error.message, { cause: error });
  }
  if (error instanceof JujuError)
    return new ProviderError(error.code === '' ? 'transient' : 'bad request', error.message, {
      cause: error,
    });
  return error;
}
