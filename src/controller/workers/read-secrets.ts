/**
 * Secrets of an offering model that units read over one relation: the news that model sends of them
 * (secrets.md#over-offers).
 */
import type { Entities } from '../../core/kinds.ts';
import { secretConsumerId } from '../../core/secret-consumer/document.ts';
import { joinSecretKey, parseSecretUri } from '../../core/secret/secret-id.ts';
import type { Store } from '../../store/store.ts';
import type { OfferingModel, SecretNews } from '../offering-model.ts';
import type { Services } from '../services.ts';
import { hearRevision } from '../transactions/remote/other-models-readings.ts';
import type { View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';

const by = 'remote-relations';
/** Number of units that hear of a revision in one change. */
const batch = 100;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch'>;
  readonly modelUuid: string;
  /** Id of the relation. */
  readonly relation: string;
  /** Called when secrets have to be asked for. */
  readonly changed: () => void;
}

export class ReadSecrets {
  readonly #needs: Needs;
  /** Secrets whose newest revisions have to be asked for. */
  #stale: Set<string> | 'all' = 'all';
  readonly stop: () => void;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { services, modelUuid, relation, changed } = needs;
    // A revision that was announced before a unit read the secret counts for this unit, too.
    this.stop = services.dispatch.on(
      modelUuid,
      `secret-consumer@relation ${relation}`,
      ({ before, after }) => {
        if (!after || before?.current === after.current) return;
        this.note(parseSecretUri(after.secret).id);
        changed();
      },
    );
  }

  /** Notes a secret, which is asked for in the next pass. */
  note(secret: string): void {
    if (this.#stale !== 'all') this.#stale.add(secret);
  }

  /** Takes over what the offering model, with this UUID, tells of the secrets that have changed. */
  async hear(
    model: Pick<OfferingModel, 'revisions'>,
    of: { readonly model: string; readonly token: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { relation } = this.#needs;
    const stale = this.#stale;
    if (stale !== 'all' && stale.size === 0) return;
    if (this.#read().count('secret-consumer', 'relation', relation) === 0) return;
    this.#stale = new Set();
    try {
      const news = await model.revisions(of.token, stale === 'all' ? undefined : [...stale]);
      await this.#take(news, of.model, signal);
    } catch (error) {
      // Changes that were taken out of the set may not have been recorded.
      this.#stale = 'all';
      throw error;
    }
  }

  async #take(news: readonly SecretNews[], model: string, signal: AbortSignal): Promise<void> {
    const { relation } = this.#needs;
    for (const { id, revision } of news) {
      const key = joinSecretKey({ id, model });
      const late = [...this.#read().find('secret-consumer', 'secret', key)].filter(
        (consumer) => consumer.relation === relation && (consumer.latest ?? revision) < revision,
      );
      await inBatches(late.map(secretConsumerId), batch, signal, (some) =>
        this.#needs.store.change((root) => hearRevision(root.in(this.#needs.modelUuid), some, revision), by),
      );
    }
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }
}
