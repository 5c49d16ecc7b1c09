/** LXD's REST API as the provider uses it (https://documentation.ubuntu.com/lxd/en/latest/rest-api/). */

/**
 * How a request failed: LXD refused it (`answer`), took it and failed later (`operation`), let nobody in who asks like
 * this (`access`: another certificate than expected, a socket without permission), or was not heard (`none`: refused,
 * cut, timed out, restarted).
 */
export type LxdFailure = 'answer' | 'operation' | 'access' | 'none';

/** What LXD said, or did not say, of a request. `status` 0: no answer. */
export class LxdError extends Error {
  override readonly name = 'LxdError';
  /** HTTP status, or the error code within LXD's answer; of a failed operation 400 whatever it was. */
  readonly status: number;
  readonly failure: LxdFailure;
  constructor(status: number, message: string, options: ErrorOptions & { failure?: LxdFailure } = {}) {
    super(message, options);
    this.status = status;
    this.failure = options.failure ?? (status === 0 ? 'none' : 'answer');
  }
}

export interface LxdRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** `/1.0/instances/x`; the project is added, where one is set and the path is of a project. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of what was read: the change is refused (412) when it is another one meanwhile. */
  readonly etag?: string;
  /**
   * What begins it is not cut by the signal, only the waiting for what was begun: so it is known whether it was.
   */
  readonly uncut?: boolean;
  /** Hears how far a download or an unpacking is, in LXD's words. */
  readonly progress?: (message: string) => void;
}

export interface LxdClient {
  /**
   * `metadata` of a sync answer; of an async one the operation's, when it has succeeded. Aborted, the operation is
   * cancelled where it can be. Errors: LxdError.
   */
  request<T>(request: LxdRequest, signal: AbortSignal): Promise<T>;
  /** As request with GET; and the etag for a change of what was read. */
  read<T>(path: string, signal: AbortSignal): Promise<{ readonly value: T; readonly etag: string }>;
  /** Undefined instead of 404. */
  find<T>(path: string, signal: AbortSignal): Promise<T | undefined>;
  /** Writes a file in an instance, which need not run, and the folders that it lacks; owner root. */
  putFile(
    instance: string,
    path: string,
    content: string,
    options: { readonly mode: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Runs a program in an instance and waits for it. Of each of its outputs the last 64 KiB are kept. */
  exec(
    instance: string,
    argv: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}
