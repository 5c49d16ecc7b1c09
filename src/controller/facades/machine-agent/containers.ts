/**
 * Methods by which a host's agent provisions the containers on it (machines.md#provisioner): they use the same
 * transactions as the controller's own provisioner does for machines.
 */
import { JujuError, permissionDenied } from '../../../core/errors.ts';
import type { Address } from '../../../core/machine/document.ts';
import { subnetCidr } from '../../../core/network/address-space.ts';
import type { MachineNetworks } from '../../../core/network/machine-networks.ts';
import type { machineAgent as spec } from '../../../wire/facades/machine-agent.ts';
import { ProviderError, type Instance, type StartParams } from '../../../providers/contract/provider.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { startContext, startParams } from '../../start-params.ts';
import { failStart } from '../../transactions/instance/fail-start.ts';
import { forgetMachine, killMachine } from '../../transactions/end/forget-machine.ts';
import { prepareStart, type StartIntent } from '../../transactions/instance/prepare-start.ts';
import { recordStart } from '../../transactions/instance/record-start.ts';
import {
  reportProgress,
  reportSeenInstances,
  reportUnreleased,
} from '../../transactions/instance/tell-provisioning.ts';
import { renewMachine } from '../../transactions/instance/renew-machine.ts';
import type { Tx } from '../../transactions/tx.ts';
import { ownMachine, refuseFormer } from './own-unit.ts';
import { defined } from '../../../core/defined.ts';

type Params<M extends keyof (typeof spec)['methods']> = ParamsOf<typeof spec, M>;
type Result<M extends keyof (typeof spec)['methods']> = ResultOf<typeof spec, M>;

export async function prepareContainers(
  call: Call,
  { containers, restarts = containers }: Params<'PrepareContainers'>,
): Promise<Result<'PrepareContainers'>> {
  const { agentKey } = call.services;
  const again = new Set(restarts);
  const intents = await change(call, containers, (tx) =>
    containers.flatMap((machine) => {
      const isOutdated = tx.get('machine', machine)?.instance !== undefined && !again.has(machine);
      return isOutdated ? [] : (prepareStart(tx, { machine, agentKey }) ?? []);
    }),
  );
  const context = await startContext(call.services, call.read());
  // The model is gone, and has no machine left.
  if (!context) return { starts: [] };
  const starts = intents.map(async (intent) => {
    try {
      return await startOf(call, intent, startParams(intent, context));
    } catch (error) {
      // A container with an instance was a valid request once, so its start is tried again.
      const mayBeFinal = error instanceof ProviderError && intent.machine.instance === undefined;
      const failure = {
        class: mayBeFinal ? error.class : ('transient' as const),
        message: error instanceof Error ? error.message : String(error),
      };
      return { container: intent.machine.id, failure };
    }
  });
  return { starts: await Promise.all(starts) };
}

/** Parameters of a container's start. They hold a secret for the host's agent, which creates the container. */
async function startOf(
  call: Call,
  { machine, isFirst }: StartIntent,
  { nonce, existing = false, base, constraints, tags, agent, networks }: Omit<StartParams, 'progress'>,
): Promise<Result<'PrepareContainers'>['starts'][number]> {
  const { containers } = call.services.environ(call.modelUuid, call.read());
  const address = await containers?.takeAddress?.(machine.id, new AbortController().signal, networks);
  if (networks) mustBeOn(networks, address);
  // The host's agent knows where the tools are.
  const { toolsDir: _, ...delivery } = agent;
  return {
    container: machine.id,
    nonce,
    isFirst,
    ran: machine.instance !== undefined,
    existing,
    base: { ...base },
    constraints: { ...constraints },
    ...defined({ address: address ? { ...address } : undefined }),
    tags: { ...tags },
    agent: delivery,
  };
}

/**
 * Checks a container's spaces: it is only on the network of its host on which it has its address. Errors: ProviderError
 * `bad request` when a space is asked for that lacks this network.
 */
