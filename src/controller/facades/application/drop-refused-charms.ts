import type { Call } from '../../facade.ts';
import { removeCharmIfUnused } from '../../transactions/end/remove-charm.ts';
import { changeModel } from '../shared/change-model.ts';

/** Number of calls that are deploying a charm now, by model and charm URL, for each controller of the process. */
const deploying = new WeakMap<object, Map<string, number>>();

/**
 * Runs a call that deploys these charms. When the last of overlapping calls has ended, charms that no application has
 * are removed: they were uploaded for a deploy that was refused. A refused call takes no charm from one that succeeds.
 */
export async function withDeploys<T>(call: Call, urls: readonly string[], run: () => Promise<T>): Promise<T> {
  const counts = deploying.get(call.services) ?? new Map<string, number>();
  deploying.set(call.services, counts);
  const keys = new Map([...new Set(urls)].map((url) => [url, `${call.modelUuid} ${url}`]));
  for (const key of keys.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
  try {
    return await run();
  } finally {
    const finishedUrls: string[] = [];
    for (const [url, key] of keys) {
      const remaining = (counts.get(key) ?? 1) - 1;
      if (remaining > 0) counts.set(key, remaining);
      else {
        counts.delete(key);
        finishedUrls.push(url);
      }
    }
    await dropUnused(call, finishedUrls);
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
