import type { Entities } from '../../core/kinds.ts';
import { limits } from '../../core/limits.ts';
import type { Store } from '../../store/store.ts';
import type { PasswordCheck } from '../password-check.ts';
import type { Services } from '../services.ts';
import type { BootReports } from './boot-reports.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { Newcomers } from './newcomers.ts';
import type { AgentPresence } from './presence.ts';
import type { FacadeRegistry } from './registry.ts';

/** What every connection of a server shares. */
export interface ServerContext {
  readonly store: Store<Entities>;
  readonly services: Services;
  readonly presence: AgentPresence;
  readonly facades: FacadeRegistry;
  readonly limits: Limits;
  readonly throttle: LoginThrottle;
  readonly failedLogins: FailedLogins;
  readonly newcomers: Newcomers;
  readonly bootReports: BootReports;
  readonly passwords: PasswordCheck;
  /** Absent = results are not checked. Called with each result that its schema does not allow. */
  readonly onInvalidResult?: (failure: ValidationFailure) => void;
  /** Work that a stop waits for. */
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
  /** A longer request is answered with an error. */
  readonly requestBytes: number;
  /** A longer message ends the connection: it is not even read. */
  readonly messageBytes: number;
  /** Requests of one connection that run at a time, waiting watchers included. */
  readonly concurrentRequests: number;
  /** Unsent bytes of one connection above which we stop reading from it. */
  readonly bufferedBytesPause: number;
  /** Unsent bytes above which the connection is ended. */
  readonly bufferedBytesMax: number;
  readonly connections: number;
  /** Connections without a login. */
  readonly newcomers: number;
  readonly newcomersOfAddress: number;
  /** When there are as many newcomers as there may be: the others leave each address so much. */
  readonly newcomersOfAddressWhenFull: number;
  /** What a connection on which nobody has logged in may send, once it speaks WebSocket. */
  readonly newcomerBytes: number;
  /** How long a TLS handshake may take. */
  readonly handshakeMs: number;
  readonly charmBytes: number;
  /** Of the archive of a root file system. */
  readonly imageBytes: number;
  /** A machine agent that is silent for longer is taken for gone. */
  readonly silenceMs: number;
  /** How long a connection may be there without a login. */
  readonly loginMs: number;
  /** Who takes nothing of a download for so long is hung up on: anybody may begin one. */
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
  handshakeMs: limits.handshakeTime.max * 1000,
  charmBytes: limits.charmArchive.max,
  imageBytes: limits.rootImage.max,
  silenceMs: 180_000,
  loginMs: limits.loginTime.max * 1000,
  stalledMs: 120_000,
};
