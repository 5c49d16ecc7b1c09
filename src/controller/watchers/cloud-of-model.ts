import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import { NewsWatcher } from './news-watcher.ts';

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'dispatch'>;
}

/** Tells changes of what a model's machines are started with: its cloud, region or credential. */
export class CloudOfModel extends NewsWatcher<Record<never, never>> {
  readonly #needs: Needs;
  readonly #modelUuid: string;
  #changed = false;
  /** Documents that are watched, as topics; the model may move from one credential to another. */
  #topics = '';
  #endTopics = (): void => undefined;

  constructor(needs: Needs, modelUuid: string) {
    super();
    this.#needs = needs;
    this.#modelUuid = modelUuid;
    this.#follow();
    this.endAtStop(
      needs.services.dispatch.on('', `model ${modelUuid}`, () => {
        if (this.#follow()) this.#onChange();
      }),
      () => this.#endTopics(),
    );
  }

  protected takeNews(): Record<never, never> | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    return {};
  }

  /** Watches what the model uses now; true when that differs from before. */
  #follow(): boolean {
    const model = this.#needs.store.read().in('').get('model', this.#modelUuid);
    const topics = JSON.stringify([model?.cloud, model?.region, model?.credential]);
    if (topics === this.#topics) return false;
    this.#topics = topics;
    this.#endTopics();
    const onChange = (): void => this.#onChange();
    const { dispatch } = this.#needs.services;
    const ends = model
      ? [
          dispatch.on('', `cloud ${model.cloud}`, onChange),
          dispatch.on('', `credential ${model.credential}`, onChange),
        ]
      : [];
    this.#endTopics = () => ends.forEach((end) => end());
    return true;
  }

  #onChange(): void {
    this.#changed = true;
    this.wake();
  }
}
