/** Cases of the contract that every secret backend keeps (backend.ts). */
import { expect, test } from 'vitest';
import type { SecretBackend } from '../controller/secret-backends/backend.ts';

interface BackendWorld {
  readonly backend: SecretBackend;
  /** Opens the same contents, as another process would find them. */
  readonly reopen: () => SecretBackend;
  /** First part of the backend's keys: `<id>:`, or ''. */
  readonly prefix: string;
  /** Two models that exist. */
  readonly models: readonly [string, string];
}

export function testSecretBackend(world: () => BackendWorld): void {
  const a = { password: 'c2VjcmV0', 'user-name': 'YQ==' };
  const b = { token: Buffer.from([0, 255, 10]).toString('base64') };
  const keyOf = (n: number, model = world().models[0]): string =>
    `${world().prefix}${model}/9m4e2mr0ui3e8a215n4g/${String(n).padStart(32, '0')}.${'a'.repeat(32)}`;

  test('the backend answers its check', async () => {
    await world().backend.check();
  });

  test('contents are read as they were stored, also by another process, until they are erased', async () => {
    const { backend, reopen } = world();
    expect(await backend.get(keyOf(1))).toBeUndefined();
    await backend.put([
      { key: keyOf(1), content: a },
      { key: keyOf(2), content: b },
    ]);
    expect(await backend.get(keyOf(1))).toEqual(a);
    expect(await reopen().get(keyOf(2))).toEqual(b);
    await backend.put([{ key: keyOf(1), content: a }]);
    expect((await reopen().keys(world().models[0])).toSorted()).toEqual([keyOf(1), keyOf(2)]);
    await backend.erase([keyOf(1), keyOf(3)]);
    expect(await reopen().get(keyOf(1))).toBeUndefined();
    expect(await backend.keys(world().models[0])).toEqual([keyOf(2)]);
  });

  test('models have contents of their own, which are forgotten as a whole', async () => {
    const { backend, reopen, models } = world();
    const [one, other] = models;
    await backend.put([
      { key: keyOf(1, one), content: a },
      { key: keyOf(2, one), content: a },
      { key: keyOf(1, other), content: b },
    ]);
    expect((await reopen().models()).toSorted()).toEqual([one, other].toSorted());
    await backend.forget(one);
    await backend.forget(one);
    expect(await reopen().keys(one)).toEqual([]);
    expect(await backend.get(keyOf(1, one))).toBeUndefined();
    expect(await reopen().get(keyOf(1, other))).toEqual(b);
    expect(await reopen().models()).toEqual([other]);
    await backend.put([{ key: keyOf(1, one), content: b }]);
    expect(await reopen().get(keyOf(1, one)), 'after it was forgotten').toEqual(b);
  });

  test('large contents are kept', async () => {
    const { backend, reopen } = world();
    const large = { text: 'QUJD'.repeat(249_000) };
    await backend.put([{ key: keyOf(9), content: large }]);
    expect(await reopen().get(keyOf(9))).toEqual(large);
  });
}
