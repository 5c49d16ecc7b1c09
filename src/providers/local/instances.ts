import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound } from '../../core/errors.ts';
import {
  ProviderError,
  tagKeys,
  type Instance,
  type OpenParams,
  type PortRule,
  type StartParams,
  type StartResult,
} from '../provider.ts';
import { writeAgentConf } from './agent-service.ts';
import { isolationText, type Capabilities } from './capabilities.ts';
import { cgroupFolders, ensureCgroups, removeCgroupParents, removeCgroups } from './cgroups.ts';
import { installFirewall, readRules, setRules } from './firewall.ts';
import { waitUntilReady } from './launch.ts';
import type { Locks } from './locks.ts';
import {
  attach,
  bridgeName,
  detach,
  ensureModelNetwork,
  machineNetwork,
  removeModelNetwork,
  type MachineNetwork,
} from './network.ts';
import { enterPlain, killPlain, plainDataDir, removeRunDir, startPlain } from './plain.ts';
import { dropClaim, isAlive, kill, livingPid, readClaim, voidClaim } from './process.ts';
import {
  instanceFolder,
  instanceIdFor,
  isInstanceId,
  listInstanceIds,
  listModels,
  modelFolder,
  readInstance,
  readModel,
  releaseSlots,
  removeInstance,
  removeModelFolder,
  takeSlot,
  writeInstance,
  writeModel,
  type InstanceRecord,
} from './record.ts';
import { enterSandbox, startSandbox, type Init } from './sandbox.ts';
import { hardwareOf, snapshotOf } from './snapshot.ts';
import { addressOf, gatewayOf, machineCidr, machinesPerModel } from './subnets.ts';

export interface MachinesParams {
  readonly open: OpenParams;
  readonly capabilities: Capabilities;
  readonly init: Init;
  readonly locks: Locks;
}

/** The machines of one model on this host. */
export class Machines {
  readonly #params: MachinesParams;
  readonly #folder: string;

  constructor(params: MachinesParams) {
    this.#params = params;
    this.#folder = modelFolder(params.open.stateDir, params.open.modelUuid);
  }

