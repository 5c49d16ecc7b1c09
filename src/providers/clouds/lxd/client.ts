/** LXD's REST API as the provider uses it (https://documentation.ubuntu.com/lxd/en/latest/rest-api/). */

/**
 * Kind of a failed request: LXD refused it (`answer`); accepted it and failed later (`operation`); the connection was
 * not permitted (`access`: an unexpected certificate, a socket without permission); or there was no answer (`none`:
 * connection refused or broken, timeout, restart).
 */
type LxdFailure = 'answer' | 'operation' | 'access' | 'none';

/** Failure of a request to LXD. `status` 0: no answer. */
export class LxdError extends Error {
  override readonly name = 'LxdError';
  /** HTTP status, or the error code in LXD's answer; always 400 for a failed operation. */
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
  /** Path like `/1.0/instances/x`; the project is added when one is set and the path belongs to projects. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** ETag of the value that was read: the change is refused (412) when the value has changed meanwhile. */
  readonly etag?: string;
  /**
   * True when an abort must not interrupt the request that starts the operation, only the wait for its end; the caller
   * then knows whether the operation was started.
   */
  readonly uncut?: boolean;
  /** Receives the progress of downloads and unpacking in LXD's words. */
  readonly progress?: (message: string) => void;
}

export interface LxdClient {
  /**
   * Returns the `metadata` of a sync answer, or that of the successful operation of an async one. An abort cancels the
   * operation where possible. Errors: LxdError.
   */
  request<T>(request: LxdRequest, signal: AbortSignal): Promise<T>;
  /** Performs a GET request, and returns the ETag for a later change too. */
  read<T>(path: string, signal: AbortSignal): Promise<{ readonly value: T; readonly etag: string }>;
  /** Performs a GET request; undefined instead of 404. */
  find<T>(path: string, signal: AbortSignal): Promise<T | undefined>;
  /** Writes a file in an instance, running or not, with the missing parent folders; owner root. */
  putFile(
    instance: string,
    path: string,
    content: string,
    options: { readonly mode: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Runs a program in an instance and waits for it. The last 64 KiB of each output are returned. */
  exec(
    instance: string,
    argv: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}
