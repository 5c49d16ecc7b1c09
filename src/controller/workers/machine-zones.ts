/** Chooses the zones of machines that are to be started (machines.md#zone-choice). */
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import { chooseZone, usableZones, zoneConflict, zoneRequest } from '../../core/machine/choose-zone.ts';
import type { Clock } from '../../kit/clock.ts';
import { ProviderError, type Environ } from '../../providers/contract/provider.ts';
import type { Prepared } from '../../provisioning/records.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { ZoneCounts } from './zone-counts.ts';

/** Time for which the provider's report on its zones is used, unless a start fails for a zone. */
const knownMs = 60_000;

/** Result of a choice; `zone` is absent where the cloud has no zones. */
type ZoneChoice =
  | { readonly zone?: string; readonly zones?: NonNullable<Prepared['zones']> }
  | { readonly error: ProviderError; readonly zones?: NonNullable<Prepared['zones']> };

export class MachineZones {
  readonly #counts: ZoneCounts;
  readonly #clock: Clock;
  #zones: readonly { readonly name: string; readonly available: boolean }[] = [];
  #validUntil = -Infinity;
  readonly stop: () => void;

  constructor({
    store,
    services,
    modelUuid,
  }: {
    readonly store: Store<Entities>;
    readonly services: Pick<Services, 'clock' | 'dispatch'>;
    readonly modelUuid: string;
  }) {
    this.#clock = services.clock;
    const view = store.read().in(modelUuid);
    this.#counts = new ZoneCounts((machine) => view.find('unit', 'machine', machine));
    for (const machine of view.list('machine')) this.#counts.machineChanged(undefined, machine);
    const { dispatch } = services;
    const subscriptions = [
      dispatch.on(modelUuid, 'machine', ({ before, after }) => this.#counts.machineChanged(before, after)),
      dispatch.on(modelUuid, 'unit', ({ before, after }) => this.#counts.unitChanged(before, after)),
    ];
    this.stop = () => {
      for (const end of subscriptions) end();
    };
  }

  /** Asks the provider for its zones when the last report is too old. */
  async refresh({ zones }: Pick<Environ, 'zones'>, signal: AbortSignal): Promise<void> {
    if (!zones || this.#clock.now() < this.#validUntil) return;
    this.#zones = await zones.list(signal);
    this.#validUntil = this.#clock.now() + knownMs;
  }

  /** Discards what is known of the zones after a start failed for its zone. */
  invalidate(): void {
    this.#validUntil = -Infinity;
  }

  /**
   * Chooses a zone. The machine counts in it from now on, until `settled`. A machine that was prepared before keeps its
   * zone while it is usable: its instance may be there.
   */
  choose(machine: MachineDoc): ZoneChoice {
    const requested = zoneRequest(machine);
    // A machine with an instance stays in the zone of the instance.
    if (machine.instance) return machine.zone === undefined ? {} : { zone: machine.zone };
    if (this.#zones.length === 0) return {};
    const conflict = zoneConflict(this.#zones, requested);
    if (conflict !== undefined) return { error: new ProviderError('bad request', conflict) };
    const usable = usableZones(this.#zones, requested).map(({ name }) => name);
    const failed = machine.failedZones ?? [];
    const keepsZone =
      machine.zone !== undefined && usable.includes(machine.zone) && !failed.includes(machine.zone);
    const zone = keepsZone ? machine.zone : this.#chooseNew(machine);
    const zones = { usable, failed };
    if (zone === undefined) return { error: new ProviderError('zonal', noZoneMessage(usable)), zones };
    this.#counts.reserve(machine.id, zone);
    return { zone, zones };
  }

  #chooseNew(machine: MachineDoc): string | undefined {
    const zones = this.#zones.map((zone) => ({
      ...zone,
      ...this.#counts.othersInZone(machine.id, zone.name),
    }));
    return chooseZone(zones, zoneRequest(machine));
  }

  /** Ends the reservation of the chosen zone: it is recorded now, or the start was dropped. */
  endReservation(machine: string): void {
    this.#counts.reserve(machine, undefined);
  }
}

function noZoneMessage(usable: readonly string[]): string {
  return usable.length === 0
    ? 'no allowed zone is available'
    : `starts failed in every allowed zone (${usable.join(', ')})`;
}
