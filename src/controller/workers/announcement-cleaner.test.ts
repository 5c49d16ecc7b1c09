import { expect, test } from 'vitest';
import { indexes } from '../../core/documents.ts';
import { modelFixture } from '../../testing/model-fixture.ts';
import { deployed } from '../../testing/resources.ts';
import { announceResources } from '../transactions/shared/resources.ts';
import { createDispatch } from '../watchers/dispatch.ts';
import { AnnouncementCleaner } from './announcement-cleaner.ts';

const hour = 3_600_000;

test('a resource that no deploy took is removed a day after it was announced', async () => {
  await using model = await modelFixture();
  const dispatch = createDispatch(model.store, indexes);
  const cleaner = new AnnouncementCleaner({
    store: model.store,
    services: {
      clock: { now: model.now, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
      dispatch,
    },
    modelUuid: model.uuid,
    wake: () => undefined,
  });
  const announce = (): Promise<string[]> =>
    model.change((tx) =>
      announceResources(tx, { application: 'later', charmUrl: 'local:web-0', names: ['blob'] }),
    );
  await model.change((tx) => deployed(tx, 'web', { blob: { filename: 'blob' } }));
  expect(await cleaner.pass()).toBeUndefined();
  await announce();
  model.advance(hour);
  await announce();
  expect(await cleaner.pass()).toBe(23 * hour);
  model.advance(23 * hour);
  expect(await cleaner.pass()).toBe(hour);
  expect(model.view().count('resource')).toBe(1);
  model.advance(hour);
  expect(await cleaner.pass()).toBeUndefined();
  expect(model.view().count('resource')).toBe(0);
  cleaner.stop();
  dispatch.stop();
});
