/** Secret backends of the controller: added, changed, removed, chosen by models (secrets.md#backends). */
import { JujuError, notFound, notValid } from '../../../core/errors.ts';
import { mergedModelConfig } from '../../../core/model/config.ts';
import type { SecretBackendDoc } from '../../../core/secret-backend/document.ts';
import type { Tx, View } from '../tx.ts';

/** The backend with the name, in the controller's space. Errors: `not found`. */
export function backendNamed(view: View, name: string): SecretBackendDoc {
  const [found] = view.find('secret-backend', 'name', name);
  if (!found) throw notFound('secret backend', name);
  return found;
}

/**
 * The id of the backend that a model's new contents go to; '' = the controller's own. `view`: of the controller's
 * space. Errors: `not found` for a missing backend.
 */
export function backendOfModel(view: View, model: string): string {
  const config = view.get('model', model)?.config ?? {};
  const name = mergedModelConfig({ 'secret-backend': config['secret-backend'] ?? 'auto' })['secret-backend'];
  return isInternal(name) ? '' : backendNamed(view, name).id;
}

/** Checks a backend's name for a model. Errors: `not found` for a name that a model cannot choose. */
export function checkBackendName(view: View, name: unknown): void {
  if (typeof name === 'string' && !isInternal(name)) backendNamed(view, name);
}

function isInternal(name: string): boolean {
  return ['', 'auto', 'internal'].includes(name);
}

/** The number of revisions whose contents a backend has. */
export function revisionsIn(view: View, id: string): number {
  let count = 0;
  for (const { uuid } of view.list('model')) count += view.in(uuid).count('secret-revision', 'backend', id);
  return count;
}

/** Adds or changes a backend. Errors: `already exists`. */
export function putBackend(tx: Tx, doc: SecretBackendDoc): void {
  for (const other of tx.find('secret-backend', 'name', doc.name))
    if (other.id !== doc.id)
      throw new JujuError('already exists', `secret backend with name "${doc.name}" already exists`);
  const before = tx.get('secret-backend', doc.id);
  tx.put('secret-backend', doc.id, doc);
  if (before && before.name !== doc.name)
    for (const model of modelsOf(tx, before.name))
      tx.put('model', model.uuid, { ...model, config: { ...model.config, 'secret-backend': doc.name } });
}

/**
 * Removes a backend, and returns its last record. Errors: `not found`; without `force`, `not supported` while it has
 * contents and `not valid` while a model has chosen it. With `force` its contents are lost, and such models get the
 * controller's own.
 */
export function removeBackend(tx: Tx, name: string, force: boolean): SecretBackendDoc {
  const backend = backendNamed(tx, name);
  const { id } = backend;
  const models = modelsOf(tx, name);
  if (!force && revisionsIn(tx, id) > 0)
    throw new JujuError('not supported', `backend "${name}" still contains secret content`);
  if (!force && models.length > 0)
    throw notValid(`backend "${name}" is used by model "${models[0]!.name}": removing it not valid`);
  for (const model of models) {
    const { 'secret-backend': _, ...config } = model.config;
    tx.put('model', model.uuid, { ...model, config });
  }
  tx.remove('secret-backend', id);
  return backend;
}

/**
 * Gives a backend a token that the controller has made, sealed, which is replaced in `nextMs`. Returns false when the
 * backend has changed meanwhile.
 */
export function replaceToken(
  tx: Tx,
  before: SecretBackendDoc,
  { token, nextMs }: { readonly token: string; readonly nextMs: number },
): boolean {
  if (tx.get('secret-backend', before.id) !== before || before.tokenRotate === undefined) return false;
  tx.put('secret-backend', before.id, {
    ...before,
    config: { ...before.config, token },
    ownToken: true,
    nextTokenRotate: new Date(Date.parse(tx.now) + nextMs).toISOString(),
  });
  return true;
}

function modelsOf(view: View, name: string) {
  return [...view.list('model')].filter(({ config }) => config['secret-backend'] === name);
}
