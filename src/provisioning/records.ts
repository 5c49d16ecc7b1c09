/**
 * Storage of machine records as a provisioner sees it: the store in the controller (machines), the mirror and API calls
 * in a machine's agent (containers on it). Provisioner and starter are the same for both.
 */
import type { NextStart } from '../core/machine/after-failure.ts';
import type { FailureClass } from '../core/machine/failure.ts';
import type { HarvestMode, MachineView } from '../core/machine/plan-provisioning.ts';
import type { Environ, ProviderError, StartParams, StartResult } from '../providers/contract/provider.ts';

/** Creator of instances: an Environ or a ContainerBroker. */
export interface Broker {
  readonly instances: Pick<Environ['instances'], 'start' | 'stop' | 'list' | 'get'>;
  readonly startGroup?: NonNullable<Environ['startGroup']>;
  /** Prepares the model before the first list. */
  create?(signal: AbortSignal): Promise<void>;
}

export interface MachineRecords {
  /** Returns machines that this provisioner is responsible for; missing ids and those of others are omitted. */
  views(ids: readonly string[]): readonly MachineView[];
  /** Returns the ids of all machines that this provisioner is responsible for. */
  all(): readonly string[];
  /** Tells whether the machine's agent is connected. */
  isPresent(id: string): boolean;
  settings(): {
    /** Maximum number of concurrent requests to the provider. */
    readonly parallelMax: number;
    readonly harvest: HarvestMode;
    /** As othersStay of planProvisioning. */
    readonly othersStay: boolean;
  };
  /**
   * Fetches the facts about the cloud that starts need (its zones). A rejection fails the starts that were about to
   * begin.
   */
  ready?(signal: AbortSignal): Promise<void>;
  /**
   * Makes the intent of each start durable before the provider is called: nonce, password, zone. Machines that are not
   * to be started (any more) are omitted. Repeated calls, after a crash or a failure that may have created an instance,
   * return the same nonce. `restarts`: those whose recorded instance is started again.
   */
  prepare(ids: readonly string[], restarts: readonly string[]): Promise<readonly Prepared[]>;
  /**
   * Records the results of one request in one change. Returns false for a start whose record was removed or has another
   * nonce: its instance must be stopped.
   */
  started(starts: readonly Started[]): Promise<readonly boolean[]>;
  /** Shows a failure, and what follows it, in the machine's status. */
  failed(id: string, failure: StartFailure): Promise<void>;
  /** Returns the last value given to `suspend`, also from before a crash. */
  suspension(): Suspension | undefined;
  /**
   * Records that starts of all machines are suspended, or resume. Reported once for the model instead of for each
   * machine.
   */
  suspend(suspension: Suspension | undefined): Promise<void>;
  /** Reports the current step of a start. */
  say(id: string, message: string): Promise<void>;
  /**
   * Removes the records of dead machines whose instances are released; makes dying machines dead that no agent will
   * report for; resets machines that lost the instance of their agent, as if they had never started.
   */
  end(steps: readonly EndStep[], signal: AbortSignal): Promise<void>;
  /** Reports that the instances of dead machines could not be stopped. */
  unreleased(failures: readonly { readonly id: string; readonly message: string }[]): Promise<void>;
}

export type EndStep =
  | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
  | { readonly kind: 'kill' | 'renew'; readonly machineId: string };

export type Prepared = {
  readonly id: string;
  /** Zones for judging a failure of this start; absent where there are no zones. */
  readonly zones?: { readonly usable: readonly string[]; readonly failed: readonly string[] };
} & (
  | {
      readonly kind: 'start';
      /** Parameters of the start; the starter adds `progress`. */
      readonly params: Omit<StartParams, 'progress'>;
      /** True when no start with this nonce was tried before: a refusal then means that there is no instance. */
      readonly isFirst: boolean;
      /** True when the instance is recorded and has crashed. */
      readonly ran: boolean;
    }
  | /** It cannot even be asked for. */ { readonly kind: 'failed'; readonly error: ProviderError }
);

export interface Started {
  readonly id: string;
  readonly nonce: string;
  readonly result: StartResult;
}

export interface StartFailure {
  readonly class: FailureClass;
  /** Message of the provider. */
  readonly message: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly next: NextStart;
  /** Time of the next attempt, RFC 3339; present for `later`. */
  readonly at?: string;
  /** True when certainly no instance exists with the nonce, so the record may drop it. */
  readonly leftNothing: boolean;
}

export interface Suspension {
  readonly class: 'quota' | 'credential';
  /** Message of the provider. */
  readonly message: string;
  /** Time of the next probe, RFC 3339. */
  readonly at: string;
}