function mustBeOn({ spaces, excluded }: MachineNetworks, address: Address | undefined): void {
  const subnet = address && subnetCidr(address);
  const other = spaces.find(({ subnets }) => subnet === undefined || !subnets.includes(subnet));
  const where = subnet === undefined ? 'a network of its host' : subnet;
  if (other)
    throw new ProviderError('bad request', `a container is on ${where} only, not in space "${other.name}"`);
  if (subnet !== undefined && excluded.includes(subnet))
    throw new ProviderError('bad request', `a container is on ${where}, which is in an excluded space`);
}

export async function containerStarted(
  call: Call,
  { container: machine, nonce, instance, hardware }: Params<'ContainerStarted'>,
): Promise<Result<'ContainerStarted'>> {
  const startedInstance = { ...instance, status: instanceStatus(instance.status), tags: {} };
  const kept = await change(call, [machine], (tx) =>
    recordStart(tx, { machine, nonce, result: { instance: startedInstance, hardware } }),
  );
  return { kept };
}

export async function containerFailed(
  call: Call,
  { container: machine, at, ...rest }: Params<'ContainerFailed'>,
): Promise<Record<string, never>> {
  const failure = { ...rest, ...defined({ at }) };
  await change(call, [machine], (tx) => failStart(tx, { machine, failure }));
  return {};
}

export async function containerStatus(
  call: Call,
  { container, message }: Params<'ContainerStatus'>,
): Promise<Record<string, never>> {
  await change(call, [container], (tx) => reportProgress(tx, container, message));
  return {};
}

/**
 * Removes ended containers. Their addresses are released first: nothing else would release them once the records are
 * gone.
 */
export async function containersEnded(
  call: Call,
  { kill, renew, forget }: Params<'ContainersEnded'>,
): Promise<Record<string, never>> {
  const released = forget.filter((one) => one.keptInstance === undefined).map(({ container }) => container);
  const ids = [...kill, ...renew, ...forget.map(({ container }) => container)];
  for (const id of ids) refuseOthers(call, id);
  if (released.length > 0) {
    const dead = released.filter((id) => call.read().get('machine', id)?.life === 'dead');
    await releaseAddresses(call, dead);
  }
  await change(call, ids, (tx) => {
    for (const id of kill) killMachine(tx, id);
    for (const id of renew) renewMachine(tx, id);
    for (const { container, keptInstance } of forget) forgetMachine(tx, container, keptInstance);
  });
  return {};
}

/** Releases addresses. Errors: `try again`, whatever the cloud's reason: the caller can only ask again. */
async function releaseAddresses(call: Call, dead: readonly string[]): Promise<void> {
  const { containers } = call.services.environ(call.modelUuid, call.read());
  try {
    await containers?.releaseAddresses?.(dead, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new JujuError('try again', `cannot release addresses of containers: ${error.message}`);
  }
}

export async function containersUnreleased(
  call: Call,
  { failures }: Params<'ContainersUnreleased'>,
): Promise<Record<string, never>> {
  const unreleased = failures.map(({ container: id, message }) => ({ id, message }));
  const ids = unreleased.map(({ id }) => id);
  await change(call, ids, (tx) => reportUnreleased(tx, unreleased));
  return {};
}

export async function containersSeen(
  call: Call,
  { lost, back }: Params<'ContainersSeen'>,
): Promise<Record<string, never>> {
  await change(call, [...lost, ...back], (tx) => reportSeenInstances(tx, { lost, recovered: back }));
  return {};
}

/**
 * Runs one transaction on containers of the calling agent's machine. Containers that are gone in the meantime are no
 * error.
 */
function change<T>(call: Call, containers: readonly string[], fn: (tx: Tx) => T): Promise<T> {
  for (const id of containers) refuseOthers(call, id);
  return call.store.change((root) => {
    const tx = root.in(call.modelUuid);
    refuseFormer(call, tx);
    return fn(tx);
  }, call.by);
}

/** Refuses containers of other hosts: a container's id begins with its host's. */
function refuseOthers(call: Call, id: string): void {
  if (!id.startsWith(`${ownMachine(call)}/`)) throw permissionDenied();
}

const statuses: readonly Instance['status'][] = [
  'pending',
  'allocating',
  'running',
  'provisioning error',
  'error',
  'stopped',
];

function instanceStatus(text: string): Instance['status'] {
  return statuses.find((one) => one === text) ?? 'unknown';
}
