/**
 * Services of the controller's process besides its store: created in main/controller/serve.ts, used by facades and
 * workers.
 */
import type { FilesReport } from '../store/files/report-files.ts';
import type { KeyObject } from 'node:crypto';
import type { CredentialDoc } from '../core/credential/document.ts';
import type { Entities } from '../core/kinds.ts';
import type { ModelDoc } from '../core/model/document.ts';
import type { Clock, NextTurn } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { RandomBytes } from '../kit/secretbox.ts';
import type { TurnWatch } from '../kit/turn-watch.ts';
import type { Environ, Provider } from '../providers/contract/provider.ts';
import type { BlobStore } from '../store/blobs.ts';
import type { LogStore } from '../store/logs.ts';
import type { Reader } from '../store/store.ts';
import type { AgentBundles } from './agent-bundles.ts';
import type { Backups } from './backups/backups.ts';
import type { Forecasts } from './forecasts/forecasts.ts';
import type { OtherControllers } from './other-controllers.ts';
import type { Programs } from './programs.ts';
import type { ResourceDownloads } from './resources/downloads.ts';
import type { Sealer } from './sealer.ts';
import type { ExternalBackends } from './secret-backends/backends.ts';
import type { SecretContents } from './secret-contents.ts';
import type { Dispatch } from './watchers/dispatch.ts';
import type { OfferingModel } from './offering-model.ts';
import type { ArrivingContents } from './migration/arriving-files.ts';
import type { TextPieces } from './migration/pieces.ts';
import type { Trials } from './migration/trials.ts';

export interface Services {
  readonly clock: Clock;
  /** Yields the event loop during long work. */
  readonly nextTurn: NextTurn;
  /** Measures the time that work takes in the event loop, by name of the work. */
  readonly turns: TurnWatch;
  readonly log: Log;
  /** Random number, 0 ≤ x < 1. */
  readonly random: () => number;
  /** Bytes that nobody can guess; absent = the operating system's. */
  readonly randomBytes?: RandomBytes;
  /** Charm archives and contents of resources, by SHA-256. */
  readonly blobs: BlobStore;
  /** Log records that debug-log shows. */
  readonly logs: LogStore;
  readonly presence: Presence;
  /** Subscriptions to documents. */
  readonly dispatch: Dispatch;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Environment of a model; opened once, and again when its configuration changed. Errors: `not found`. */
  environ(model: string, reader: Reader<Entities>): Environ;
  /** Environment of a model that is not here yet. Errors: `not found`. */
  environOf(model: ModelDoc, credential: CredentialDoc | undefined): Environ;
  /** Tries the credential, in its stored form, with a request to the model's cloud. Errors: ProviderError. */
  tryCredential(model: string, credential: CredentialDoc, signal: AbortSignal): Promise<void>;
  /** Addresses of this controller as `host:port`, the most useful first. */
  readonly addresses: readonly string[];
  /** Addresses of this controller that the agents of a model's machines reach. */
  agentAddresses(model: string): Promise<readonly string[]>;
  /** Secret of this controller from which agents' first passwords are derived. */
  readonly agentKey: KeyObject;
  /** Juju version that clients are told: 3.6.28. */
  readonly version: string;
  readonly caCert: string;
  /** Build of the agent's program that this controller has, SHA-256 in hex; absent = agents keep what they have. */
  readonly agentBuild?: string;
  /** Agent bundles that machines elsewhere download. */
  readonly bundles: AgentBundles;
  /** Downloads of resources by units. */
  readonly downloads: ResourceDownloads;
  /** Folder for uploads in progress: files left by a killed process are removed at the next start. */
  readonly uploadsDir: string;
  /** Reports the sizes of the files beside the store. */
  readonly reportFiles: () => Promise<FilesReport>;
  /** Backups of the controller; absent for one without files. */
  readonly backups?: Backups;
  /** Programs of the controller; absent for one that cannot be given any. */
  readonly programs?: Programs;
  /** Forecasts of models; absent for a controller that cannot make any. */
  readonly forecasts?: Forecasts;
  /** Encrypts secrets in documents. */
  readonly sealer: Sealer;
  /** Secret backends elsewhere. */
  readonly secretBackends: ExternalBackends;
  /** Other controllers, whose offers models have consumed. */
  readonly elsewhere: OtherControllers;
  /** Contents of charms' and users' secrets. */
  readonly secretContents: SecretContents;
  /** Reports of agents of models that are being migrated. */
  readonly trials: Trials;
  /** Texts of models that arrive, while they are not complete. */
  readonly arrivingTexts: TextPieces;
  /** Contents of models that arrive, while they are not complete. */
  readonly arrivingContents: ArrivingContents;
  /** Wraps the offering model that a consuming model talks to, as a network between them would; absent = nothing. */
  readonly between?: (model: OfferingModel) => OfferingModel;
  /** Folder that machines see as their tools (AgentDelivery.toolsDir). */
  readonly toolsDir: string;
}

/** Connections of machine agents. */
export interface Presence {
  isPresent(model: string, machine: string): boolean;
  /** Latest time (RFC 3339) at which the agent disconnected; undefined while it is connected. */
  absentSince(model: string, machine: string): string | undefined;
  /** Whether the agent may just not have come back yet: the controller has started less than a minute ago. */
  isAwaited(model: string, machine: string): boolean;
  /** Time (RFC 3339) at which the agent was heard last, if only by a ping; undefined without a connection. */
  heardAt(model: string, machine: string): string | undefined;
  /** Calls back with (model, machine) when an agent connects or disconnects. Returns a function that ends it. */
  watch(onChange: (model: string, machine: string) => void): () => void;
}
