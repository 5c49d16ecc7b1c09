import type { Call } from '../../facade.ts';
import { removeCharmIfUnused } from '../../transactions/remove-charm.ts';
import { changeModel } from '../shared/change-model.ts';

/** By model and charm URL: how many calls are deploying the charm just now, in each controller. */
const deploying = new WeakMap<object, Map<string, number>>();

/**
 * A charm that is deployed by nobody once the last of the calls ended that wanted to goes again: it was uploaded for
 * them. Calls that overlap wait for each other with it, so that a refused one takes no charm from one that goes well.
 */
export async function withDeploys<T>(call: Call, urls: readonly string[], run: () => Promise<T>): Promise<T> {
  const counts = deploying.get(call.services) ?? new Map<string, number>();
  deploying.set(call.services, counts);
  const keys = new Map([...new Set(urls)].map((url) => [url, `${call.modelUuid} ${url}`]));
  for (const key of keys.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
  try {
    return await run();
  } finally {
    const last: string[] = [];
    for (const [url, key] of keys) {
      const others = (counts.get(key) ?? 1) - 1;
      if (others > 0) counts.set(key, others);
      else {
        counts.delete(key);
        last.push(url);
      }
    }
    await dropUnused(call, last);
  }
}

async function dropUnused(call: Call, urls: readonly string[]): Promise<void> {
  const view = call.read();
  const unused = urls.filter(
    (url) => view.get('charm', url) && view.count('application', 'charm', url) === 0,
  );
  if (unused.length === 0) return;
  await changeModel(call, (tx) => {
    for (const url of unused) if (tx.get('charm', url)) removeCharmIfUnused(tx, url);
  });
}
