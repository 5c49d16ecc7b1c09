/**
 * What machines have where they are made, and how that ends: files, processes, a network, cgroups.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machineGroups, removeCgroups, type MachineGroups } from './cgroups.ts';
import type { MachineNetwork } from './network.ts';
import { killPlain, removeRunDir } from './plain.ts';
import { dropClaim, isAlive, kill, readClaim, voidClaim } from './process.ts';
import { instanceFolder, readInstance, removeInstance, type InstanceRecord } from './record.ts';
import type { MachinesParams, Site } from './site.ts';

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

  networkOf(record: InstanceRecord): MachineNetwork | undefined {
    return this.#site.wiring?.networkOf(record);
  }

  /** Unique on the host, which instance ids are only among models whose UUIDs end differently. */
  cgroupName(record: InstanceRecord): string {
    return `${this.#params.open.modelUuid}-${record.machineId.replaceAll('/', '-')}`;
  }

  cgroupsOf(record: InstanceRecord): MachineGroups | undefined {
    const { cgroups } = this.#params.capabilities;
    return cgroups && machineGroups(cgroups, this.cgroupName(record));
  }

  isOurs(record: InstanceRecord): boolean {
    return record.controllerUuid === this.#params.open.controllerUuid;
  }

  /** Ends what runs of the machine and what it has in the kernel; its files stay. */
  async halt(record: InstanceRecord): Promise<void> {
    const { open, capabilities } = this.#params;
    await this.#killFirst(record.id);
    if (record.kind === 'process') {
      await killPlain(this.folderOf(record.id), open.clock);
      await removeRunDir(this.folderOf(record.id));
    }
    const network = this.networkOf(record);
    if (network) await this.#site.wiring?.disconnect(network, record);
    if (capabilities.cgroups && record.kind === 'sandbox') {
      await removeCgroups(capabilities.cgroups, this.cgroupName(record), open.clock);
    }
    await dropClaim(this.folderOf(record.id));
  }

  /** Kills the first process, and with it all in its pid namespace; one that is only about to be is kept from it. */
  async #killFirst(id: string): Promise<void> {
    const folder = this.folderOf(id);
    await voidClaim(folder);
    const claim = await readClaim(folder);
    if (typeof claim !== 'object') return;
    while (await isAlive(claim)) {
      kill(claim.pid);
      await this.#params.open.clock.sleep(3);
    }
  }

  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id);
    if (!existsSync(folder)) return;
    const record = await readInstance(folder);
    if (record && !this.isOurs(record)) return;
    await writeFile(join(folder, 'removing'), '');
    if (record) await this.halt(record);
    await this.#site.wiring?.release(id);
    await removeInstance(folder);
  }
}
