/** Starts the LXDs of all files; afterwards they must be as empty as before, and removed. */
import { isDeepStrictEqual } from 'node:util';
import { allLxds as all } from './server.ts';

export default async function setup(): Promise<() => Promise<void>> {
  for (const one of all) await one.up((message) => console.log(message));
  const before = await Promise.all(all.map((one) => one.inventory()));
  return async () => {
    const left = await Promise.all(
      all.map(async (one, n) => {
        const after = await one.inventory();
        await one.down();
        const changed = Object.entries(before[n]!).filter(
          ([key, was]) => !isDeepStrictEqual(was, after[key]),
        );
        return [
          ...changed.map(([key, was]) => `${key}: ${JSON.stringify(was)} → ${JSON.stringify(after[key])}`),
          ...one.traces(),
        ];
      }),
    );
    if (left.flat().length > 0)
      throw new Error(`the tests left something behind:\n${left.flat().join('\n')}`);
  };
}
