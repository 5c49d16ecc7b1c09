/**
 * What machines have where they are made, and how that ends: files, processes, a network, cgroups. The id leads to all
 * of it, also where the record was lost.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError } from '../../contract/provider.ts';
import { machineGroups, removeCgroups, type MachineGroups } from './cgroups.ts';
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

/** It ends when all that it started has: in milliseconds, unless a disk or a debugger holds that up. */
const endsWithinMs = 60_000;

/** What must be known of a machine to end it. */
type Trace = Pick<InstanceRecord, 'id' | 'kind'> & Wired;

/** Of the machines of one model on one site. */
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

  /** Undefined: it has the site's. */
  networkOf(machine: Wired): MachineNetwork | undefined {
    return this.#site.wiring?.networkOf(machine);
  }

  /** Unique on the host, which instance ids are only among models whose UUIDs end differently. */
  cgroupName({ machineId }: Pick<InstanceRecord, 'machineId'>): string {
    return `${this.#params.open.modelUuid}-${machineId.replaceAll('/', '-')}`;
  }

  /** Undefined: there are no limits here. */
  cgroupsOf(record: InstanceRecord): MachineGroups | undefined {
    const { cgroups } = this.#params.capabilities;
    return cgroups && machineGroups(cgroups, this.cgroupName(record));
  }

  /** Another controller may have its files in the same folder. */
  isOurs({ controllerUuid }: Pick<InstanceRecord, 'controllerUuid'>): boolean {
    return controllerUuid === this.#params.open.controllerUuid;
  }

  /** Ends what runs of the machine and what it has in the kernel; its files stay. */
  async halt(machine: Trace): Promise<void> {
    const { open, capabilities } = this.#params;
    await this.#killFirst(machine.id);
    if (machine.kind === 'process') {
      await killPlain(this.folderOf(machine.id), open.clock);
      await removeRunDir(this.folderOf(machine.id));
    }
    const network = this.networkOf(machine);
    if (network) await this.#site.wiring?.disconnect(network, machine);
    if (capabilities.cgroups && machine.kind === 'sandbox') {
      await removeCgroups(capabilities.cgroups, this.cgroupName(machine), open.clock);
    }
    await dropClaim(this.folderOf(machine.id));
  }

  /** Kills the first process, and with it all in its pid namespace; one that is only about to be is kept from it. */
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

  /** All there is of it, also what only half began or whose record was lost; repeatable. */
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

  /** Of one without a record; undefined when there is nothing, or nothing of ours. */
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
