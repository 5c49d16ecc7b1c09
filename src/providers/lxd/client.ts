/** LXD's REST API as the provider uses it (https://documentation.ubuntu.com/lxd/en/latest/rest-api/). */

/** What LXD said, or did not say, of a request. `status` 0: no answer (refused, cut, timed out, wrong certificate). */
export class LxdError extends Error {
  override readonly name = 'LxdError';
  /** HTTP status, or the error code within LXD's answer. */
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
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
  /** Writes a file in an instance, owner root. */
  putFile(
    instance: string,
    path: string,
    content: string,
    options: { readonly mode: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Runs a program in an instance and waits for it. What it says is kept to 64 KiB. */
  exec(
    instance: string,
    argv: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}
