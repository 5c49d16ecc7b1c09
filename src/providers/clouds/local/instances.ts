import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { JujuError, notFound } from '../../../core/errors.ts';
import {
  ProviderError,
  tagKeys,
  type Instance,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../../contract/provider.ts';
import { writeAgentConf } from './agent-service.ts';
import { isolationText } from './capabilities.ts';
import { ensureCgroups, machineGroups, removeCgroupParents } from './cgroups.ts';
import { readRules, setRules } from './firewall.ts';
import { awaitSystemd, chooseInit, initBefore, type FirstProcess } from './first-process.ts';
import { Footprints } from './footprints.ts';
import { isReady, waitUntilReady } from './launch.ts';
import { nestedLayout } from './nested-cgroups.ts';
import { removeModelNetwork } from './network.ts';
import { containersAt } from './places.ts';
import { enterPlain, plainDataDir, startPlain } from './plain.ts';
import { livingPid, readClaim } from './process.ts';
import {
  containerHost,
  instanceFolder,
  instanceIdFor,
  isInstanceId,
  listInstanceIds,
  listSlotOwners,
  modelFolder,
  readInstance,
  readModel,
  removeIfEmpty,
  removeModelFolder,
  writeInstance,
  writeModel,
  type InstanceRecord,
  type Place,
} from './record.ts';
import { chooseRoot, lowerOf } from './roots.ts';
import { enterSandbox, startSandbox } from './sandbox.ts';
import type { MachinesParams, Site } from './site.ts';
import { checkRoom, checkSize } from './size.ts';
import { hardwareOf, snapshotOf } from './snapshot.ts';
import { chooseNetworks, type CloudNetwork } from '../../toolkit/choose-networks.ts';
import { addressOf } from './subnets.ts';
import { linkVolumes, ownVolumesFolder, volumesFolder, type VolumesMachine } from './volumes.ts';
import { zoneForStart } from './zones.ts';
import { defined } from '../../../core/defined.ts';
import { makeFolder } from '../../../kit/make-folder.ts';

/** Machines of one model on one site. */
export class Machines {
  readonly #params: MachinesParams;
  readonly #site: Site;
  readonly #footprints: Footprints;
  readonly #folder: string;

  constructor(params: MachinesParams) {
    this.#params = params;
    this.#site = params.site(params.open);
    this.#footprints = new Footprints(params, this.#site);
    this.#folder = modelFolder(params.open.stateDir, params.open.modelUuid);
  }

  start(params: StartParams, signal: AbortSignal): Promise<StartResult> {
    const id = instanceIdFor(this.#params.open.modelUuid, params.machineId);
    return this.#params.locks(this.#footprints.folderOf(id), async () => {
      signal.throwIfAborted();
      const record = await this.#prepare(id, params);
      try {
        const started = { ...(await this.#run(record, params, signal)), started: true };
        if (!isDeepStrictEqual(started, record)) await writeInstance(this.#footprints.folderOf(id), started);
        signal.throwIfAborted();
        return {
          instance: await this.#snapshot(started),
          hardware: await hardwareOf(
            this.#folder,
            params.constraints,
            this.#params.capabilities,
            record.zone,
          ),
        };
      } catch (error) {
        if (record.started) await this.#footprints.halt(record);
        else await this.#footprints.remove(id);
        throw error instanceof ProviderError || signal.aborted
          ? error
          : new ProviderError('transient', `machine ${params.machineId}: ${(error as Error).message}`, {
              cause: error,
            });
      }
    });
  }

  async stop(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const known = ids.filter(isInstanceId);
    // Removals run in batches, because each one runs several host programs.
    for (let first = 0; first < known.length; first += 16) {
      signal.throwIfAborted();
      const batch = known.slice(first, first + 16);
      await Promise.all(
        batch.map((id) =>
          this.#params.locks(this.#footprints.folderOf(id), () => this.#footprints.remove(id)),
        ),
      );
    }
  }

  async list(): Promise<readonly Instance[]> {
    const records = await Promise.all(
      (await listInstanceIds(this.#folder)).map(async (id) => {
        const folder = this.#footprints.folderOf(id);
        const record = await readInstance(folder);
        // An empty folder is left by a process killed at the beginning of a start or the end of a removal. The removal
        // is not awaited: a machine being created holds the lock.
        if (!record) void this.#params.locks(folder, () => removeIfEmpty(folder));
        return record;
      }),
    );
    return await Promise.all(
      records
        .filter((record) => record && this.#footprints.isOurs(record))
        .map((record) => this.#snapshot(record!)),
    );
  }

  async get(ids: readonly string[]): Promise<readonly (Instance | undefined)[]> {
    return await Promise.all(
      ids.map(async (id) => {
        const record = await this.#find(id);
        return record && (await this.#snapshot(record));
      }),
    );
  }

  /** Returns the members of the machine that its volumes need; undefined when there is no machine. */
  async withVolumes(id: string): Promise<VolumesMachine | undefined> {
    const record = await this.#find(id);
    if (!record) return undefined;
    const folder = this.#footprints.folderOf(id);
    return defined({
      ownVolumes: record.ownVolumes && ownVolumesFolder(folder),
      pid: await livingPid(folder),
    });
  }

  async setRules(id: string, rules: readonly PortRule[]): Promise<void> {
    await this.#params.locks(this.#footprints.folderOf(id), async () => {
      const network = this.#footprints.networkOf(await this.#mustFind(id));
      const netnsPath = network && existsSync(network.netnsPath) ? network.netnsPath : undefined;
      await setRules(this.#footprints.folderOf(id), netnsPath, rules);
    });
  }

  async rules(id: string): Promise<readonly PortRule[]> {
    await this.#mustFind(id);
    return await readRules(this.#footprints.folderOf(id));
  }

  async enter(id: string, options: { tty: boolean }): Promise<readonly string[]> {
    const record = await this.#find(id);
    const hostId = record ? undefined : containerHost(id);
    if (hostId !== undefined) return await this.#enterContainer(hostId, id, options);
    if (!record) throw notFound('instance', id);
    const pid = await mustRun(id, this.#footprints.folderOf(id));
    return record.kind === 'process'
      ? enterPlain(this.#footprints.folderOf(id))
      : enterSandbox(pid, this.#footprints.cgroupsOf(record), options);
  }

  /** Enters the machine of the container, and from there the container, whose files are in the machine's folder. */
  async #enterContainer(hostId: string, id: string, options: { tty: boolean }): Promise<readonly string[]> {
    const intoHost = await this.enter(hostId, options);
    const { open, capabilities } = this.#params;
    const hostPid = await mustRun(hostId, this.#footprints.folderOf(hostId));
    const stateDir = join(plainDataDir(this.#footprints.folderOf(hostId)), containersAt);
    const folder = instanceFolder(stateDir, open.modelUuid, id);
    const record = await readInstance(folder);
    if (!record) throw notFound('instance', id);
    const pid = await mustRun(id, folder, `/proc/${hostPid}/root/proc`);
    const layout = capabilities.cgroups && nestedLayout(capabilities.cgroups);
    const groups = layout && machineGroups(layout, this.#footprints.cgroupName(record));
    return [...intoHost, ...enterSandbox(pid, groups, options)];
  }

  /** Returns the subnets of the model's network; [] before its first machine. */
  async subnets(): Promise<readonly string[]> {
    return (await this.#network()).subnets;
  }

  /** Returns the network of the model's machines. */
  async #network(): Promise<CloudNetwork> {
    const subnet = (await readModel(this.#folder))?.subnet;
    return { name: "the model's network", subnets: subnet === undefined ? [] : [subnet] };
  }

  async create(): Promise<void> {
    const { controllerUuid, modelUuid } = this.#params.open;
    if (!(await readModel(this.#folder))) await writeModel(this.#folder, { controllerUuid, modelUuid });
  }

  /** Stops every machine, leftovers of crashes included, and removes the model's resources on the host. */
  async destroy(signal: AbortSignal): Promise<void> {
    const record = await readModel(this.#folder);
    if (record?.controllerUuid !== this.#params.open.controllerUuid) return;
    const ids = [...(await listInstanceIds(this.#folder)), ...(await listSlotOwners(this.#folder))];
    await this.stop([...new Set(ids)], signal);
    if (this.#params.capabilities.network) {
      await this.#params.locks(this.#folder, () => removeModelNetwork(record));
    }
    await removeModelFolder(this.#folder);
    if (this.#params.capabilities.cgroups) removeCgroupParents(this.#params.capabilities.cgroups);
  }

  /** Creates the record of the machine to start, durable before anything else of it is created. */
  async #prepare(id: string, params: StartParams): Promise<InstanceRecord> {
    const { open, capabilities, locks } = this.#params;
    const { roots, zones } = this.#site;
    const folder = this.#footprints.folderOf(id);
    const existing = await readInstance(folder);
    if (existing?.nonce === params.nonce && !existsSync(join(folder, 'removing')))
      return existing.init || existing.kind === 'process' ? existing : { ...existing, ...initBefore(folder) };
    if (params.existing) throw new ProviderError('transient', `instance ${id} no longer exists`);
    // Leftovers come from an abandoned attempt, a crash before the record, or an interrupted removal.
    if (existsSync(folder)) await this.#footprints.remove(id);
    const zone = zoneForStart(zones, params);
    if (params.networks) chooseNetworks('this host', params.networks, [await this.#network()]);
    const agentsHere = this.#site.within ? (await listInstanceIds(this.#folder)).length + 1 : 0;
    await asBadRequest(checkSize(params.constraints, capabilities.cgroups, roots.whose, agentsHere));
    checkRoom(this.#params.freeMemory(), roots.whose);
    await this.create();
    await makeFolder(folder, 0o700);
    const place = await this.#take(id, params);
    const record: InstanceRecord = {
      id,
      machineId: params.machineId,
      nonce: params.nonce,
      controllerUuid: open.controllerUuid,
      tags: {
        ...params.tags,
        [tagKeys.model]: open.modelUuid,
        [tagKeys.controller]: open.controllerUuid,
        [tagKeys.machine]: params.machineId,
        [tagKeys.nonce]: params.nonce,
      },
      isolation: isolationText(capabilities, open.firewallMode === 'none'),
      kind: capabilities.sandbox ? 'sandbox' : 'process',
      started: false,
      ...(capabilities.sandbox && capabilities.loops && !this.#site.within && { ownVolumes: true as const }),
      ...defined({ zone }),
      ...place,
    };
    try {
      // The lock prevents the removal of an image between its choice and its record.
      return await locks(roots.images, async () => {
        const rooted = { ...record, ...(await chooseRoot(roots, params.base)) };
        const chosen = { ...rooted, ...(await this.#chooseInit(rooted)) };
        await writeInstance(folder, chosen);
        return chosen;
      });
    } catch (error) {
      await this.#footprints.remove(id);
      throw error;
    }
  }

  async #take(id: string, params: StartParams): Promise<Place> {
    try {
      return (await this.#site.wiring?.take(id, params)) ?? {};
    } catch (error) {
      await this.#footprints.remove(id);
      throw error;
    }
  }

  async #chooseInit(record: InstanceRecord): Promise<FirstProcess> {
    if (record.kind === 'process') return {};
    return await chooseInit(this.#params.init, lowerOf(this.#site.roots, record), this.#params.capabilities);
  }

  /**
   * Starts the machine, and replaces a systemd on trial that does not come up by the minimal first process. Each step
   * is recorded before it is taken: after a crash, the next start neither tries systemd again nor takes a hanging one
   * for a machine. Returns the record to store.
   */
  async #run(record: InstanceRecord, params: StartParams, signal: AbortSignal): Promise<InstanceRecord> {
    const { clock, log } = this.#params.open;
    const { trial, ...rest } = record;
    const folder = this.#footprints.folderOf(record.id);
    if (record.init === 'systemd' && trial === 'failed') {
      await this.#footprints.halt(record);
      const minimal: InstanceRecord = { ...record, init: 'minimal' };
      await writeInstance(folder, minimal);
      return await this.#run(minimal, params, signal);
    }
    const cidr = await this.#boot(record, params, signal);
    const address = cidr ? { cidr } : {};
    if (record.init !== 'systemd') return { ...record, ...address };
    const trouble = await awaitSystemd({ folder, clock, signal });
    if (trouble === undefined) return { ...rest, ...address };
    if (trial === undefined) throw new Error(`its systemd did not come up: ${trouble}`);
    log.warning('systemd did not come up, the machine gets the minimal first process', {
      machine: record.machineId,
      trouble,
    });
    const failed: InstanceRecord = { ...record, ...address, trial: 'failed' };
    await writeInstance(folder, failed);
    return await this.#run(failed, params, signal);
  }

  /** Boots the machine from any state: absent, partial, complete or dead. Returns its address. */
  async #boot(record: InstanceRecord, params: StartParams, signal: AbortSignal): Promise<string | undefined> {
    const { open, capabilities } = this.#params;
    const folder = this.#footprints.folderOf(record.id);
    if (await livingPid(folder)) {
      await waitUntilReady({ folder, clock: open.clock, signal, hasEnded: () => true });
      return record.cidr;
    }
    if ((await readClaim(folder)) !== 'none') await this.#footprints.halt(record);
    signal.throwIfAborted();
    params.progress('making the machine');
    await writeAgentConf(plainDataDir(folder), params);
    const shown = record.ownVolumes ? ownVolumesFolder(folder) : volumesFolder(open);
    const volumes = this.#site.within ? undefined : shown;
    if (volumes !== undefined) await makeFolder(volumes, 0o755);
    if (record.kind === 'process') {
      if (volumes !== undefined) await linkVolumes(plainDataDir(folder), volumes);
      await startPlain({ folder, start: params, clock: open.clock }, signal);
      return undefined;
    }
    if (capabilities.cgroups) {
      const { mem, cores } = params.constraints;
      await ensureCgroups(capabilities.cgroups, this.#footprints.cgroupName(record), {
        ...defined({ memoryMiB: mem || undefined, cores: cores || undefined }),
      });
    }
    signal.throwIfAborted();
    const network = this.#footprints.networkOf(record);
    const cidr = network && (await this.#site.wiring?.connect(record, network, params));
    signal.throwIfAborted();
    params.progress('starting the agent');
    const { roots } = this.#site;
    const lower = lowerOf(roots, record);
    await makeFolder(roots.images, 0o755);
    await startSandbox(
      {
        folder,
        ...defined({ volumes }),
        hostname: record.id,
        netnsPath: network?.netnsPath,
        address: cidr ? addressOf(cidr) : '127.0.1.1',
        cgroups: this.#footprints.cgroupsOf(record),
        init: record.init ?? 'minimal',
        lower,
        images: roots.images,
        containers: this.#site.containers,
        sshServer: this.#site.sshServer,
        hidden: open,
        start: params,
        clock: open.clock,
      },
      signal,
    );
    return cidr;
  }

  async #snapshot(record: InstanceRecord): Promise<Instance> {
    return snapshotOf(record, (await livingPid(this.#footprints.folderOf(record.id))) !== undefined);
  }

  async #find(id: string): Promise<InstanceRecord | undefined> {
    const record = isInstanceId(id) ? await readInstance(this.#footprints.folderOf(id)) : undefined;
    return record && this.#footprints.isOurs(record) ? record : undefined;
  }

  async #mustFind(id: string): Promise<InstanceRecord> {
    const record = await this.#find(id);
    if (!record) throw notFound('instance', id);
    return record;
  }
}

/** Converts a `not valid` error into an error that is not retried. */
function asBadRequest(check: Promise<void>): Promise<void> {
  return check.catch((error: unknown) => {
    if (!(error instanceof JujuError)) throw error;
    throw new ProviderError('bad request', error.message, { cause: error });
  });
}

/** Returns the pid of the machine's first process. Errors: ProviderError `transient` until the machine is up. */
async function mustRun(id: string, folder: string, proc?: string): Promise<number> {
  const pid = await livingPid(folder, proc);
  if (pid === undefined || !(await isReady(folder)))
    throw new ProviderError('transient', `instance "${id}" is not running`);
  return pid;
}
