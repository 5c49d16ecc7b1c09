/**
 * Records of the containers on this machine for their provisioner: read from the mirror, changed by calls. A problem
 * that all of them share is remembered here only, since each record says for itself that it waits.
 */
import type { MachineView } from '../../core/machine/plan-provisioning.ts';
import { ProviderError } from '../../providers/contract/provider.ts';
import type {
  EndStep,
  MachineRecords,
  Prepared,
  Started,
  StartFailure,
  Suspension,
} from '../../provisioning/records.ts';
import type { MachineAgentMethods } from '../../wire/facades/machine-agent.ts';
import type { Mirror } from '../mirror.ts';
import type { AgentApi } from '../uplink.ts';
import { defined } from '../../core/defined.ts';

type Start = MachineAgentMethods['PrepareContainers']['result']['starts'][number];

export class ContainerRecords implements MachineRecords {
  readonly #mirror: Mirror;
  readonly #api: AgentApi;
  /** Starts that the controller has recorded: an older list of records may still arrive. */
  readonly #kept = new Map<string, { readonly nonce: string; readonly instanceId: string }>();
  #suspension: Suspension | undefined;

  constructor({ mirror, api }: { readonly mirror: Mirror; readonly api: AgentApi }) {
    this.#mirror = mirror;
    this.#api = api;
  }

  views(ids: readonly string[]): MachineView[] {
    return ids.flatMap((id) => this.#view(id) ?? []);
  }

  #view(id: string): MachineView | undefined {
    const record = this.#mirror.container(id);
    const kept = this.#kept.get(id);
    if (!kept || record?.nonce !== kept.nonce) {
      this.#kept.delete(id);
      return record;
    }
    return { instanceId: kept.instanceId, ...record };
  }
  all(): string[] {
    return this.#mirror.containers().map(({ id }) => id);
  }
  /**
   * Whether the instance may be assumed to run: never, as the agent gets no reports about running containers, and
   * listing them is cheap.
   */
  isPresent(): boolean {
    return false;
  }
  settings(): ReturnType<MachineRecords['settings']> {
    const { provisioning, restored } = this.#mirror.model()!;
    const { parallelMax, harvest } = provisioning;
    return {
      parallelMax,
      // Only this agent can stop its containers, so mode "unknown" includes those that still have a record.
      harvest: harvest === 'unknown' ? 'all' : harvest,
      othersStay: restored?.state === 'held',
    };
  }

  async prepare(ids: readonly string[], restarts: readonly string[]): Promise<Prepared[]> {
    const params = { containers: [...ids], restarts: [...restarts] };
    const { starts } = await this.#api.call('PrepareContainers', params);
    return starts.map(prepared);
  }

  started(starts: readonly Started[]): Promise<boolean[]> {
    return Promise.all(starts.map((start) => this.#started(start)));
  }

  async #started({ id, nonce, result: { instance, hardware } }: Started): Promise<boolean> {
    const { tags: _, zone: _zone, addresses, ...made } = instance;
    const { kept } = await this.#api.call('ContainerStarted', {
      container: id,
      nonce,
      instance: { ...made, addresses: addresses.map((address) => ({ ...address })) },
      hardware,
    });
    const record = this.#mirror.container(id);
    if (kept && record) {
      this.#kept.set(id, { nonce, instanceId: instance.id });
      this.#mirror.containerIs({ ...record, nonce, instanceId: instance.id });
    }
    return kept;
  }

  async failed(id: string, failure: StartFailure): Promise<void> {
    await this.#api.call('ContainerFailed', { container: id, ...failure });
    const record = this.#mirror.container(id);
    if (record && failure.next.kind === 'never') this.#mirror.containerIs({ ...record, failed: true });
  }

  suspension(): Suspension | undefined {
    return this.#suspension;
  }
  suspend(suspension: Suspension | undefined): Promise<void> {
    this.#suspension = suspension;
    return Promise.resolve();
  }

  async say(id: string, message: string): Promise<void> {
    await this.#api.call('ContainerStatus', { container: id, message });
  }

  async end(steps: readonly EndStep[], signal: AbortSignal): Promise<void> {
    if (steps.length === 0) return;
    const idsOf = (kind: EndStep['kind']): string[] =>
      steps.filter((step) => step.kind === kind).map(({ machineId }) => machineId);
    const forget = steps.flatMap((step) => {
      if (step.kind !== 'forget') return [];
      const { machineId: container, keptInstanceId: keptInstance } = step;
      return [{ container, ...defined({ keptInstance }) }];
    });
    await this.#api.call(
      'ContainersEnded',
      { kill: idsOf('kill'), renew: idsOf('renew'), forget },
      { signal },
    );
  }

  async unreleased(failures: readonly { readonly id: string; readonly message: string }[]): Promise<void> {
    await this.#api.call('ContainersUnreleased', {
      failures: failures.map(({ id, message }) => ({ container: id, message })),
    });
  }
}

function prepared(start: Start): Prepared {
  if ('failure' in start) {
    const { class: failure, message } = start.failure;
    return { id: start.container, kind: 'failed', error: new ProviderError(failure, message) };
  }
  const { container, nonce, isFirst, ran, existing, base, constraints, address, tags, agent } = start;
  return {
    id: container,
    kind: 'start',
    isFirst,
    ran,
    params: {
      machineId: container,
      nonce,
      ...defined({ existing: existing || undefined }),
      base,
      constraints,
      ...defined({ address }),
      tags,
      // The broker knows the path of the tools on this machine.
      agent: { ...agent, toolsDir: '' },
    },
  };
}
