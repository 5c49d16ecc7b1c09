import type { SecureContext } from 'node:tls';
import type { Clock } from '../kit/clock.ts';

/** A connection to a controller: one WebSocket with Juju's framing (wire.md#frames). Used by agents and the CLI. */
export interface Connection {
  /**
   * One call. Rejects with JujuError carrying the wire's code; with code 'try again' when the connection is lost.
   * `version` is chosen from what the login announced unless given.
   */
  call<R = unknown>(
    facade: string,
    method: string,
    params?: unknown,
    options?: { version?: number; id?: string; signal?: AbortSignal },
  ): Promise<R>;
  readonly login: LoginResult;
  /** Resolves when the connection is gone, with the reason. */
  readonly closed: Promise<Error>;
  close(): Promise<void>;
}

export interface LoginResult {
  /** Why the controller stores no changes, when it does not: ours, no Juju says it. */
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

export interface ConnectOptions {
  /** `host:port`, tried in order. */
  readonly addresses: readonly string[];
  /** PEM; the name checked is `juju-apiserver`. */
  readonly caCert: string;
  /** Absent = a controller connection. */
  readonly modelUuid?: string;
  readonly login: { readonly tag: string; readonly password: string; readonly nonce?: string };
  readonly signal?: AbortSignal;
  /** The command line, for the controller's audit log. */
  readonly cliArgs?: string;
  /** Made once from `caCert` (pinnedContext) where one process opens many connections. */
  readonly secureContext?: SecureContext;
  /** For the pings; the system's unless given. */
  readonly clock?: Clock;
}
