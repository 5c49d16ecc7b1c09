import { call } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';
import { hasCode } from '../core/errors.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { AgentConf } from '../wire/agent-conf.ts';

interface Needs {
  /** Replaces agent.conf atomically and durably. */
  readonly save: (conf: AgentConf) => Promise<void>;
  /** Generates a random password. */
  readonly newPassword: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const longestWaitMs = 60_000;

/**
 * The agent's password. Others may have read the first one on its way to the machine: at its first login the agent
 * replaces it by one of its own. agent.conf records the progress durably before each step:
 *
 * - apipassword = oldpassword: the first one is to be replaced
 * - apipassword ≠ oldpassword: the controller knows one of the two
 * - no oldpassword: the controller knows the new one
 */
export class OwnPassword {
  #conf: AgentConf;
  #accepted: string;
  readonly #needs: Needs;

  constructor(conf: AgentConf, needs: Needs) {
    this.#conf = conf;
    this.#accepted = conf.apiPassword;
    this.#needs = needs;
  }

  /** The password that the controller accepted last. */
  get accepted(): string {
    return this.#accepted;
  }

  /**
   * Runs `connect` with the password that the controller knows, and replaces it when it was the first. A password that
   * cannot be replaced (full disk) is replaced after a later login; the password of an instance that is not recorded
   * yet is replaced as soon as it is. Errors: those of `connect`.
   */
  async logIn(connect: (password: string) => Promise<Connection>, signal: AbortSignal): Promise<Connection> {
    const connection = await this.#tryBoth(connect);
    if (!(await this.#attempt(connection, signal))) void this.#later(connection, signal);
    return connection;
  }

  /** Records where the controller is that the model has gone to. */
  async moveTo(ways: Pick<AgentConf, 'apiAddresses' | 'caCert'>): Promise<void> {
    await this.#save({ ...this.#conf, ...ways });
  }

  /** Returns false when the controller does not allow it yet. */
  async #attempt(connection: Connection, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#replace(connection, signal);
    } catch (error) {
      if (hasCode(error, 'try again')) return false;
      if (!signal.aborted) this.#needs.log.warning('the password could not be replaced', { error });
    }
    return true;
  }

  async #later(connection: Connection, signal: AbortSignal): Promise<void> {
    for (let waitMs = 1000; !signal.aborted; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      await this.#needs.clock.sleep(waitMs, signal).catch(() => undefined);
      if (signal.aborted || (await this.#attempt(connection, signal))) return;
    }
  }

  async #tryBoth(connect: (password: string) => Promise<Connection>): Promise<Connection> {
    const { apiPassword, oldPassword } = this.#conf;
    try {
      const connection = await connect(apiPassword);
      this.#accepted = apiPassword;
      return connection;
    } catch (error) {
      if (oldPassword === undefined || oldPassword === apiPassword) throw error;
      if (!hasCode(error, 'unauthorized access')) throw error;
      const connection = await connect(oldPassword);
      this.#accepted = oldPassword;
      return connection;
    }
  }

  async #replace(connection: Connection, signal: AbortSignal): Promise<void> {
    const { oldPassword } = this.#conf;
    if (oldPassword === undefined) return;
    if (oldPassword === this.#conf.apiPassword)
      await this.#save({ ...this.#conf, apiPassword: this.#needs.newPassword() });
    const { apiPassword } = this.#conf;
    if (this.#accepted !== apiPassword) {
      await call(connection, 'MachineAgent', 'SetPassword', { password: apiPassword }, { signal });
      this.#accepted = apiPassword;
    }
    const { oldPassword: _, ...rest } = this.#conf;
    await this.#save(rest);
  }

  async #save(conf: AgentConf): Promise<void> {
    await this.#needs.save(conf);
    this.#conf = conf;
  }
}
