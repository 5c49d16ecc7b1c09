/** Subnets of the cloud that a new model knows from the beginning. */
import { expect, test, vi } from 'vitest';
import type { Environ } from '../../../providers/contract/provider.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { removeModel } from '../../transactions/end/remove-model.ts';
import { eventually } from '../../../testing/eventually.ts';

const create = async (callers: Callers): Promise<string> => {
  const params = { name: 'new', 'owner-tag': 'user-admin', config: null, credential: null, region: null };
  return (await callers.call<{ uuid: string }>('ModelManager', 'CreateModel', params)).uuid;
};
const subnetsOf = (callers: Callers, model: string): string[] =>
  [...callers.store.read().in(model).list('subnet')].map(({ cidr, space }) => `${cidr} ${space}`);
/** A cloud that lists its networks when the test says so, for which CreateModel does not wait. */
async function withSlowCloud(): Promise<{ callers: Callers; answer: (subnets: string[]) => void }> {
  const late = Promise.withResolvers<string[]>();
  const callers = await withSubnets(() => late.promise);
  vi.spyOn(callers.context.services.clock, 'sleep').mockImplementation((ms) =>
    ms === 1000 ? Promise.resolve() : new Promise(() => undefined),
  );
  return { callers, answer: late.resolve };
}
const withSubnets = (subnets: NonNullable<Environ['networks']>['subnets']): Promise<Callers> =>
  createCallers({ environ: { networks: { subnets } } });

test('CreateModel notes the subnets of the cloud, without invalid ones', async () => {
  await using callers = await withSubnets(() => Promise.resolve(['10.0.8.1/24', 'x', 'fd00::1/64']));
  expect(subnetsOf(callers, await create(callers))).toEqual(['10.0.8.0/24 alpha', 'fd00::/64 alpha']);
});

test('CreateModel makes a model on a cloud that cannot list its networks', async () => {
  await using callers = await withSubnets(() => Promise.reject(new Error('no route to host')));
  expect(subnetsOf(callers, await create(callers))).toEqual([]);
});

test('CreateModel does not wait for a slow cloud, whose subnets are noted later', async () => {
  const { callers, answer } = await withSlowCloud();
  await using _ = callers;
  const model = await create(callers);
  expect(subnetsOf(callers, model)).toEqual([]);
  answer(['10.0.8.0/24']);
  await eventually(() => expect(subnetsOf(callers, model)).toEqual(['10.0.8.0/24 alpha']));
});

test('subnets that a cloud lists after the end of the model are not noted: nobody would remove them', async () => {
  const { callers, answer } = await withSlowCloud();
  await using _ = callers;
  const model = await create(callers);
  await callers.store.change((tx) => removeModel(tx, model), 'test');
  const change = vi.spyOn(callers.store, 'change');
  answer(['10.0.8.0/24']);
  await eventually(() => expect(change).toHaveBeenCalled());
  await change.mock.results[0]!.value;
  expect(callers.store.read().spaces()).not.toContain(model);
});