  start(params: StartParams, signal: AbortSignal): Promise<StartResult> {
    const id = instanceIdFor(this.#params.open.modelUuid, params.machineId);
    return this.#params.locks(this.#folderOf(id), async () => {
      signal.throwIfAborted();
      const record = await this.#prepare(id, params);
      try {
        const cidr = await this.#run(record, params, signal);
        const started = { ...record, started: true, ...(cidr ? { cidr } : {}) };
        if (!record.started || cidr !== record.cidr) await writeInstance(this.#folderOf(id), started);
        signal.throwIfAborted();
        return {
          instance: await this.#snapshot(started),
          hardware: await hardwareOf(this.#folder, params.constraints, this.#params.capabilities),
        };
      } catch (error) {
        if (record.started) await this.#halt(record);
        else await this.#remove(id);
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
    // Every removal runs some programs of the host: not a thousand at once.
    for (let first = 0; first < known.length; first += 16) {
      signal.throwIfAborted();
      const batch = known.slice(first, first + 16);
      await Promise.all(batch.map((id) => this.#params.locks(this.#folderOf(id), () => this.#remove(id))));
    }
  }

  async list(): Promise<readonly Instance[]> {
    const records = await Promise.all(
      (await listInstanceIds(this.#folder)).map((id) => readInstance(this.#folderOf(id))),
    );
    return await Promise.all(
      records.filter((record) => record && this.#isOurs(record)).map((record) => this.#snapshot(record!)),
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

  async setRules(id: string, rules: readonly PortRule[]): Promise<void> {
    await this.#params.locks(this.#folderOf(id), async () => {
      const network = this.#networkOf(await this.#mustFind(id));
      const netnsPath = network && existsSync(network.netnsPath) ? network.netnsPath : undefined;
      await setRules(this.#folderOf(id), netnsPath, rules);
    });
  }

  async rules(id: string): Promise<readonly PortRule[]> {
    await this.#mustFind(id);
    return await readRules(this.#folderOf(id));
  }

  async enter(id: string, options: { tty: boolean }): Promise<readonly string[]> {
    const record = await this.#mustFind(id);
    const pid = await livingPid(this.#folderOf(id));
    if (pid === undefined) throw new ProviderError('transient', `instance "${id}" is not running`);
    return record.kind === 'process'
      ? enterPlain(this.#folderOf(id))
      : enterSandbox(pid, this.#cgroupsOf(record), options);
  }

  async create(): Promise<void> {
    const { controllerUuid, modelUuid } = this.#params.open;
    if (!(await readModel(this.#folder))) await writeModel(this.#folder, { controllerUuid, modelUuid });
  }

  /** Stops every machine, leftovers of crashes included, and removes what the model has on the host. */
  async destroy(signal: AbortSignal): Promise<void> {
    const record = await readModel(this.#folder);
    if (record?.controllerUuid !== this.#params.open.controllerUuid) return;
    await this.stop(await listInstanceIds(this.#folder), signal);
    if (this.#params.capabilities.network) {
      await this.#params.locks(this.#folder, () => removeModelNetwork(record));
    }
    await removeModelFolder(this.#folder);
    if (this.#params.capabilities.cgroups) removeCgroupParents(this.#params.capabilities.cgroups);
  }

  /** The record of the machine to start, durable before anything else is made of it. */
  async #prepare(id: string, params: StartParams): Promise<InstanceRecord> {
    const { open, capabilities, locks } = this.#params;
    const folder = this.#folderOf(id);
    const existing = await readInstance(folder);
    if (existing?.nonce === params.nonce && !existsSync(join(folder, 'removing'))) return existing;
    // An attempt that was given up, a crash before the record, or a removal that was interrupted.
    if (existsSync(folder)) await this.#remove(id);
    await this.create();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    let place: { slot: number; cidr: string } | undefined;
    if (capabilities.network) {
      const model = { controllerUuid: open.controllerUuid, modelUuid: open.modelUuid };
      const subnet = await locks(this.#folder, () => ensureModelNetwork(this.#folder, model));
      const slot = await takeSlot(this.#folder, id, machinesPerModel);
      if (slot === undefined) {
        await this.#remove(id);
        throw new ProviderError(
          'quota',
          `the model has ${machinesPerModel} machines, as many as fit on a bridge`,
        );
      }
      place = { slot, cidr: machineCidr(subnet, slot) };
    }
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
      isolation: isolationText(capabilities),
      kind: capabilities.sandbox ? 'sandbox' : 'process',
      started: false,
      ...place,
    };
    await writeInstance(folder, record);
    return record;
  }

  /** Makes the machine run, from whatever there is of it: nothing, half of it, all, or a dead one. Returns its address. */
  async #run(record: InstanceRecord, params: StartParams, signal: AbortSignal): Promise<string | undefined> {
    const { open, capabilities, init } = this.#params;
    const folder = this.#folderOf(record.id);
    if (await livingPid(folder)) {
      await waitUntilReady({ folder, clock: open.clock, signal, hasEnded: () => true });
      return record.cidr;
    }
    if ((await readClaim(folder)) !== 'none') await this.#halt(record);
    signal.throwIfAborted();
    params.progress('making the machine');
    await writeAgentConf(plainDataDir(folder), params);
    if (record.kind === 'process') {
      await startPlain({ folder, start: params, clock: open.clock }, signal);
      return undefined;
    }
    if (capabilities.cgroups) {
      const { mem, cores } = params.constraints;
      await ensureCgroups(capabilities.cgroups, this.#cgroupName(record), {
        ...(mem ? { memoryMiB: mem } : {}),
        ...(cores ? { cores } : {}),
      });
    }
    signal.throwIfAborted();
    const network = this.#networkOf(record);
    const cidr = network && (await this.#connect(record, network));
    signal.throwIfAborted();
    params.progress('starting the agent');
    await startSandbox(
      {
        folder,
        hostname: record.id,
        netnsPath: network?.netnsPath,
        address: cidr ? addressOf(cidr) : '127.0.1.1',
        cgroups: this.#cgroupsOf(record),
        init,
        lower: '/',
        containers: network !== undefined,
        hidden: [open.stateDir, ...(open.privateDirs ?? [])],
        start: params,
        clock: open.clock,
      },
      signal,
    );
    return cidr;
  }

  /** The address is the recorded one, unless after a reboot another controller was first to take the subnet. */
  async #connect(record: InstanceRecord, network: MachineNetwork): Promise<string> {
    const { controllerUuid, modelUuid } = this.#params.open;
    const subnet = await this.#params.locks(this.#folder, () =>
      ensureModelNetwork(this.#folder, { controllerUuid, modelUuid }),
    );
    const gateway = gatewayOf(subnet);
    const cidr = machineCidr(subnet, record.slot ?? 0);
    await attach(network, { bridge: bridgeName(modelUuid), cidr, gateway });
    await installFirewall(network.netnsPath, {
      subnet,
      gateway,
      rules: await readRules(this.#folderOf(record.id)),
    });
    return cidr;
  }

  /** Ends what runs of the machine and what it has in the kernel; its files stay. */
  async #halt(record: InstanceRecord): Promise<void> {
    const { open, capabilities } = this.#params;
    await this.#killFirst(record.id);
    if (record.kind === 'process') {
      await killPlain(this.#folderOf(record.id), open.clock);
      await removeRunDir(this.#folderOf(record.id));
    }
    const network = this.#networkOf(record);
    if (network) await detach(network);
    if (capabilities.cgroups && record.kind === 'sandbox') {
      await removeCgroups(capabilities.cgroups, this.#cgroupName(record), open.clock);
    }
    await dropClaim(this.#folderOf(record.id));
  }

  /** Kills the first process, and with it all in its pid namespace; one that is only about to be is kept from it. */
  async #killFirst(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    await voidClaim(folder);
    const claim = await readClaim(folder);
    if (typeof claim !== 'object') return;
    while (await isAlive(claim)) {
      kill(claim.pid);
      await this.#params.open.clock.sleep(3);
    }
  }

  async #remove(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    if (!existsSync(folder)) return;
    const record = await readInstance(folder);
    if (record && !this.#isOurs(record)) return;
    await writeFile(join(folder, 'removing'), '');
    if (record) await this.#halt(record);
    await releaseSlots(this.#folder, id);
    await removeInstance(folder);
  }

  async #snapshot(record: InstanceRecord): Promise<Instance> {
    return snapshotOf(record, (await livingPid(this.#folderOf(record.id))) !== undefined);
  }

  async #find(id: string): Promise<InstanceRecord | undefined> {
    const record = isInstanceId(id) ? await readInstance(this.#folderOf(id)) : undefined;
    return record && this.#isOurs(record) ? record : undefined;
  }

  async #mustFind(id: string): Promise<InstanceRecord> {
    const record = await this.#find(id);
    if (!record) throw notFound('instance', id);
    return record;
  }

  #isOurs(record: InstanceRecord): boolean {
    return record.controllerUuid === this.#params.open.controllerUuid;
  }

  #folderOf(id: string): string {
    return instanceFolder(this.#params.open.stateDir, this.#params.open.modelUuid, id);
  }

  #networkOf(record: InstanceRecord): MachineNetwork | undefined {
    return record.slot === undefined
      ? undefined
      : machineNetwork(this.#params.open.modelUuid, record.machineId, record.slot);
  }

  /** Unique on the host, which instance ids are only among models whose UUIDs end differently. */
  #cgroupName(record: InstanceRecord): string {
    return `${this.#params.open.modelUuid}-${record.machineId.replaceAll('/', '-')}`;
  }

  #cgroupsOf(record: InstanceRecord): string[] {
    const { cgroups } = this.#params.capabilities;
    return cgroups ? cgroupFolders(cgroups, this.#cgroupName(record)) : [];
  }
}

/** Removes everything of every model of the controller. */
export async function destroyEveryModel(params: MachinesParams, signal: AbortSignal): Promise<void> {
  const { stateDir, controllerUuid } = params.open;
  for (const { modelUuid } of await listModels(stateDir, controllerUuid)) {
    await new Machines({ ...params, open: { ...params.open, modelUuid } }).destroy(signal);
  }
}

/** The machines of the controller that run a controller, in whatever model. */
export async function listControllers(params: MachinesParams): Promise<Instance[]> {
  const { stateDir, controllerUuid } = params.open;
  const found: Instance[] = [];
  for (const { modelUuid } of await listModels(stateDir, controllerUuid)) {
    const instances = await new Machines({ ...params, open: { ...params.open, modelUuid } }).list();
    found.push(...instances.filter((instance) => instance.tags[tagKeys.isController] === 'true'));
  }
  return found;
}
