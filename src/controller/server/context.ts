import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import type { Store } from '../../store/store.ts';
import type { LocalLogin } from '../macaroons/local-login.ts';
import type { DownloadSlots } from '../resources/download-slots.ts';
import type { PasswordCheck } from '../password-check.ts';
import type { Services } from '../services.ts';
import type { OfferMacaroons } from '../macaroons/offer-macaroons.ts';
import type { AgentLogins } from './agent-logins.ts';
import type { AnonymousConnections } from './anonymous-connections.ts';
import type { WatchersOfRelations } from './watchers-of-relations.ts';
import type { Appliers } from './appliers.ts';
import type { Audit } from './audit.ts';
import type { BootReports } from './boot-reports.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Newcomers } from './newcomers.ts';
import type { AgentPresence } from './presence.ts';
import type { FacadeRegistry } from './registry.ts';
import type { SecurityLog } from './security-log.ts';

/** State that all connections of a server share. */
export interface ServerContext {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly presence: AgentPresence;
  readonly facades: FacadeRegistry;
  readonly limits: Limits;
  readonly throttle: LoginThrottle;
  readonly security: SecurityLog;
  readonly agentLogins: AgentLogins;
  readonly downloadSlots: DownloadSlots;
  readonly newcomers: Newcomers;
  readonly anonymous: AnonymousConnections;
  readonly watchersOfRelations: WatchersOfRelations;
  readonly appliers: Appliers;
  readonly bootReports: BootReports;
  readonly passwords: PasswordCheck;
  readonly localLogin: LocalLogin;
  readonly offerMacaroons: OfferMacaroons;
  /** Audit log; absent = none is kept. */
  readonly audit?: Audit;
  /** Callback for each result that its schema does not allow; absent = results are not checked. */
  readonly onInvalidResult?: (failure: ValidationFailure) => void;
  /** Registers work that a stop waits for. */
  readonly track: (work: Promise<unknown>) => void;
}

export interface ValidationFailure {
  readonly facade: string;
  readonly version: number;
  readonly method: string;
  readonly message: string;
  readonly result: unknown;
}

export interface Limits {
  /** Maximum size of a request in bytes; a longer one is answered with an error. */
  readonly requestBytes: number;
  /** Maximum size of a message in bytes; a longer one ends the connection without being read. */
  readonly messageBytes: number;
  /** Maximum number of concurrent requests of one connection, waiting watchers included. */
  readonly concurrentRequests: number;
  /** Unsent bytes of one connection above which the server stops reading from it. */
  readonly bufferedBytesPause: number;
  /** Unsent bytes of one connection above which it is ended. */
  readonly bufferedBytesMax: number;
  readonly connections: number;
  /** Maximum number of connections without a login. */
  readonly newcomers: number;
  readonly newcomersOfAddress: number;
  /** Number of connections without a login that each address keeps when the maximum of all is reached. */
  readonly newcomersOfAddressWhenFull: number;
  /** Bytes that a connection without a login may send, once it speaks WebSocket. */
  readonly newcomerBytes: number;
  /** Number of connections of an address that have run no command. */
  readonly idleCommandSockets: number;
  /** Timeout of a TLS handshake in milliseconds. */
  readonly handshakeMs: number;
  readonly charmBytes: number;
  /** Maximum size of a resource's file. */
  readonly resourceBytes: number;
  /** Maximum size of a root file system's archive. */
  readonly imageBytes: number;
  /** Time of silence after which a machine agent counts as disconnected. */
  readonly silenceMs: number;
  /** Maximum age of a connection without a login. */
  readonly loginMs: number;
  /** Time after which a client that does not read its download is disconnected: anybody may begin one. */
  readonly stalledMs: number;
}

const MiB = 1024 * 1024;

export const defaultLimits: Limits = {
  requestBytes: limits.request.max,
  messageBytes: limits.message.max,
  concurrentRequests: limits.concurrentRequests.max,
  bufferedBytesPause: 4 * MiB,
  bufferedBytesMax: limits.unsentAnswers.max,
  connections: limits.connections.max,
  newcomers: limits.newcomers.max,
  newcomersOfAddress: limits.newcomersOfAddress.max,
  newcomersOfAddressWhenFull: limits.newcomersOfAddressWhenFull.max,
  newcomerBytes: limits.newcomerBytes.max,
  idleCommandSockets: limits.idleCommandSockets.max,
  handshakeMs: limits.handshakeTime.max * 1000,
  charmBytes: limits.charmArchive.max,
  resourceBytes: limits.resourceFile.max,
  imageBytes: limits.rootImage.max,
  silenceMs: 180_000,
  loginMs: limits.loginTime.max * 1000,
  stalledMs: 120_000,
};
