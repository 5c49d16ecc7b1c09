/**
 * Starts machines' instances. The intent (nonce and password hash) is durable before the provider is called, and a
 * start repeated with the same nonce gives the instance that is there: a crash in between doubles nothing.
 */
import { createHmac } from 'node:crypto';
import type { Entities, MachineDoc } from '../../core/entities.ts';
import type { Log } from '../../kit/log.ts';
import { backoffMs, type Backoff } from '../../kit/retry.ts';
import {
  ProviderError,
  tagKeys,
  type Environ,
  type Instance,
  type StartParams,
  type StartResult,
} from '../../providers/provider.ts';
import type { Store } from '../../store/store.ts';
import { renderAgentConf } from '../../wire/agent-conf.ts';
import { hashSecret } from '../passwords.ts';
import type { Services } from '../services.ts';
import { setStatus } from '../transactions/tx.ts';

const by = 'provisioner';
const retryStart: Backoff = { firstMs: 2_000, maxMs: 120_000, factor: 2, jitter: 0.3 };
const startAttemptsMax = 10;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly modelUuid: string;
  readonly log: Log;
  /** A start is over, well or not. */
  readonly onEnd: (machine: string) => void;
}
interface Where {
  readonly environ: Environ;
  readonly parallelMax: number;
  readonly signal: AbortSignal;
}

export class MachineStarter {
  readonly #needs: Needs;
  /** In the order asked for. */
  readonly #wanted = new Set<string>();
  readonly #busy = new Set<string>();
  /** Failed attempts of machines that are tried again; what a crash loses is tried at once. */
  readonly #failures = new Map<string, { readonly count: number; readonly waits: boolean }>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Machines with a start under way. */
  get busy(): ReadonlySet<string> {
    return this.#busy;
  }

  want(machine: string): void {
    if (!this.#busy.has(machine)) this.#wanted.add(machine);
  }

  /** Begins as many starts as may run at once; what waits after a failure is left until its time. */
  pump(where: Where): void {
    for (const id of this.#wanted) {
      if (this.#busy.size >= where.parallelMax) return;
      this.#wanted.delete(id);
      if (this.#failures.get(id)?.waits) continue;
      this.#busy.add(id);
      void this.#start(where, id).finally(() => {
        this.#busy.delete(id);
        this.#needs.onEnd(id);
      });
    }
  }

  async #start({ environ, signal }: Where, id: string): Promise<void> {
    const { log } = this.#needs;
    try {
      const params = await this.#prepare(id);
      if (!params) return;
      const result = await environ.instances.start(params, signal);
      await this.#record(environ, params, result);
      this.#failures.delete(id);
      log.info('machine started', { machine: id, instance: result.instance.id });
    } catch (error) {
      if (!signal.aborted) await this.#failed(id, error, signal);
    }
  }

