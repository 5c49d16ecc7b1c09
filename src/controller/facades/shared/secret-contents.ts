import type { SecretContent } from '../../../core/secret/content.ts';
import type { Call } from '../../facade.ts';
import { secretNotFound } from '../../transactions/secrets.ts';

/** The key of a content: its model, its secret, and what wrote it (a hook's id, or a new uuid). */
export function contentKey(model: string, secret: string, writer: string): string {
  return `${model}/${secret}/${writer}`;
}

/** Whether a revision in the connection's model refers to the content. */
export function isContentUsed(call: Call, key: string): boolean {
  return call.read().count('secret-revision', 'content', key) > 0;
}

/** The content of a revision. Errors: `not found` when it was removed meanwhile. */
export function contentOf(call: Call, secret: string, key: string): SecretContent {
  const content = call.services.secretContents.get(key);
  if (!content) throw secretNotFound(secret);
  return content;
}
