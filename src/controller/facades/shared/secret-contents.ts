import type { SecretContent } from '../../../core/secret/content.ts';
import { secretRevisionId } from '../../../core/secret-revision/document.ts';
import type { Call } from '../../facade.ts';
import type { NewContent } from '../../secret-backends/backend.ts';
import { backendOfModel } from '../../transactions/shared/secret-backends.ts';
import { secretNotFound } from '../../transactions/shared/secrets.ts';

/**
 * A content of the connection's model, for the backend of that model. `writer`: what brings it (SecretContents.keyOf).
 * Errors: `not found` for a backend that is not there.
 */
export function newContent(
  call: Call,
  {
    secret,
    writer,
    content,
  }: { readonly secret: string; readonly writer: string; readonly content: SecretContent },
): NewContent {
  const backend = backendOfModel(call.store.read(), call.modelUuid);
  const key = call.services.secretContents.keyOf({ backend, model: call.modelUuid, secret, writer }, content);
  return { key, content };
}

/** Whether a revision in the connection's model refers to the content. */
export function isContentUsed(call: Call, key: string): boolean {
  return call.read().count('secret-revision', 'content', key) > 0;
}

/**
 * The content of a revision; undefined when there is no such revision. While it is read, it may move to another
 * backend. `signal`: ends it with an error of the backend. Errors: those of the backend; `not found` for a content that
 * is in no backend.
 */
export async function contentOf(
  call: Pick<Call, 'read'> & { readonly services: Pick<Call['services'], 'secretContents'> },
  revision: { readonly secret: string; readonly revision: number },
  signal?: AbortSignal,
): Promise<SecretContent | undefined> {
  const id = secretRevisionId(revision);
  for (let key = call.read().get('secret-revision', id)?.content; key !== undefined;) {
    const content = await call.services.secretContents.get(key, signal);
    if (content) return content;
    const next = call.read().get('secret-revision', id)?.content;
    if (next === key) throw secretNotFound(id);
    key = next;
  }
  return undefined;
}