  async #prepare(id: string): Promise<StartParams | undefined> {
    const { store, services, modelUuid } = this.#needs;
    const intent = await store.change((tx) => {
      const space = tx.in(modelUuid);
      const machine = space.get('machine', id);
      if (!machine || !mayStart(machine)) return undefined;
      const nonce = machine.nonce ?? `machine-0:${tx.newUuid()}`;
      const password = this.#password(nonce);
      space.put('machine', id, { ...machine, nonce, passwordHash: hashSecret(password) });
      setStatus(space, 'instance', id, 'allocating', 'starting');
      return { machine, nonce, password };
    }, by);
    if (!intent) return undefined;
    const { machine, nonce, password } = intent;
    const controller = store.read().get('controller', 'self')!;
    return {
      machineId: id,
      nonce,
      base: machine.base,
      constraints: machine.constraints,
      ...(machine.placement ? { placement: machine.placement.directive } : {}),
      tags: {
        [tagKeys.model]: modelUuid,
        [tagKeys.controller]: controller.uuid,
        [tagKeys.machine]: id,
        [tagKeys.nonce]: nonce,
      },
      agent: {
        toolsDir: services.toolsDir,
        dataDir: '/var/lib/juju',
        version: services.version,
        agentConf: renderAgentConf({
          tag: `machine-${id.replaceAll('/', '-')}`,
          controller: controller.uuid,
          model: modelUuid,
          apiAddresses: await services.agentAddresses(modelUuid),
          caCert: services.caCert,
          apiPassword: password,
          nonce,
          upgradedToVersion: services.version,
        }),
      },
      progress: (message) => void this.#say(id, message),
    };
  }

  /** Made from the nonce, so that a start repeated after a crash gives the agent the same one. */
  #password(nonce: string): string {
    const { agentKey } = this.#needs.services;
    return createHmac('sha256', agentKey).update(nonce).digest().subarray(0, 24).toString('base64url');
  }

  async #record(environ: Environ, params: StartParams, { instance, hardware }: StartResult): Promise<void> {
    const { store, modelUuid } = this.#needs;
    const { machineId: id, nonce } = params;
    const kept = await store.change((tx) => {
      const space = tx.in(modelUuid);
      const machine = space.get('machine', id);
      if (!machine || machine.nonce !== nonce) return false;
      const { displayName, isolation, addresses } = instance;
      space.put('machine', id, {
        ...machine,
        instance: { id: instance.id, displayName, hardware, isolation },
        addresses,
        hostname: machine.hostname || displayName,
      });
      setStatus(space, 'instance', id, instance.status, sentence(instance));
      setStatus(space, 'modification', id, 'applied');
      return true;
    }, by);
    // The record went while the instance was being made: the instance must not stay behind.
    if (!kept) await environ.instances.stop([instance.id], new AbortController().signal);
  }

  async #failed(id: string, error: unknown, signal: AbortSignal): Promise<void> {
    const { store, services, modelUuid, log, onEnd } = this.#needs;
    const { clock, random } = services;
    const message = error instanceof Error ? error.message : String(error);
    const count = (this.#failures.get(id)?.count ?? 0) + 1;
    log.warning('cannot start machine', { machine: id, attempt: count, error });
    const delay = isFinal(error, count) ? undefined : backoffMs(retryStart, count - 1, random);
    if (delay === undefined) this.#failures.delete(id);
    else {
      // Its end is the timer's, not an instant: the clock may be set back.
      this.#failures.set(id, { count, waits: true });
      void clock.sleep(delay, signal).then(
        () => {
          if (this.#failures.get(id)?.waits) this.#failures.set(id, { count, waits: false });
          onEnd(id);
        },
        () => undefined,
      );
    }
    const tell = store.change((tx) => {
      const space = tx.in(modelUuid);
      if (!space.get('machine', id)) return;
      if (delay === undefined) {
        setStatus(space, 'instance', id, 'provisioning error', message);
        setStatus(space, 'machine-agent', id, 'error', message);
      } else {
        const at = new Date(clock.now() + delay).toISOString().slice(11, 19);
        setStatus(space, 'instance', id, 'allocating', `attempt ${count} failed, next at ${at}Z: ${message}`);
      }
    }, by);
    // Then it is tried again at once.
    await tell.catch((cause: unknown) =>
      log.error('cannot tell that a start failed', { machine: id, error: cause }),
    );
  }

  async #say(id: string, message: string): Promise<void> {
    const { store, modelUuid, log } = this.#needs;
    await store
      .change((tx) => {
        const space = tx.in(modelUuid);
        const machine = space.get('machine', id);
        if (machine && !machine.instance) setStatus(space, 'instance', id, 'allocating', message);
      }, by)
      .catch((error: unknown) => log.warning('cannot tell the progress of a start', { machine: id, error }));
  }
}

function isFinal(error: unknown, count: number): boolean {
  if (count >= startAttemptsMax) return true;
  // What only our own side could not do, such as storing the outcome, may pass.
  return error instanceof ProviderError && (error.class === 'bad request' || error.class === 'credential');
}

/** A dying machine whose units wait for an agent gets back the instance that it had when something crashed. */
function mayStart(machine: MachineDoc): boolean {
  return machine.life === 'alive' || (machine.life === 'dying' && machine.nonce !== undefined);
}

function sentence({ message, status }: Instance): string {
  const text = message || status;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
