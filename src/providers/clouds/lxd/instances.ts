import { timeLimit } from '../../../kit/clock.ts';
import {
  ProviderError,
  tagKeys,
  type BootstrapParams,
  type Instance,
  type StartParams,
  type StartResult,
} from '../../contract/provider.ts';
import { LxdError } from './client.ts';
import { isHolder } from './containers.ts';
import type { LxdContext } from './context.ts';
import { classified, isAbsent, isBusy, isTaken, providerError } from './errors.ts';
import type { LxdFirewall } from './firewall.ts';
import type { LxdImages } from './images.ts';
import { instanceName, isInstanceName, isOwned, tagPrefix, type Owner } from './names.ts';
import { pause, settle } from './operations.ts';
import { listOwned } from './owned.ts';
import { nicsOf } from './nics.ts';
import type { LxdProfiles } from './profiles.ts';
import { instanceBody, isVirtualMachine, rootOf } from './request-body.ts';
import { mustHaveProject } from './project.ts';
import type { LxdServer } from './server.ts';
import { hardwareOf, hasStarted, snapshotOf, unseenOf, type LxdInstance } from './snapshot.ts';
import { memberOf } from './zones.ts';

export interface InstancesParts {
  readonly context: LxdContext;
  readonly server: LxdServer;
  readonly images: LxdImages;
  readonly profiles: LxdProfiles;
  readonly firewall: LxdFirewall;
}

/** Parameters of a machine with an agent, or of a controller's instance. */
type AnyStart = StartParams | BootstrapParams;

/** Milliseconds between attempts while another operation blocks the instance. */
const busyMs = 500;
const busyTries = 60;
/** Time limit in milliseconds for removing what a failed start created, before its failure is reported. */
const undoMs = 120_000;
const removalsAtOnce = 8;
/** Time limit in milliseconds for a removal, so that a hanging one does not block the others. */
const removalMs = 300_000;
/** Seconds that a container gets to stop before it is killed. */
const stopSeconds = '30';

/** Instances of one model. */
export class LxdInstances {
  readonly #parts: InstancesParts;
  readonly #context: LxdContext;

  constructor(parts: InstancesParts) {
    this.#parts = parts;
    this.#context = parts.context;
  }

  start(params: AnyStart, signal: AbortSignal): Promise<StartResult> {
    const name = instanceName(this.#context.open.modelUuid, params.machineId);
    return this.#locked(name, () => classified(this.#start(name, params, signal), `instance ${name}`));
  }

  stop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const names = new Set(ids.filter(isInstanceName));
    const [only] = names;
    if (only === undefined) return Promise.resolve();
    // A single instance is fetched directly: mass removals stop instances one by one, and must not list all each time.
    return names.size === 1
      ? this.#removeOne(only, signal)
      : this.#removeOf('model', signal, (name) => names.has(name));
  }

  /** Removes all instances, including those that hold the addresses of containers. */
  removeAll(owner: Owner, signal: AbortSignal): Promise<void> {
    return this.#removeOf(owner, signal, () => true);
  }

