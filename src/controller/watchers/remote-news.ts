/** Watchers of another controller in the model whose offers it consumes (offers.md#between-controllers). */
import type { SideState } from '../../core/relation/side.ts';
import { defined } from '../../core/defined.ts';
import type { RelationChange } from '../../wire/facades/cross-model-relations.ts';
import { joinSecretKey, uriOfSecretKey } from '../../core/secret/secret-id.ts';
import { secretOfName, type OfferingModel } from '../offering-model.ts';
import { LatestNews } from './latest-news.ts';
import { NewsWatcher } from './news-watcher.ts';

/** Numbers of units, and of characters of their settings, after which an event ends; the next events have the rest. */
const unitsMax = 500;
const charactersMax = 4 * 1024 * 1024;

interface Needs {
  readonly model: Pick<OfferingModel, 'read' | 'units' | 'watch'>;
  /** Whether the user who has consumed the offer still may: others hear of units only that they have left. */
  readonly mayRead: () => boolean;
  /** Number of units in scope. */
  readonly unitCount: () => number;
}

/** News of the offering side of a relation: all of it at first, then what changes. */
export class SideNews extends NewsWatcher<RelationChange> {
  readonly #needs: Needs;
  readonly #token: string;
  /** Token of the offer, by which the side identifies itself. */
  readonly #offer: string;
  /** Units to tell of; undefined: all units. */
  #units: Set<string> | undefined;
  /** Units to tell of once the user may consume the offer again. */
  readonly #heldBack = new Set<string>();
  #sideHasChanged = true;
  #isGone = false;

  constructor(needs: Needs, { token, offer }: { readonly token: string; readonly offer: string }) {
    super();
    this.#needs = needs;
    this.#token = token;
    this.#offer = offer;
    this.endAtStop(
      needs.model.watch(token, (unit) => {
        if (secretOfName(unit) !== undefined) return;
        if (unit === '') this.#sideHasChanged = true;
        else this.#units?.add(unit);
        this.wake();
      }),
    );
  }

  protected async takeNews(): Promise<RelationChange | undefined> {
    if (this.#isGone) return undefined;
    if (!this.#sideHasChanged && this.#units?.size === 0) return undefined;
    const isOfSide = this.#sideHasChanged;
    this.#sideHasChanged = false;
    try {
      const event = await this.#event(this.#needs.mayRead());
      const isNews = isOfSide || this.#isGone || event['changed-units'] || event['departed-units'];
      return isNews ? event : undefined;
    } catch (error) {
      // The event was not sent: its units and its side are still to be told.
      this.#units = undefined;
      this.#sideHasChanged = true;
      throw error;
    }
  }

  async #event(mayRead: boolean): Promise<RelationChange> {
    const changed: SideState['units'][number][] = [];
    const departed: number[] = [];
    const { model } = this.#needs;
    let characters = 0;
    this.#units ??= new Set(await model.units(this.#token));
    if (mayRead) {
      for (const unit of this.#heldBack) this.#units.add(unit);
      this.#heldBack.clear();
    }
    for (const unit of this.#units) {
      if (changed.length + departed.length >= unitsMax || characters > charactersMax) break;
      this.#units.delete(unit);
      const { units = [], departed: gone = [] } = (await model.read(this.#token, [unit])) ?? {};
      departed.push(...gone);
      if (!mayRead && units.length > 0) {
        this.#heldBack.add(unit);
        continue;
      }
      changed.push(...units);
      characters += JSON.stringify(units).length;
    }
    const state = await model.read(this.#token, []);
    if (!state) this.#isGone = true;
    const { life, suspended, settings, forced } = state ?? { life: 'dead', forced: false };
    return {
      'relation-token': this.#token,
      'application-token': this.#offer,
      life,
      'unit-count': this.#needs.unitCount(),
      suspended: suspended !== undefined,
      ...defined({
        'force-cleanup': forced ? true : undefined,
        'suspended-reason': suspended?.reason,
        'application-settings': mayRead ? settings : undefined,
        'changed-units':
          changed.length > 0
            ? changed.map(({ number, settings: values }) => ({ 'unit-id': number, settings: values }))
            : undefined,
        'departed-units': departed.length > 0 ? departed : undefined,
      }),
    };
  }
}

/** Life and suspension of a relation. */
export class SuspensionNews extends LatestNews<
  readonly {
    readonly key: string;
    readonly life: RelationChange['life'];
    readonly suspended: boolean;
    readonly 'suspended-reason': string;
  }[]
> {}

/** Status of an offered application. */
export class OfferNews extends LatestNews<
  readonly {
    readonly 'offer-name': string;
    readonly status: { readonly status: string; readonly info: string; readonly since: string };
  }[]
> {}

/** CIDRs that the offering side's units come from. */
export class EgressNews extends LatestNews<readonly string[]> {}

interface SecretNeeds extends Pick<Needs, 'mayRead'> {
  readonly model: Pick<OfferingModel, 'revisions' | 'watch'>;
}

/** Secrets that the consuming side reads, with their newest revisions: all of them at first, then what changes. */
export class ConsumedSecretsNews extends NewsWatcher<
  readonly { readonly uri: string; readonly revision: number }[]
> {
  readonly #needs: SecretNeeds;
  readonly #of: { readonly token: string; readonly model: string };
  /** Secrets to tell of; undefined: all secrets. */
  #secrets: Set<string> | undefined;

  /** `of`: token of the relation, and UUID of the model that has the secrets. */
  constructor(needs: SecretNeeds, of: { readonly token: string; readonly model: string }) {
    super();
    this.#needs = needs;
    this.#of = of;
    this.endAtStop(
      needs.model.watch(of.token, (name) => {
        const secret = secretOfName(name);
        if (secret === undefined) return;
        this.#secrets?.add(secret);
        this.wake();
      }),
    );
  }

  protected async takeNews(): Promise<{ uri: string; revision: number }[] | undefined> {
    const secrets = this.#secrets;
    if (secrets && (secrets.size === 0 || !this.#needs.mayRead())) return undefined;
    this.#secrets = new Set();
    if (!this.#needs.mayRead()) return [];
    const { token, model } = this.#of;
    const news = await this.#needs.model.revisions(token, secrets && [...secrets]);
    return news.map(({ id, revision }) => ({ uri: uriOfSecretKey(joinSecretKey({ id, model })), revision }));
  }
}

/** Addresses and CA certificate of the controller: they never change while its process, and so a connection, lasts. */
export class ControllerNews extends NewsWatcher<Record<never, never>> {
  protected takeNews(): undefined {
    return undefined;
  }
}
