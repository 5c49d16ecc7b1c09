import { expect, test } from 'vitest';
import type { SideState } from '../../core/relation/side.ts';
import { SideNews } from './remote-news.ts';

test('the end of a relation is told also when it is found while looking for units that are not to be told of', async () => {
  let state: SideState | undefined = { life: 'alive', forced: false, units: [], departed: [], networks: [] };
  let tell = (_unit: string): void => undefined;
  const model = {
    read: () => Promise.resolve(state),
    units: () => Promise.resolve([]),
    watch: (_token: string, changed: (unit: string) => void) => {
      tell = changed;
      return () => undefined;
    },
  };
  const news = new SideNews({ model, mayRead: () => true, unitCount: () => 0 }, { token: 't', offer: 'o' });
  expect(await news.next()).toMatchObject({ life: 'alive' });
  const next = news.next();
  state = undefined;
  tell('mysql/0');
  expect(await next).toMatchObject({ life: 'dead' });
  news.stop();
});
