/**
 * Resources of machines on their site and their removal: files, processes, a network, cgroups. The instance id
 * identifies all of them, also when the record was lost.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../contract/provider.ts';
import { machineGroups, removeCgroups, type MachineGroups } from './cgroups.ts';
import { freeMachineLoops } from './loops.ts';
import type { MachineNetwork } from './network.ts';
import { killPlain, removeRunDir } from './plain.ts';
import { dropClaim, isAlive, kill, readClaim, voidClaim } from './process.ts';
import {
  instanceFolder,
  machineNamedBy,
  modelFolder,
  readInstance,
  readModel,
  removeInstance,
  type InstanceRecord,
} from './record.ts';
import type { MachinesParams, Site } from './site.ts';
import type { Wired } from './wiring.ts';

/**
 * Time limit in milliseconds for a killed machine's processes to end; it is reached only when a disk or a debugger
 * holds them.
 */
const endsWithinMs = 60_000;

/** Facts about a machine that are needed to end it. */
type Trace = Pick<InstanceRecord, 'id' | 'kind'> & Wired;

/** Resources of the machines of one model on one site. */
export class Footprints {
  readonly #params: MachinesParams;
  readonly #site: Site;

  constructor(params: MachinesParams, site: Site) {
    this.#params = params;
    this.#site = site;
  }

  folderOf(id: string): string {
    return instanceFolder(this.#params.open.stateDir, this.#params.open.modelUuid, id);
  }

  /** Returns the network of a machine; undefined when it uses the site's. */
  networkOf(machine: Wired): MachineNetwork | undefined {
    return this.#site.wiring?.networkOf(machine);
  }

  /**
   * Returns the name of a machine's cgroup, unique on the host; instance ids are unique only among models whose UUIDs
   * end differently.
   */
  cgroupName({ machineId }: Pick<InstanceRecord, 'machineId'>): string {
    return `${this.#params.open.modelUuid}-${machineId.replaceAll('/', '-')}`;
  }

  /** Groups of a machine; undefined where limits cannot be set. */
  cgroupsOf(record: InstanceRecord): MachineGroups | undefined {
    const { cgroups } = this.#params.capabilities;
    return cgroups && machineGroups(cgroups, this.cgroupName(record));
  }

  /** Tells whether a machine belongs to this controller; another one may have its files in the same folder. */
  isOurs({ controllerUuid }: Pick<InstanceRecord, 'controllerUuid'>): boolean {
    return controllerUuid === this.#params.open.controllerUuid;
  }

  /** Ends a machine's processes and removes its kernel resources; its files stay. */
  async halt(machine: Trace): Promise<void> {
    const { open, capabilities } = this.#params;
    await this.#killFirst(machine.id);
    if (machine.kind === 'process') {
      await killPlain(this.folderOf(machine.id), open.clock);
      await removeRunDir(this.folderOf(machine.id));
    }
    await freeMachineLoops(this.folderOf(machine.id));
    const network = this.networkOf(machine);
    if (network) await this.#site.wiring?.disconnect(network, machine);
    if (capabilities.cgroups && machine.kind === 'sandbox') {
      await removeCgroups(capabilities.cgroups, this.cgroupName(machine), open.clock);
    }
    await dropClaim(this.folderOf(machine.id));
  }

  /**
   * Kills the first process and with it the pid namespace; a first process that is about to start is prevented from it.
   */
  async #killFirst(id: string): Promise<void> {
    const folder = this.folderOf(id);
    await voidClaim(folder);
    const claim = await readClaim(folder);
    if (typeof claim !== 'object') return;
    const { clock } = this.#params.open;
    const until = clock.now() + endsWithinMs;
    while (await isAlive(claim)) {
      if (clock.now() > until)
        throw new ProviderError(
          'transient',
          `${id} does not end: something on its host keeps one of the processes below ${claim.pid}`,
        );
      kill(claim.pid);
      await clock.sleep(3);
    }
  }

  /** Removes everything of a machine, also one that is incomplete or lost its record; idempotent. */
  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id);
    const record = await readInstance(folder);
    if (record && !this.isOurs(record)) return;
    const trace = record ?? (await this.#traceOf(id));
    if (!trace) return;
    if (existsSync(folder)) await writeFile(join(folder, 'removing'), '');
    await this.halt(trace);
    await this.#site.wiring?.release(id);
    await removeInstance(folder);
  }

  /**
   * Derives the facts about a machine without a record; undefined when there is nothing, or it belongs to another
   * controller.
   */
  async #traceOf(id: string): Promise<Trace | undefined> {
    const { open, capabilities } = this.#params;
    const machineId = machineNamedBy(open.modelUuid, id);
    if (machineId === undefined) return undefined;
    const place = await this.#site.wiring?.find({ id, machineId });
    if (!place && !existsSync(this.folderOf(id))) return undefined;
    const model = await readModel(modelFolder(open.stateDir, open.modelUuid));
    if (model && !this.isOurs(model)) return undefined;
    return { id, machineId, kind: capabilities.sandbox ? 'sandbox' : 'process', ...place };
  }
}
