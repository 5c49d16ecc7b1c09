/**
 * Who keeps the machines' records, as a provisioner sees them: in the controller its store (compute machines), in a
 * machine's agent its mirror and its calls (the containers on it). The loop and the starts are the same code for both.
 */
import type { NextStart } from '../core/machine/after-failure.ts';
import type { FailureClass } from '../core/machine/failure.ts';
import type { HarvestMode, MachineView } from '../core/machine/plan-provisioning.ts';
import type { Environ, ProviderError, StartParams, StartResult } from '../providers/contract/provider.ts';

/** What makes the instances: an Environ, or a ContainerBroker. */
export interface Broker {
  readonly instances: Pick<Environ['instances'], 'start' | 'stop' | 'list' | 'get'>;
  readonly startGroup?: NonNullable<Environ['startGroup']>;
  /** Before the first list. */
  create?(signal: AbortSignal): Promise<void>;
}

export interface MachineRecords {
  /** Of those that this provisioner is responsible for; ids that are gone, or are another's, are left out. */
  views(ids: readonly string[]): readonly MachineView[];
  /** All ids that it is responsible for. */
  all(): readonly string[];
  /** Whether the machine's agent has a connection. */
  isPresent(id: string): boolean;
  settings(): {
    /** Requests to the provider under way at a time. */
    readonly parallelMax: number;
    readonly harvest: HarvestMode;
  };
  /** Fetches what starts have to know of the cloud (its zones). Rejects: so have those failed that were to begin. */
  ready?(signal: AbortSignal): Promise<void>;
  /**
   * The intent of each, durable before the provider is called: nonce, password, zone. Those that are not to be started
   * (any more) are left out. Asked again after a crash, or a failure that is not sure to have made nothing, it gives
   * the same nonce.
   */
  prepare(ids: readonly string[]): Promise<readonly Prepared[]>;
  /**
   * What came of one request, recorded together. Of each, false: the record went, or has another nonce: the instance
   * must be stopped.
   */
  started(starts: readonly Started[]): Promise<readonly boolean[]>;
  /** Makes what went wrong, and what comes next, visible in the machine's status. */
  failed(id: string, failure: StartFailure): Promise<void>;
  /** What was said last to `suspend`, before a crash too. */
  suspension(): Suspension | undefined;
  /** Starts are suspended for all machines, or go on. Said once, of the model, not of each machine. */
  suspend(suspension: Suspension | undefined): Promise<void>;
  /** What a start is doing now. */
  say(id: string, message: string): Promise<void>;
  /**
   * Dead machines whose instances are released: their records go. Dying ones that no agent will report for: dead. Those
   * that have lost what their agents came on: as if never started.
   */
  end(steps: readonly EndStep[], signal: AbortSignal): Promise<void>;
  /** A dead machine's instance could not be stopped. */
  unreleased(failures: readonly { readonly id: string; readonly message: string }[]): Promise<void>;
}

export type EndStep =
  | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
  | { readonly kind: 'kill' | 'renew'; readonly machineId: string };

export type Prepared = {
  readonly id: string;
  /** What the failure of this start has to be weighed with; absent where there are no zones. */
  readonly zones?: { readonly usable: readonly string[]; readonly failed: readonly string[] };
} & (
  | {
      readonly kind: 'start';
      /** `progress` is the starter's. */
      readonly params: Omit<StartParams, 'progress'>;
      /** No start with this nonce was tried before: when this one is refused, there is no instance of it. */
      readonly isFirst: boolean;
      /** Its instance is recorded, and has crashed. */
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
  /** The provider's words. */
  readonly message: string;
  /** From 1. */
  readonly attempt: number;
  readonly next: NextStart;
  /** RFC 3339; with `later`. */
  readonly at?: string;
  /** No instance was made with the nonce, for sure: the record need not remember it. */
  readonly leftNothing: boolean;
}

export interface Suspension {
  readonly class: 'quota' | 'credential';
  /** The provider's words. */
  readonly message: string;
  /** RFC 3339: when one machine is tried again to see whether it is repaired. */
  readonly at: string;
}
