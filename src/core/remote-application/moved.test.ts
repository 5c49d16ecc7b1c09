import { expect, test } from 'vitest';
import { movedTo } from './moved.ts';

test('the URL of a consumed offer names the controller to which its model has moved, also one with a dot', () => {
  const doc = {
    name: 'far',
    model: 'm',
    endpoints: [],
    saas: { offerUuid: 'o', url: 'old:admin/shop.store', user: 'admin' },
  } as unknown as Parameters<typeof movedTo>[0];
  const mint = (): string => 'sealed';
  const first = movedTo(doc, { uuid: 'u1', alias: 'one.example' }, mint);
  expect(first.saas?.url).toBe('one.example:admin/shop.store');
  const second = movedTo(first, { uuid: 'u2', alias: 'two.example' }, mint);
  expect(second.saas?.url).toBe('two.example:admin/shop.store');
});
