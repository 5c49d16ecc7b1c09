/**
 * Erases contents of secrets whose revisions are gone: those of removed revisions and, at the start, whatever a crash
 * between a content and its revision left (secrets.md#at-rest).
 */
import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';

/** Contents that are erased in one turn. */
const batch = 500;

export function createContentEraser(needs: {
  store: Store<Entities>;
  services: Pick<Services, 'secretContents' | 'log' | 'nextTurn'>;
  wake: () => void;
}): { pass: () => Promise<void>; stop: () => void } {
  const { store, services } = needs;
  const log = services.log.module('grigri.content-eraser');
  /** Contents whose revisions were removed; undefined = check all, as after a start. */
  let suspects: Set<string> | undefined;
  const stop = store.watch(({ changes }) => {
    for (const { kind, before, after } of changes) {
      if (kind !== 'secret-revision' || !before || after) continue;
      suspects?.add(before.content);
      needs.wake();
    }
  });

  const isUsed = (key: string): boolean => {
    const view = store.read().in(modelOf(key));
    return view.count('secret-revision', 'content', key) > 0;
  };

  async function pass(): Promise<void> {
    suspects ??= new Set(services.secretContents.keys());
    while (suspects.size > 0) {
      const keys = [...suspects].slice(0, batch);
      services.secretContents.erase(keys, isUsed);
      for (const key of keys) suspects.delete(key);
      log.debug('contents of secrets checked', { count: keys.length });
      if (suspects.size > 0) await new Promise<void>((resolve) => services.nextTurn(resolve));
    }
  }

  return { pass, stop };
}

/** The model of a content's key. */
function modelOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
