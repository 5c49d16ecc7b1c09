import type { SecureContext } from 'node:tls';
import type { Clock } from '../kit/clock.ts';

/** Connection to a controller: one WebSocket with Juju's framing (wire.md#frames). Agents and the CLI use it. */
export interface Connection {
  /**
   * Makes one call. Errors: JujuError with the wire's code, or `try again` when the connection is lost. `version`
   * defaults to the best one that the login announced.
   */
  call<R = unknown>(
    facade: string,
    method: string,
    params?: unknown,
    options?: { version?: number; id?: string; signal?: AbortSignal },
  ): Promise<R>;
  readonly login: LoginResult;
  /** Promise that resolves with the reason when the connection is gone. */
  readonly closed: Promise<Error>;
  close(): Promise<void>;
}

export interface LoginResult {
  /** Reason why the controller cannot store changes, if it cannot. Juju's login result has no such member. */
  readonly problem?: string;
  readonly controllerTag: string;
  readonly modelTag: string;
  readonly serverVersion: string;
  readonly servers: readonly string[];
  readonly user?: {
    readonly identity: string;
    readonly controllerAccess: string;
    readonly modelAccess: string;
  };
  readonly facades: ReadonlyMap<string, readonly number[]>;
}

export interface Credentials {
  readonly tag: string;
  readonly password: string;
  /** Nonce of a machine. */
  readonly nonce?: string;
  /** Slices of macaroons, in JSON, for a user without a password. */
  readonly macaroons?: readonly (readonly unknown[])[];
}

export interface ConnectOptions {
  /** Addresses as `host:port`, tried in order. */
  readonly addresses: readonly string[];
  /** CA certificate in PEM; the server's certificate must carry the name `juju-apiserver`. */
  readonly caCert: string;
  /** UUID of the model; absent for a connection to the controller itself. */
  readonly modelUuid?: string;
  readonly login: Credentials;
  readonly signal?: AbortSignal;
  /** Command line, for the controller's audit log. */
  readonly cliArgs?: string;
  /** TLS context made once from `caCert` (pinnedContext), for processes that open many connections. */
  readonly secureContext?: SecureContext;
  /** Maximum size of an answer in bytes; default: more than any answer of a controller that is trusted. */
  readonly answerMax?: number;
  /** Clock that times the pings; default: the system clock. */
  readonly clock?: Clock;
}
