/**
 * Provisioner of the containers on this machine: the controller's provisioning loop (machines.md#provisioner) over
 * this agent's mirror and calls.
 */
import { ProviderError, type ContainerBroker } from '../../providers/contract/provider.ts';
import { Provisioner } from '../../provisioning/provisioner.ts';
import type { Broker } from '../../provisioning/records.ts';
import type { ContainerRecord } from '../../wire/agent-records.ts';
import { ContainerRecords } from './container-records.ts';
import type { MachineWorld } from './world.ts';

/** Interval between checks for crashed containers; listing those on one machine is cheap. */
const lookMs = 30_000;

export interface ContainerProvisioner {
  /** Runs one pass. Returns the milliseconds until the next one is due. */
  pass(signal: AbortSignal): Promise<number | void>;
  /** Must be called when the mirror has changed. */
  onChange(): void;
}

export function createContainerProvisioner(
  { machineId, mirror, api, clock, random, log }: MachineWorld,
  { broker = noContainers(machineId), wake }: { broker?: ContainerBroker | undefined; wake: () => void },
): ContainerProvisioner {
  const provisioner = new Provisioner({
    records: new ContainerRecords({ mirror, api }),
    broker: (): Broker | undefined => (mirror.complete ? broker : undefined),
    clock,
    random,
    log,
    wake,
  });
  let known: ReadonlyMap<string, ContainerRecord> = new Map();
  let lookAt = clock.now() + lookMs;

  /** Reports recorded instances that were removed from outside, or are back. */
  async function reportLosses(signal: AbortSignal): Promise<void> {
    const recorded = [...known.values()].filter(({ life, instanceId }) => life !== 'dead' && instanceId);
    const found = await broker.instances.get(
      recorded.map(({ instanceId = '' }) => instanceId),
      signal,
    );
    const lost = recorded.filter((container, i) => !found[i] && !container.lost).map(({ id }) => id);
    const back = recorded.filter((container, i) => found[i] && container.lost).map(({ id }) => id);
    if (lost.length + back.length > 0) await api.call('ContainersSeen', { lost, back }, { signal });
  }

  return {
    async pass(signal) {
      if (!mirror.complete) return;
      if (clock.now() >= lookAt) {
        lookAt = clock.now() + lookMs;
        await reportLosses(signal);
        provisioner.look(known.keys());
      }
      await provisioner.pass(signal);
      return known.size > 0 ? lookMs : undefined;
    },
    onChange() {
      if (!mirror.complete) return;
      const now = new Map(mirror.containers().map((record) => [record.id, record]));
      for (const [id, { nonce, pending }] of now) {
        const before = known.get(id);
        // The commands resolved and retry-provisioning end the wait for the next attempt.
        if (before && !before.pending && pending) provisioner.retry(id);
        // resolved --constraints abandons an attempt, which may have created an instance.
        if (before?.nonce && nonce && before.nonce !== nonce && before.instanceId === undefined)
          provisioner.giveUp(id);
      }
      const changed = [...now.keys(), ...known.keys()].filter((id) => now.get(id) !== known.get(id));
      known = now;
      if (changed.length > 0) provisioner.look(changed);
    },
  };
}

/** Creates the broker of a machine whose provider has no containers: every start fails. */
function noContainers(machineId: string): ContainerBroker {
  return {
    types: [],
    instances: {
      start: () =>
        Promise.reject(new ProviderError('bad request', `machine ${machineId} cannot host containers`)),
      stop: () => Promise.resolve(),
      list: () => Promise.resolve([]),
      get: (ids) => Promise.resolve(ids.map(() => undefined)),
    },
  };
}
