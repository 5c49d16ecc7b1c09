/** Hosts that exist already and become machines, or have a controller put on them (Provider.enlist). */
import type { Base } from '../../core/base.ts';
import type { Address } from '../../core/machine/document.ts';
import type { Hardware } from '../../core/machine/hardware.ts';
import type { SshTarget } from './ssh-target.ts';

export interface HostAccess {
  readonly target: SshTarget;
  /** Of ours: ssh.ts. */
  readonly knownHostsFile: string;
  /** Private keys of ours: with them ubuntu is tried, before and after. */
  readonly ownKeys: readonly string[];
  /** Private keys that a person named for the first login; none = whatever that person's ssh has. */
  readonly identityFiles: readonly string[];
  /** Public lines that ubuntu's login is to take; of ownKeys among them. */
  readonly authorizedKeys: readonly string[];
  /** ssh and sudo may ask for passwords on this process' terminal. */
  readonly mayAsk: boolean;
}

export interface HostFacts {
  readonly base: Base;
  readonly hardware: Hardware;
}

/** Somebody who may do everything there. */
export interface Host {
  readonly target: SshTarget;
  /** The instance id of the machine that it becomes. */
  readonly instanceId: string;
  /** Something was made to let us in. */
  readonly isChanged: boolean;
  /** Where the host is reached, as seen from here; its agent says later what else it has. */
  addresses(): Promise<Address[]>;
  /** Errors: SshError; JujuError `already exists` (a machine already, with another nonce), `not supported`. */
  inspect(nonce: string, signal: AbortSignal): Promise<HostFacts>;
  /**
   * Runs the script that makes it a machine. Failed, aborted, or cut off, the host is as before. Errors: SshError; JujuError
   * with the script's last word; the signal's reason.
   */
  install(script: string, options: InstallOptions): Promise<void>;
  /** As it was before it was a machine, but for packages. May be repeated. Errors: SshError, JujuError. */
  clean(signal: AbortSignal): Promise<void>;
  /** Takes back what was made to let us in, when nothing was installed. Errors: SshError, JujuError. */
  leave(signal: AbortSignal): Promise<void>;
  /** Runs a script as root. Errors: SshError. */
  asRoot(
    script: string,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

export interface InstallOptions {
  /** Of the machine that it becomes: what is that already is made so again. */
  readonly nonce: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}
