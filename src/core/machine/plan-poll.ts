/** What follows from a look at a machine's instance, and when the next look is due (machines.md#polling). */
import type { Address, MachineDoc } from './document.ts';
import type { Status } from '../status.ts';

const shortMs = 3_000;
const shortMsMax = 60_000;
const longMs = 15 * 60_000;
/** A replaced machine loses its disks: a cloud that forgets an instance for a moment must not cause that. */
const graceMs = 60_000;

/** A machine with a recorded instance that a provider started. */
export interface PolledMachine {
  readonly instanceStatus: Status;
  /** Its agent's status is `started`. */
  readonly started: boolean;
  /** Its agent has a connection. */
  readonly present: boolean;
  readonly addresses: readonly Address[];
  /** Undefined where there are no zones. */
  readonly zone?: string;
  /** What somebody can do when the instance is lost. */
  readonly remedy: string;
  /** Another instance may take its place (irreplaceable says why not). */
  readonly replaceable: boolean;
}

export type ProvisionedMachine = MachineDoc & { readonly instance: NonNullable<MachineDoc['instance']> };

/** Containers are known to their hosts; what no provider started, to nobody; the dead are the provisioner's. */
export function isPolled(machine: MachineDoc | undefined): machine is ProvisionedMachine {
  return (
    machine?.instance !== undefined &&
    !machine.instance.unmanaged &&
    machine.parent === undefined &&
    machine.life !== 'dead'
  );
}

/** What the provider tells of an instance. */
export interface Sight {
  readonly status: string;
  readonly message: string;
  readonly addresses: readonly Address[];
  readonly zone?: string;
}

/** What the last look left; a controller that starts begins anew. */
export interface LastLook {
  /** How long after it this one came; 0: something has happened since. */
  readonly delayMs: number;
  /** The instance was not there. */
  readonly missing: boolean;
}

/** What is absent stays as it is. */
export interface PollPlan {
  readonly status?: Pick<Status, 'status' | 'message'>;
  readonly addresses?: readonly Address[];
  readonly zone?: string;
  /** Another instance is to be started in its place. */
  readonly replace: boolean;
  readonly next: LastLook;
}

/**
 * Compares a machine's record with its instance, `sight` (undefined: the cloud has none of that id). An instance is
 * lost when two looks in a row did not find it while no agent was connected; it is replaced, where `replaces` says so,
 * when it was lost for a minute and is still. The next look comes soon and then ever later, up to a minute, until the
 * agent has started and has a connection, and an address is known; after that each quarter of an hour.
 */
export function planPoll(
  machine: PolledMachine,
  sight: Sight | undefined,
  { last, replaces, now }: { readonly last: LastLook; readonly replaces: boolean; readonly now: number },
): PollPlan {
  const missing = !sight && !machine.present;
  const status = missing ? lost(machine, last) : sight ? said(machine, sight) : mended(machine);
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
    ...(addresses ? { addresses } : {}),
    ...(zone === undefined ? {} : { zone }),
    replace: missing && last.missing && isLong && replaces && machine.replaceable,
    next: { missing, delayMs: isSettled ? longMs : soon(last.delayMs) },
  };
}

/** The cloud's word for an instance's state, for people. */
export function sentence({ status, message }: Pick<Sight, 'message' | 'status'>): string {
  const text = message || status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Said = Pick<Status, 'status' | 'message'> | undefined;

function isAlready(said: NonNullable<Said>, now: Status): boolean {
  return said.status === now.status && said.message === now.message;
}

/** Said at the second look, as a cloud may forget for a moment what it has. */
function lost({ remedy, instanceStatus }: PolledMachine, last: LastLook): Said {
  return last.missing || instanceStatus.status === 'lost' ? { status: 'lost', message: remedy } : undefined;
}

/** What the provisioner says of a start stays, until the instance runs. */
function said({ instanceStatus }: PolledMachine, sight: Sight): Said {
  const own = instanceStatus.status === 'allocating' || instanceStatus.status === 'provisioning error';
  if (own && sight.status !== 'running') return undefined;
  if (sight.status === 'unknown' && instanceStatus.status !== 'lost') return undefined;
  return { status: sight.status, message: sentence(sight) };
}

/** Its agent is there, so the instance is. */
function mended({ instanceStatus }: PolledMachine): Said {
  if (instanceStatus.status !== 'lost') return undefined;
  return {
    status: 'running',
    message: 'Its agent is connected, though the cloud does not list the instance',
  };
}

/**
 * The provider's, with what the agent has found out about them, and those that only the agent saw. Undefined: as they
 * are.
 */
function newAddresses(known: readonly Address[], provided: readonly Address[]): Address[] | undefined {
  // Between two states a cloud may know none.
  if (provided.length === 0) return undefined;
  const byValue = new Map(known.map((address) => [address.value, address]));
  const values = new Set(provided.map(({ value }) => value));
  const merged = [
    ...provided.map((address) => {
      const { origin: _, ...more } = byValue.get(address.value) ?? {};
      return { ...more, ...address };
    }),
    ...known.filter(({ value, origin }) => origin === 'machine' && !values.has(value)),
  ];
  const isSame = merged.length === known.length && merged.every((one, i) => isSameAddress(one, known[i]!));
  return isSame ? undefined : merged;
}

function isSameAddress(a: Address, b: Address): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Address>;
  return [...keys].every((key) => a[key] === b[key]);
}

function soon(delayMs: number): number {
  return delayMs === 0 || delayMs > shortMsMax ? shortMs : Math.min(delayMs * 2, shortMsMax);
}
