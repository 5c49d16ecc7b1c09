/** Runs commands of the CLI for users of `/commands` (wire.md#commands). */

export interface UserCommand {
  /** Command line without the program's name: `status --format yaml`. */
  readonly line: string;
  readonly user: string;
  /** Password of the user; '' for one with macaroons. */
  readonly password: string;
  /** Slices of macaroons that log the user in, in JSON. */
  readonly macaroons: readonly (readonly unknown[])[];
  /** Model that the command works in; `name` is qualified: `admin/default`. */
  readonly model: { readonly uuid: string; readonly name: string };
  /** Cloud of the controller. */
  readonly cloud: { readonly name: string; readonly type: string; readonly region: string };
}

export interface CommandRunner {
  /**
   * Runs a command with the rights that its user has by the API, and none on this host. Resolves with the exit code
   * when it has ended; an abort of `signal` ends it at once. `onOutput` takes the output; the next piece comes when it
   * has resolved. Errors: the reason of the abort; plain Error when the command cannot be started.
   */
  run(
    command: UserCommand,
    how: { readonly signal: AbortSignal; readonly onOutput: (text: string) => Promise<void> },
  ): Promise<number>;
}
