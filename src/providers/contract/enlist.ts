/** Existing hosts that become machines or receive a controller (Provider.enlist). */
import type { Base } from '../../core/base.ts';
import type { Address } from '../../core/machine/document.ts';
import type { Hardware } from '../../core/machine/hardware.ts';
import type { SshTarget } from './ssh-target.ts';

export interface HostAccess {
  readonly target: SshTarget;
  /** Path of grigri's own known_hosts file (ssh.ts). */
  readonly knownHostsFile: string;
  /** Paths of grigri's own private keys; login as `ubuntu` is tried with them before and after the setup. */
  readonly ownKeys: readonly string[];
  /**
   * Paths of the private keys that the user named for the first login; empty = those of the user's ssh configuration.
   */
  readonly identityFiles: readonly string[];
  /** Public key lines to authorize for the user `ubuntu`; the public halves of `ownKeys` are among them. */
  readonly authorizedKeys: readonly string[];
  /** Permission for ssh and sudo to ask for passwords on this process' terminal. */
  readonly mayAsk: boolean;
}

export interface HostFacts {
  readonly base: Base;
  readonly hardware: Hardware;
}

/** A host on which commands can be run as root. */
export interface Host {
  readonly target: SshTarget;
  /** Instance id of the machine that the host becomes. */
  readonly instanceId: string;
  /** True when a login was created on the host to get access. */
  readonly isChanged: boolean;
  /** Addresses at which this process reaches the host; the agent reports the others later. */
  addresses(): Promise<Address[]>;
  /**
   * Reads the host's facts. Errors: SshError; JujuError `already exists` (a machine with another nonce), `not
   * supported`.
   */
  inspect(nonce: string, signal: AbortSignal): Promise<HostFacts>;
  /**
   * Runs the script that makes the host a machine. A failed, aborted or interrupted run leaves the host as it was.
   * Errors: SshError; JujuError with the script's last line of output; the signal's reason.
   */
  install(script: string, options: InstallOptions): Promise<void>;
  /**
   * Restores the host to its state before it became a machine, except for packages. Idempotent. Errors: SshError,
   * JujuError.
   */
  clean(signal: AbortSignal): Promise<void>;
  /** Removes the login that was created for access, when nothing was installed. Errors: SshError, JujuError. */
  leave(signal: AbortSignal): Promise<void>;
  /** Runs a script as root. Errors: SshError. */
  asRoot(
    script: string,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

export interface InstallOptions {
  /** Nonce of the machine; a host that is already this machine is installed again. */
  readonly nonce: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}
