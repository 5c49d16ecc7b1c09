/**
 * What the controller's process has, beside its store: made in main/controller/serve.ts, used by facades and workers.
 */
import type { FilesReport } from '../store/files/report-files.ts';
import type { KeyObject } from 'node:crypto';
import type { CredentialDoc } from '../core/credential/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { Clock, NextTurn } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { TurnWatch } from '../kit/turn-watch.ts';
import type { Environ, Provider } from '../providers/contract/provider.ts';
import type { BlobStore } from '../store/blobs.ts';
import type { LogStore } from '../store/logs.ts';
import type { Reader } from '../store/store.ts';
import type { AgentBundles } from './agent-bundles.ts';
import type { Sealer } from './sealer.ts';
import type { Dispatch } from './watchers/dispatch.ts';

export interface Services {
  readonly clock: Clock;
  /** For long work, to let others have the event loop. */
  readonly nextTurn: NextTurn;
  /** Charges work with the event loop's time that it takes. */
  readonly turns: TurnWatch;
  readonly log: Log;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Charm archives by SHA-256. */
  readonly blobs: BlobStore;
  /** What debug-log shows. */
  readonly logs: LogStore;
  readonly presence: Presence;
  /** Who wants to hear of which documents. */
  readonly dispatch: Dispatch;
  readonly providers: ReadonlyMap<string, Provider>;
  /** The environment of a model; opened once, again when its configuration changed. Errors: `not found`. */
  environ(model: string, reader: Reader<Entities>): Environ;
  /** Asks the model's cloud something with this credential, as it would be stored. Errors: ProviderError. */
  tryCredential(model: string, credential: CredentialDoc, signal: AbortSignal): Promise<void>;
  /** `host:port` of this controller, the most useful first. */
  readonly addresses: readonly string[];
  /** Those that the agents of a model's machines reach. */
  agentAddresses(model: string): Promise<readonly string[]>;
  /** Secret of this controller from which agents' first passwords are made. */
  readonly agentKey: KeyObject;
  /** The Juju version that clients are told: 3.6.28. */
  readonly version: string;
  readonly caCert: string;
  /** What machines elsewhere download. */
  readonly bundles: AgentBundles;
  /** For what is being uploaded: what a process that was killed left there is removed at the next start. */
  readonly uploadsDir: string;
  /** What the files beside the store take. */
  readonly reportFiles: () => Promise<FilesReport>;
  /** For secrets in documents. */
  readonly sealer: Sealer;
  /** Folder that machines see as their tools (AgentDelivery.toolsDir). */
  readonly toolsDir: string;
}

/** Which machine agents have a connection. */
export interface Presence {
  isPresent(model: string, machine: string): boolean;
  /** RFC 3339: when it went, at the latest; undefined while it is connected. */
  absentSince(model: string, machine: string): string | undefined;
  /** RFC 3339: when it was heard last, if only by a ping; undefined without a connection. */
  heardAt(model: string, machine: string): string | undefined;
  /** Called with (model, machine) when one comes or goes. Returns what ends it. */
  watch(onChange: (model: string, machine: string) => void): () => void;
}
