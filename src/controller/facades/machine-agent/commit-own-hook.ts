import type { HookCommit } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { commitHook } from '../../transactions/agent/commit-hook.ts';
import { checkSecretChanges } from '../../transactions/agent/commit-secrets.ts';
import { isContentUsed, newContent } from '../shared/secret-contents.ts';
import { changeUnit } from './change-unit.ts';
import { ownUnit } from './own-unit.ts';

/**
 * Commits a hook. The contents of its secrets are stored before its transaction, under keys of this hook, so that a
 * repetition finds them. Errors: those of commitHook; `not valid` for contents.
 */
export async function commitOwnHook(call: Call, commit: HookCommit): Promise<Record<string, never>> {
  const keys = new Map<string, string>();
  const view = call.read();
  ownUnit(call, view, commit.unit);
  const isRepeated = view.get('unit-state', commit.unit)?.lastHook === commit.hookId;
  if (commit.secrets && !isRepeated) checkSecretChanges(commit.secrets);
  const written = isRepeated ? [] : [...(commit.secrets?.create ?? []), ...(commit.secrets?.update ?? [])];
  const contents = written.flatMap(({ id, content }) => {
    if (content === undefined) return [];
    const added = newContent(call, { secret: id, writer: commit.hookId, content });
    keys.set(id, added.key);
    return [added];
  });
  const { secretContents } = call.services;
  await secretContents.using(
    contents,
    () =>
      changeUnit(call, commit.unit, (tx) =>
        commitHook(tx, commit, {
          keyOf: (id) => keys.get(id),
          isSame: (key, content) => secretContents.isSame(key, content),
        }),
      ),
    (key) => isContentUsed(call, key),
  );
  return {};
}
