/** What a run of the CLI may touch; main constructs the real one, tests their own. */
import type { Connection, ConnectOptions } from '../client/connection.ts';
import type { CharmDownload, CharmUpload, ImageUpload } from '../client/http.ts';
import type { Clock } from '../kit/clock.ts';
import type { Provider } from '../providers/contract/provider.ts';

export interface CliIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Decides where controllers keep their data. */
  readonly isRoot: boolean;
  readonly clock: Clock;
  /** n random bytes, for passwords. */
  readonly randomBytes: (n: number) => Uint8Array;
  /** Aborted by ^C. */
  readonly signal: AbortSignal;
  readonly connect: (options: ConnectOptions) => Promise<Connection>;
  /** Resolves when the archive is there. */
  readonly downloadCharm: (download: CharmDownload) => Promise<unknown>;
  /** Resolves with the charm's URL. */
  readonly uploadCharm: (upload: CharmUpload) => Promise<string>;
  /** Resolves when it is registered. */
  readonly uploadImage: (upload: ImageUpload) => Promise<unknown>;
  /** By the type that clouds.yaml names. */
  readonly providers: () => Promise<ReadonlyMap<string, Provider>>;
  /** Runs a program on the user's terminal; resolves with its exit code. */
  readonly runOnTerminal: (argv: readonly string[]) => Promise<number>;
}

export interface Output {
  readonly isTTY: boolean;
  /** Writes text; control characters in it are shown instead of obeyed (kit/visible.ts). */
  write(text: string): void;
  /** Writes every byte: for our own colours and cursor, and for output that another program reads. */
  writeRaw(text: string): void;
}

export interface Input {
  readonly isTTY: boolean;
  /** The next line without its end; undefined at the end of the input. `hidden`: a terminal does not show it. */
  readLine(options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** Everything that is left. */
  readAll(): Promise<string>;
}
