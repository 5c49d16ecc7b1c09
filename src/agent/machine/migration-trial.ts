import type { Ways } from '../controller-link.ts';
import type { MachineWorld } from './world.ts';

/** Interval of the reports: the controller keeps none of them over a restart. */
const againMs = 2_000;

/** Tries whether the agent reaches the controller that its model goes to (migration.md#agents-follow). */
export class MigrationTrial {
  readonly #world: Pick<MachineWorld, 'api' | 'log' | 'mirror'>;
  readonly #tryController: ((ways: Ways, signal: AbortSignal) => Promise<void>) | undefined;
  /** Migration for which the other controller was reached. */
  #reached = '';

  constructor(
    world: Pick<MachineWorld, 'api' | 'log' | 'mirror'>,
    tryController: ((ways: Ways, signal: AbortSignal) => Promise<void>) | undefined,
  ) {
    this.#world = world;
    this.#tryController = tryController;
  }

  /** Tries once, and reports. Returns milliseconds until the next report, while the migration waits for it. */
  async pass(signal: AbortSignal): Promise<number | void> {
    const { mirror, api, log } = this.#world;
    const migration = mirror.model()?.migration;
    if (!migration || !this.#tryController) return;
    const { id, addresses, caCert } = migration;
    let problem = '';
    if (this.#reached !== id)
      try {
        await this.#tryController({ addresses, caCert }, signal);
        this.#reached = id;
      } catch (error) {
        signal.throwIfAborted();
        problem = (error as Error).message || 'not reached';
        log.warning('the controller that the model goes to is not reached', { error });
      }
    await api.call('MigrationTried', { migration: id, problem }, { signal });
    return againMs;
  }
}
