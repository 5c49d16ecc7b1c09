/**
 * Who keeps the machines' records, as a provisioner sees them: in the controller its store (compute machines), in a
 * machine's agent its mirror and its calls (the containers on it). The loop and the starts are the same code for both.
 */
import type { FailureClass } from '../core/machine/failure.ts';
import type { MachineView } from '../core/machine/plan-provisioning.ts';
import type { StartParams, StartResult } from '../providers/provider.ts';

export interface MachineRecords {
  /** Of those that this provisioner is responsible for; ids that are gone, or are another's, are left out. */
  views(ids: readonly string[]): readonly MachineView[];
  /** All ids that it is responsible for. */
  all(): readonly string[];
  /** Instances left running by remove-machine --keep-instance: nobody's strays. */
  kept(): ReadonlySet<string>;
  /** Whether the machine's agent has a connection. */
  isPresent(id: string): boolean;
  readonly settings: () => {
    /** Starts under way at a time. */
    readonly parallelMax: number;
    /** False: what dead machines ran on is left running (provisioner-harvest-mode without `destroyed`). */
    readonly stopsDestroyed: boolean;
  };
  /**
   * The intent, durable before the provider is called: nonce, password, zone. Undefined: it is not to be started (any
   * more). Asked again after a crash or failure it gives the same nonce.
   */
  prepare(id: string): Promise<StartParams | undefined>;
  /** False: the record went, or has another nonce: the instance must be stopped. */
  started(id: string, nonce: string, result: StartResult): Promise<boolean>;
  /** Makes what went wrong, and what comes next, visible in the machine's status (or the model's). */
  failed(id: string, failure: StartFailure): Promise<void>;
  /** Starts are suspended (`waiting`) for all machines, or go on. Said once, not for each machine. */
  suspended(suspension: Suspension | undefined): Promise<void>;
  /** What a start is doing now. */
  say(id: string, message: string): Promise<void>;
  /** Dead machines whose instances are released: their records go. Dying ones that no agent will report for: dead. */
  end(
    steps: readonly (
      | { readonly kind: 'forget'; readonly machineId: string; readonly keptInstanceId?: string }
      | { readonly kind: 'kill'; readonly machineId: string }
    )[],
    signal: AbortSignal,
  ): Promise<void>;
  /** A dead machine's instance could not be stopped. */
  unreleased(id: string, message: string): Promise<void>;
}

export interface StartFailure {
  readonly class: FailureClass;
  /** The provider's words. */
  readonly message: string;
  /** From 1. */
  readonly attempt: number;
  readonly next:
    /** Another zone, or the same again, at once. */
    | { readonly kind: 'again'; readonly failedZone?: string }
    /** `at`: RFC 3339. All zones may be tried anew. */
    | { readonly kind: 'later'; readonly at: string }
    /** With all others, until what the class says is repaired. */
    | { readonly kind: 'suspended' }
    /** Until somebody repairs it: retry-provisioning, resolved. */
    | { readonly kind: 'never' };
}

export interface Suspension {
  readonly class: 'quota' | 'credential';
  readonly message: string;
  /** RFC 3339: when one machine is tried again to see whether it is repaired. */
  readonly at: string;
}
