/** Follows the program that the controller wants the machine's agent to have. */
import type { MachineWorld } from '../machine/world.ts';
import { abortable } from '../abortable.ts';
import { ProgramRefused, type ProgramHost } from './host.ts';

/** Time in milliseconds after which tasks are looked at again. */
const lookAgainMs = 2000;

export class ProgramUpdater {
  readonly #world: MachineWorld;
  readonly #host: ProgramHost | undefined;
  readonly #needs: { readonly onReady: () => void; readonly onRefused: () => void };

  /** `onReady`: the agent is to end and start again. `onRefused`: a failure is to be reported. */
  constructor(
    world: MachineWorld,
    host: ProgramHost | undefined,
    needs: { readonly onReady: () => void; readonly onRefused: () => void },
  ) {
    this.#world = world;
    this.#host = host;
    this.#needs = needs;
  }

  /**
   * Makes the wanted program ready, waits until no hook and no task runs, and ends the agent, which starts again with
   * it. Returns milliseconds after which to look again.
   */
  async pass(signal: AbortSignal): Promise<number | void> {
    const { mirror, lock, log } = this.#world;
    const host = this.#host;
    const wanted = mirror.complete ? mirror.machine()?.program : undefined;
    if (!host || !wanted || wanted.build === host.build) return;
    const { build, attempt } = wanted;
    const failed = host.failure();
    if (failed?.build === build && failed.attempt >= attempt) return;
    try {
      await host.prepare(build, signal);
    } catch (error) {
      if (!(error instanceof ProgramRefused)) throw error;
      log.warning('the new program of the agent is refused', { build, error });
      host.refuse({ build, attempt, message: error.message });
      return this.#needs.onRefused();
    }
    if (mirror.hasRunningTask()) return lookAgainMs;
    await lock.hold(signal, async () => {
      log.info('the agent starts again with another program', { build });
      host.choose(build, attempt);
      this.#needs.onReady();
      // No hook begins before the agent has ended.
      await abortable(new Promise(() => undefined), signal);
    });
  }
}