  async removeControllers(signal: AbortSignal): Promise<void> {
    const { owned } = await classified(listOwned(this.#context, 'controller', { state: false }, signal));
    const controllers = owned.filter(({ config }) => config[tagPrefix + tagKeys.isController] === 'true');
    await this.#removeEach(
      controllers.map(({ name }) => name),
      signal,
    );
  }

  async list(owner: Owner, signal: AbortSignal): Promise<Instance[]> {
    const { owned, unseen } = await classified(listOwned(this.#context, owner, { state: true }, signal));
    return [
      ...owned.filter(({ config }) => !isHolder(config)).map(snapshotOf),
      ...(owner === 'model' ? unseen.map((one) => unseenOf(one, this.#context.open)) : []),
    ];
  }

  async get(ids: readonly string[], signal: AbortSignal): Promise<(Instance | undefined)[]> {
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) {
      const found = isInstanceName(only) ? await classified(this.#find(only, signal)) : undefined;
      return [found && this.#isMachine(found) ? snapshotOf(found) : undefined];
    }
    const listed = new Map((await this.list('model', signal)).map((instance) => [instance.id, instance]));
    return ids.map((id) => listed.get(id));
  }

  async #start(name: string, params: AnyStart, signal: AbortSignal): Promise<StartResult> {
    for (let tries = 0; ; tries++) {
      signal.throwIfAborted();
      const found = await this.#adopt(name, params, signal);
      if (found) return await this.#run(found, signal);
      if ('existing' in params && params.existing)
        throw new ProviderError('transient', `instance ${name} no longer exists`);
      try {
        return await this.#make(name, params, signal);
      } catch (error) {
        // A request from before a restart of this controller has just arrived.
        if (!isTaken(error) || tries >= busyTries) throw error;
        await this.#context.open.clock.sleep(busyMs, signal);
      }
    }
  }

  /**
   * Returns the instance that an earlier attempt of this start created, if any; an instance of another start under the
   * same name is removed.
   */
  async #adopt(name: string, params: AnyStart, signal: AbortSignal): Promise<LxdInstance | undefined> {
    const { open, client } = this.#context;
    const found = await this.#find(name, signal);
    if (!found) return undefined;
    if (!isOwned(found.config, open))
      throw new ProviderError(
        'bad request',
        `LXD has an instance ${name} that is not of this model (by its tags): rename or delete it`,
      );
    const existing = 'existing' in params && params.existing;
    const isSame = !isHolder(found.config) && found.config[tagPrefix + tagKeys.nonce] === params.nonce;
    if (isSame && (hasStarted(found) || existing)) return found;
    if (existing)
      throw new ProviderError('transient', `instance ${name} no longer exists: another one has its name`);
    // Completeness is only known of a creation that was seen to succeed: LXD may have been killed during an earlier
    // one.
    if (isSame && (await settle(client, name, signal))) return await this.#find(name, signal);
    await this.#remove(name, signal);
    return undefined;
  }

  async #make(name: string, params: AnyStart, signal: AbortSignal): Promise<StartResult> {
    const { client, open } = this.#context;
    const { images, profiles, server } = this.#parts;
    const member = memberOf(params.placement) ?? params.zone;
    const arch = params.constraints.arch ?? (await server.info(signal)).architectures[0] ?? '';
    const image = await images.find({ ...params, arch, isVm: isVirtualMachine(params.constraints) }, signal);
    const root = await rootOf(client, params.constraints, signal);
    const devices = { ...root, ...(await nicsOf(client, params, signal)) };
    const body = await instanceBody({ open, params, name, image, arch, devices });
    const charmProfiles = 'profiles' in params ? (params.profiles ?? []) : [];
    params.progress('creating the instance');
    let isCreating = false;
    try {
      await profiles.use(
        charmProfiles,
        async (names) => {
          isCreating = true;
          await client.request(
            {
              method: 'POST',
              path: '/1.0/instances',
              query: member === undefined ? {} : { target: member },
              body: { ...body, profiles: ['default', ...names] },
              uncut: true,
              progress: (message) => params.progress(`creating the instance: ${message}`),
            },
            signal,
          );
        },
        signal,
      );
      const created = await this.#find(name, signal);
      if (!created) throw new ProviderError('transient', 'it was deleted during its creation');
      params.progress('starting the instance');
      return await this.#run(created, signal);
    } catch (error) {
      if (isCreating && !isTaken(error)) await this.#undo(name, params.nonce, error, signal);
      throw error;
    }
  }

  /** Brings the instance to the running state from any other. */
  async #run(instance: LxdInstance, signal: AbortSignal): Promise<StartResult> {
    const { name } = instance;
    if (!hasStarted(instance)) await this.#parts.firewall.install(name, signal);
    let now: LxdInstance | undefined = instance;
    await this.#patiently(name, signal, async () => {
      now ??= await this.#find(name, signal);
      if (!now) throw new ProviderError('transient', 'it was deleted during its start');
      const { status } = now;
      now = undefined;
      if (status === 'Running') return true;
      if (status !== 'Stopped' && status !== 'Frozen' && status !== 'Error') return false;
      await this.#change(name, status === 'Frozen' ? 'unfreeze' : 'start', signal);
      return true;
    });
    signal.throwIfAborted();
    const running = await this.#find(name, signal);
    if (!running) throw new ProviderError('transient', 'it was deleted during its start');
    const pool = Object.values(running.expanded_devices).find(({ path }) => path === '/')?.['pool'];
    const { location } = running;
    const member = location === 'none' || location === '' ? undefined : location;
    const hardware = hardwareOf(running, await this.#parts.server.size(pool, member, signal));
    signal.throwIfAborted();
    return { instance: snapshotOf(running), hardware };
  }

  /**
   * Removes the remains of a failed start. Errors: ProviderError `transient` when remains may exist: only that class
   * makes the caller look for them again.
   */
  async #undo(name: string, nonce: string, cause: unknown, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context.open;
    const limit = timeLimit(clock, undoMs);
    try {
      const found = await this.#find(name, limit.signal);
      const isItself =
        found &&
        isOwned(found.config, this.#context.open) &&
        found.config[tagPrefix + tagKeys.nonce] === nonce;
      if (isItself) await this.#remove(name, limit.signal);
    } catch (error) {
      log.warning('a failed start could not be cleaned up', { instance: name, error: String(error) });
      if (signal.aborted) return;
      const { message } = providerError(cause) as Error;
      throw new ProviderError(
        'transient',
        `${message}; and its resources could not be removed: ${(error as Error).message}`,
        { cause },
      );
    } finally {
      limit.done();
    }
  }

  async #removeOne(name: string, signal: AbortSignal): Promise<void> {
    const found = await classified(this.#find(name, signal), `instance ${name}`);
    if (!found || !isOwned(found.config, this.#context.open)) return;
    await this.#removeEach([name], signal);
    await classified(this.#parts.profiles.sweep(signal));
  }

  async #removeOf(owner: Owner, signal: AbortSignal, isWanted: (name: string) => boolean): Promise<void> {
    const { owned, unseen } = await classified(listOwned(this.#context, owner, { state: false }, signal));
    const names = owned.map(({ name }) => name).filter(isWanted);
    await this.#removeEach(names, signal);
    if (names.length > 0 && owner === 'model') await classified(this.#parts.profiles.sweep(signal));
    const left = unseen.find(({ name }) => isWanted(name));
    if (left)
      throw new ProviderError(
        'transient',
        `instance ${left.name} cannot be removed: LXD does not reach it on ${left.location || 'its server'}`,
      );
  }

  /** Removes each instance, continuing after failures. */
  async #removeEach(names: readonly string[], signal: AbortSignal): Promise<void> {
    let failed: PromiseRejectedResult | undefined;
    for (let first = 0; first < names.length; first += removalsAtOnce) {
      signal.throwIfAborted();
      const batch = names.slice(first, first + removalsAtOnce);
      const outcomes = await Promise.allSettled(
        batch.map((name) =>
          this.#locked(name, () => classified(this.#removeInTime(name, signal), `instance ${name}`)),
        ),
      );
      failed ??= outcomes.find((outcome) => outcome.status === 'rejected');
    }
    if (failed) throw failed.reason;
  }

  async #removeInTime(name: string, signal: AbortSignal): Promise<void> {
    const limit = timeLimit(this.#context.open.clock, removalMs, signal);
    try {
      await this.#remove(name, limit.signal);
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
      throw new ProviderError('transient', `LXD has not removed ${name} within ${removalMs / 1000} s`, {
        cause: error,
      });
    } finally {
      limit.done();
    }
  }

  /**
   * Kills an instance and deletes it with its snapshots, also while it is being created; a missing instance is no
   * error.
   */
  #remove(name: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#context;
    return this.#patiently(name, signal, async () => {
      try {
        const found = await this.#find(name, signal);
        if (!found) return true;
        if (found.status !== 'Stopped' && found.status !== 'Error') await this.#change(name, 'stop', signal);
        await client.request({ method: 'DELETE', path: `/1.0/instances/${name}` }, signal);
        return true;
      } catch (error) {
        if (isAbsent(error)) return true;
        if (error instanceof LxdError && /is running|not stopped/i.test(error.message)) return false;
        throw error;
      }
    });
  }

  async #change(name: string, action: 'start' | 'stop' | 'unfreeze', signal: AbortSignal): Promise<void> {
    const body = { action, timeout: Number(stopSeconds), force: action === 'stop', stateful: false };
    try {
      await this.#context.client.request(
        { method: 'PUT', path: `/1.0/instances/${name}/state`, body },
        signal,
      );
    } catch (error) {
      // Another request reached the state first.
      const wasFirst = /already (running|stopped)|is(n't| not) (running|frozen)/i;
      if (!(error instanceof LxdError && wasFirst.test(error.message))) throw error;
    }
  }

  /** Repeats `work` until it returns true, waiting for other operations on the instance in between. */
  async #patiently(name: string, signal: AbortSignal, work: () => Promise<boolean>): Promise<void> {
    const { client, open } = this.#context;
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        if (await work()) return;
        if (tries >= busyTries)
          throw new ProviderError('transient', `LXD is busy with ${name} and does not finish`);
      } catch (error) {
        if (!isBusy(error) || tries >= busyTries) throw error;
      }
      await pause(client, name, signal);
      await open.clock.sleep(busyMs, signal);
    }
  }

  async #find(name: string, signal: AbortSignal): Promise<LxdInstance | undefined> {
    const path = `/1.0/instances/${name}?recursion=1`;
    const found = await this.#context.client.find<LxdInstance>(path, signal);
    if (!found) await mustHaveProject(this.#context, signal);
    return found;
  }

  #isMachine({ config }: LxdInstance): boolean {
    return isOwned(config, this.#context.open) && !isHolder(config);
  }

  #locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { cloud, config } = this.#context.open;
    return this.#context.locks(JSON.stringify([cloud.endpoint, config['project'], name]), work);
  }
}
