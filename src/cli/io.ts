/** Effects that a run of the CLI may have. main constructs the real ones, and tests their own. */
import type { Connection, ConnectOptions } from '../client/connection.ts';
import type { DischargeOptions } from '../client/discharge.ts';
import type { BackupDownload } from '../client/backups.ts';
import type { CharmDownload, CharmUpload, ImageUpload, ProgramUpload } from '../client/http.ts';
import type { RegisteredController } from '../client/register.ts';
import type { ResourceDownload, ResourceUpload } from '../client/resources.ts';
import type { Clock } from '../kit/clock.ts';
import type { RegistrationToken } from '../wire/registration-token.ts';
import type { ClientStore } from './files/client-store.ts';
import type { Provider } from '../providers/contract/provider.ts';

export interface CliIo {
  /** Name by which the program was called, which help and hints show. */
  readonly program: string;
  /** Names of the commands that may be run; absent = all, and plugins. */
  readonly allowed?: ReadonlySet<string>;
  /** Records of the client; absent = its files (client-files.md#data-dir). */
  readonly records?: ClientStore;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Whether the user is root. The location of controllers' data depends on it. */
  readonly isRoot: boolean;
  readonly clock: Clock;
  /** Returns n random bytes, for passwords. */
  readonly randomBytes: (n: number) => Uint8Array;
  /** Signal that ^C aborts. */
  readonly signal: AbortSignal;
  readonly connect: (options: ConnectOptions) => Promise<Connection>;
  /** Fetches the CA certificate, in PEM, that the server at `host:port` presents; nothing has verified it. */
  readonly authorityAt: (address: string, signal: AbortSignal) => Promise<string>;
  /** Downloads a charm and resolves when the archive is complete. */
  readonly downloadBackup: (download: BackupDownload) => Promise<void>;
  readonly receivedBackup: (download: Omit<BackupDownload, 'file'>) => Promise<void>;
  readonly downloadCharm: (download: CharmDownload) => Promise<unknown>;
  /** Uploads a charm and resolves with its URL. */
  readonly uploadCharm: (upload: CharmUpload) => Promise<string>;
  /** Downloads a resource's content and resolves when the file is complete. */
  readonly downloadResource: (download: ResourceDownload) => Promise<void>;
  /** Uploads a resource's content and resolves when the controller has it. */
  readonly uploadResource: (upload: ResourceUpload) => Promise<unknown>;
  /** Registers a user with a password, and resolves with the controller. */
  readonly register: (
    token: RegistrationToken,
    password: string,
    signal: AbortSignal,
  ) => Promise<RegisteredController>;
  /** Discharges the macaroon of a login. */
  readonly discharge: (options: DischargeOptions) => Promise<readonly unknown[]>;
  /** Uploads a file of a controller's program and resolves when the controller has it. */
  readonly uploadProgram: (upload: ProgramUpload) => Promise<void>;
  /** Uploads an image and resolves when it is registered. */
  readonly uploadImage: (upload: ImageUpload) => Promise<unknown>;
  /** Returns the providers by the type that clouds.yaml names. */
  readonly providers: () => Promise<ReadonlyMap<string, Provider>>;
  /** Returns the host keys of the ssh server at the address, `ssh-ed25519 AAAA…` each; none when there is no server. */
  readonly hostKeysAt: (server: { readonly address: string; readonly port: number }) => Promise<string[]>;
  /** Runs a program on the user's terminal, with `env` added to its environment; resolves with its exit code. */
  readonly runOnTerminal: (
    argv: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<number>;
}

export interface Output {
  readonly isTTY: boolean;
  /**
   * Whether nothing can be written any more, e.g. because the reader is gone: commands that would print forever end
   * then.
   */
  readonly isClosed: boolean;
  /** Writes text; control characters in it are made visible (kit/visible.ts). */
  write(text: string): void;
  /** Writes every byte: for grigri's own colours and cursor movements, and for output that another program reads. */
  writeRaw(text: string): void;
}

export interface Input {
  readonly isTTY: boolean;
  /**
   * Reads the next line without its line end; undefined at the end of the input. With `hidden`, a terminal does not
   * echo it.
   */
  readLine(options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** Reads the rest of the input. */
  readAll(): Promise<string>;
}
