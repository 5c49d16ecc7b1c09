/** Decides what a look at a machine's instance changes, and when the next look is due (machines.md#polling). */
import type { Address, MachineDoc } from './document.ts';
import type { Status } from '../status.ts';
import { defined } from '../defined.ts';

const shortMs = 3_000;
const shortMsMax = 60_000;
const longMs = 15 * 60_000;
/**
 * Minimum time that an instance is lost before it is replaced. A replaced machine loses its disks, so a cloud that
 * forgets an instance for a moment must not cause a replacement.
 */
const graceMs = 60_000;

/** A machine with a recorded instance that a provider started. */
export interface PolledMachine {
  readonly instanceStatus: Status;
  /** Whether the agent's status is `started`. */
  readonly started: boolean;
  /** Whether the agent is connected. */
  readonly present: boolean;
  readonly addresses: readonly Address[];
  /** The recorded zone; undefined where there are no zones. */
  readonly zone?: string;
  /** The status message for a lost instance: what the user can do. */
  readonly remedy: string;
  /** Whether another instance may take this one's place (see irreplaceable). */
  readonly replaceable: boolean;
}

export type ProvisionedMachine = MachineDoc & { readonly instance: NonNullable<MachineDoc['instance']> };

/** Machines that are polled: not containers (their host knows them), unmanaged instances, or dead machines. */
export function isPolled(machine: MachineDoc | undefined): machine is ProvisionedMachine {
  return (
    machine?.instance !== undefined &&
    !machine.instance.unmanaged &&
    machine.parent === undefined &&
    machine.life !== 'dead'
  );
}

/** The provider's report about an instance. */
export interface Sight {
  readonly status: string;
  readonly message: string;
  readonly addresses: readonly Address[];
  readonly zone?: string;
}

/** State carried from one look to the next; it is reset when the controller starts. */
export interface LastLook {
  /** Delay between the previous look and this one; 0 = an event asked for this look. */
  readonly delayMs: number;
  /** Whether the previous look did not find the instance. */
  readonly missing: boolean;
}

/** Changes to the record; absent members stay as they are. */
export interface PollPlan {
  readonly status?: Pick<Status, 'status' | 'message'>;
  readonly addresses?: readonly Address[];
  readonly zone?: string;
  /** Whether another instance is to be started in this one's place. */
  readonly replace: boolean;
  readonly next: LastLook;
}

/**
 * Compares a machine's record with its instance, `sight` (undefined: the cloud has no instance of that id). An instance
 * is lost when two looks in a row did not find it while no agent was connected; when `replaces` is set it is replaced
 * after being lost for a minute. The next look comes soon, with delays growing to a minute, until the agent has started
 * and is connected and an address is known; after that every quarter of an hour.
 */
export function planPoll(
  machine: PolledMachine,
  sight: Sight | undefined,
  { last, replaces, now }: { readonly last: LastLook; readonly replaces: boolean; readonly now: number },
): PollPlan {
  const missing = !sight && !machine.present;
  const status = missing
    ? lostStatus(machine, last)
    : sight
      ? reportedStatus(machine, sight)
      : reconnectedStatus(machine);
  const addresses = sight && newAddresses(machine.addresses, sight.addresses);
  const zone = sight?.zone !== undefined && sight.zone !== machine.zone ? sight.zone : undefined;
  const isSettled =
    machine.started &&
    machine.present &&
    (addresses ?? machine.addresses).length > 0 &&
    (!sight || sight.status === 'running');
  const { instanceStatus } = machine;
  const isLong = instanceStatus.status === 'lost' && now - Date.parse(instanceStatus.since) >= graceMs;
  return {
    ...(status && !isAlready(status, instanceStatus) ? { status } : {}),
    ...defined({ addresses, zone }),
    replace: missing && last.missing && isLong && replaces && machine.replaceable,
    next: { missing, delayMs: isSettled ? longMs : soon(last.delayMs) },
  };
}

/** The cloud's description of an instance's state, as a sentence for people. */
export function sentence({ status, message }: Pick<Sight, 'message' | 'status'>): string {
  const text = message || status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type NewStatus = Pick<Status, 'status' | 'message'> | undefined;

function isAlready(status: NonNullable<NewStatus>, now: Status): boolean {
  return status.status === now.status && status.message === now.message;
}

/** The status of a missing instance. It is set at the second look, as a cloud may forget an instance for a moment. */
function lostStatus({ remedy, instanceStatus }: PolledMachine, last: LastLook): NewStatus {
  return last.missing || instanceStatus.status === 'lost' ? { status: 'lost', message: remedy } : undefined;
}

/** The status from the provider's report. The provisioner's own status of a start stays until the instance runs. */
function reportedStatus({ instanceStatus }: PolledMachine, sight: Sight): NewStatus {
  const fromProvisioner =
    instanceStatus.status === 'allocating' || instanceStatus.status === 'provisioning error';
  if (fromProvisioner && sight.status !== 'running') return undefined;
  if (sight.status === 'unknown' && instanceStatus.status !== 'lost') return undefined;
  return { status: sight.status, message: sentence(sight) };
}

/** The status of an instance that the cloud does not list although its agent is connected. */
function reconnectedStatus({ instanceStatus }: PolledMachine): NewStatus {
  if (instanceStatus.status !== 'lost') return undefined;
  return {
    status: 'running',
    message: 'Its agent is connected, though the cloud does not list the instance',
  };
}

/**
 * The provider's addresses, with the details that the agent has added to them, and addresses that only the agent
 * reported; undefined when nothing changes.
 */
function newAddresses(recorded: readonly Address[], provided: readonly Address[]): Address[] | undefined {
  // A cloud may report no address while an instance changes its state.
  if (provided.length === 0) return undefined;
  const byValue = new Map(recorded.map((address) => [address.value, address]));
  const values = new Set(provided.map(({ value }) => value));
  const merged = [
    ...provided.map((address) => {
      const { origin: _, ...more } = byValue.get(address.value) ?? {};
      return { ...more, ...address };
    }),
    ...recorded.filter(({ value, origin }) => origin === 'machine' && !values.has(value)),
  ];
  const isSame =
    merged.length === recorded.length && merged.every((address, i) => isSameAddress(address, recorded[i]!));
  return isSame ? undefined : merged;
}

function isSameAddress(a: Address, b: Address): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Address>;
  return [...keys].every((key) => a[key] === b[key]);
}

function soon(delayMs: number): number {
  return delayMs === 0 || delayMs > shortMsMax ? shortMs : Math.min(delayMs * 2, shortMsMax);
}
