/**
 * The provisioner of the containers on this machine: the controller's own loop (machines.md#provisioner), over what
 * this agent is told and may ask for.
 */
import { ProviderError, type ContainerBroker } from '../../providers/provider.ts';
import { Provisioner } from '../../provisioning/provisioner.ts';
import type { Broker } from '../../provisioning/records.ts';
import type { ContainerRecord } from '../../wire/agent-records.ts';
import { ContainerRecords } from './container-records.ts';
import type { MachineWorld } from './world.ts';

/** Nobody tells that a container has crashed; to look at those on one machine costs little. */
const lookMs = 30_000;

export interface ContainerProvisioner {
  /** Returns milliseconds until it wants to look again. */
  pass(signal: AbortSignal): Promise<number | void>;
  /** The mirror has changed. */
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
  let seen: ReadonlyMap<string, ContainerRecord> = new Map();
  let lookAt = clock.now() + lookMs;

  /** Recorded instances that somebody took away, or brought back. */
  async function tellLosses(signal: AbortSignal): Promise<void> {
    const recorded = [...seen.values()].filter(({ life, instanceId }) => life !== 'dead' && instanceId);
    const found = await broker.instances.get(
      recorded.map(({ instanceId = '' }) => instanceId),
      signal,
    );
    const lost = recorded.filter((one, i) => !found[i] && !one.lost).map(({ id }) => id);
    const back = recorded.filter((one, i) => found[i] && one.lost).map(({ id }) => id);
    if (lost.length + back.length > 0) await api.call('ContainersSeen', { lost, back }, { signal });
  }

  return {
    async pass(signal) {
      if (!mirror.complete) return;
      if (clock.now() >= lookAt) {
        lookAt = clock.now() + lookMs;
        await tellLosses(signal);
        provisioner.look(seen.keys());
      }
      await provisioner.pass(signal);
      return seen.size > 0 ? lookMs : undefined;
    },
    onChange() {
      if (!mirror.complete) return;
      const now = new Map(mirror.containers().map((record) => [record.id, record]));
      for (const [id, { nonce, pending }] of now) {
        const before = seen.get(id);
        // resolved and retry-provisioning end a wait for the next attempt.
        if (before && !before.pending && pending) provisioner.retry(id);
        // resolved --constraints gives an attempt up, which may have made an instance.
        if (before?.nonce && nonce && before.nonce !== nonce && before.instanceId === undefined)
          provisioner.giveUp(id);
      }
      const changed = [...now.keys(), ...seen.keys()].filter((id) => now.get(id) !== seen.get(id));
      seen = now;
      if (changed.length > 0) provisioner.look(changed);
    },
  };
}

/** Of a machine whose provider has no containers. */
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
