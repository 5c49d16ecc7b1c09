import { createHash } from 'node:crypto';
import { accessId } from '../../core/access/document.ts';
import { activeUser } from '../../core/access/access-of.ts';
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import { colourOf, summarizeModel } from '../../core/model/summary.ts';
import { userId } from '../../core/user/document.ts';
import type { Change, Reader, Store } from '../../store/store.ts';
import type { ModelAbstract } from '../../wire/facades/watchers.ts';
import { modelTag } from '../../wire/tags.ts';
import type { Services } from '../services.ts';
import { modelOf } from './model-deltas.ts';
import { NewsWatcher } from './news-watcher.ts';

/** Maximum numbers of an answer: python reads no frame above 4 MiB. */
const modelsMax = 100;
const charactersMax = 1024 * 1024;

interface Needs {
  readonly store: Store<Entities>;
  /** Pause that is awaited between models, so that other calls are served. */
  readonly pause: () => Promise<void> | undefined;
  readonly services: Pick<Services, 'dispatch'>;
}

/** A user's watch: either of the models shared with the user, or of all while the user is a superuser. */
interface Watching {
  readonly user: string;
  readonly models: 'shared' | 'all';
}

/**
 * ModelSummaryWatcher (wire.md#model-summary-watcher): all summaries first, which may be none; then those that changed
 * since the last answer. Only names of changed models are kept between answers.
 */
export class ModelSummaries extends NewsWatcher<{ models: ModelAbstract[] }> {
  readonly #needs: Needs;
  readonly #watching: Watching;
  /** Models whose summaries are to be made anew. */
  readonly #dirty = new Set<string>();
  /** Hash of each summary as it was told last. */
  readonly #told = new Map<string, string>();
  #first = true;

  constructor(needs: Needs, watching: Watching) {
    super();
    this.#needs = needs;
    this.#watching = watching;
    this.#markAll();
    this.endAtStop(
      needs.store.watch(({ changes }) => {
        for (const change of changes) this.#mark(change);
        if (this.#dirty.size > 0) this.wake();
      }),
      // Access depends on the user's own record, too.
      needs.services.dispatch.on('', `user ${userId(watching.user)}`, () => {
        this.#markAll();
        this.wake();
      }),
    );
  }

  protected async takeNews(): Promise<{ models: ModelAbstract[] } | undefined> {
    const models: ModelAbstract[] = [];
    let characters = 0;
    for (const uuid of this.#dirty) {
      if (models.length >= modelsMax || characters >= charactersMax) break;
      await this.#needs.pause();
      // Another request may have taken the model during the pause.
      if (!this.#dirty.delete(uuid)) continue;
      const summary = this.#newSummary(uuid);
      if (!summary) continue;
      models.push(summary);
      characters += JSON.stringify(summary).length;
    }
    if (models.length === 0 && !this.#first) return undefined;
    this.#first = false;
    return { models };
  }

  /** Summary of the model where it differs from what was told; undefined when there is nothing new. */
  #newSummary(uuid: string): ModelAbstract | undefined {
    const reader = this.#needs.store.read().in('');
    const model = reader.get('model', uuid);
    if (!model || !this.#sees(reader, uuid))
      return this.#told.delete(uuid) ? { uuid, removed: true, size: {} } : undefined;
    const summary = summarize(reader, model);
    const hash = createHash('sha256').update(JSON.stringify(summary)).digest('base64');
    if (this.#told.get(uuid) === hash) return undefined;
    this.#told.set(uuid, hash);
    return summary;
  }

  #sees(reader: Reader<Entities>, uuid: string): boolean {
    const { user, models } = this.#watching;
    const access = activeUser(reader, user)?.access ?? '';
    if (models === 'all') return access === 'superuser';
    return access !== '' && reader.get('access', accessId({ user, model: uuid })) !== undefined;
  }

  #markAll(): void {
    for (const { uuid } of this.#needs.store.read().in('').list('model')) this.#dirty.add(uuid);
    for (const uuid of this.#told.keys()) this.#dirty.add(uuid);
  }

  #mark(change: Change<Entities>): void {
    const uuid = change.kind === 'access' ? (change.after ?? change.before)!.model : modelOf(change);
    if (uuid === '' || this.#dirty.has(uuid) || !isSummarized(change)) return;
    this.#dirty.add(uuid);
  }
}

/** Whether a change may change a summary. */
function isSummarized(change: Change<Entities>): boolean {
  switch (change.kind) {
    case 'model':
    case 'access':
      return true;
    case 'application':
    case 'machine':
    case 'unit':
    case 'relation':
      return change.before === undefined || change.after === undefined;
    case 'status':
      return [change.before, change.after].some((doc) => doc !== undefined && colourOf(doc) !== undefined);
    case 'annotation':
      return change.id === modelTag(change.space);
    default:
      return false;
  }
}

function summarize(root: Reader<Entities>, model: ModelDoc): ModelAbstract {
  const { uuid } = model;
  const view = root.in(uuid);
  const { size, colour, messages } = summarizeModel(view);
  const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
  const admins = [...root.find('access', 'model', uuid)]
    .filter(({ access }) => access === 'admin')
    .map(({ user }) => user)
    .sort();
  return {
    uuid,
    ...defined({ controller: root.get('controller', 'self')?.name || undefined }),
    name: model.name,
    admins,
    cloud: model.cloud,
    ...defined({
      region: model.region || undefined,
      credential: credential && `${credential.cloud}/${credential.owner}/${credential.name}`,
    }),
    size,
    status: colour,
    ...defined({
      messages: messages.length > 0 ? messages : undefined,
      annotations: view.get('annotation', modelTag(uuid))?.values,
    }),
  };
}
