/** Begin and end of an apply: who holds a model, what makes a plan stale, and what is recorded and kept. */
import { describe, expect, test } from 'vitest';
import { limits } from '../../../core/limits.ts';
import {
  applier,
  begin,
  callers,
  connectApplier,
  deploy,
  end,
  owned,
  prepareApplies,
  revision,
} from '../../../testing/applies.ts';
import type { ResponseOf } from '../../../wire/facade-spec.ts';
import type { modelFiles } from '../../../wire/facades/model-files.ts';
import { setStatus } from '../../transactions/tx.ts';

prepareApplies();

describe('guard', () => {
  test('a second applier is refused, with by whom, since when and from where the model is held', async () => {
    await begin();
    await expect(begin({ connection: callers.connect('10.0.0.4'), as: 'bob' })).rejects.toThrow(
      'model is being applied from file "shop" by admin from 10.0.0.3 since 2026-01-01T00:00:00.000Z',
    );
    await expect(begin({}, 'other')).rejects.toThrow('model is being applied from file "shop"');
  });

  test('a model is free after End, and when the connection ends', async () => {
    const other = { connection: callers.connect('10.0.0.4'), as: 'bob' };
    await begin();
    await end();
    await begin(other);
    other.connection.end();
    await begin();
    await expect(end('', other)).rejects.toThrow('this connection applies no file to the model');
    await expect(begin(other)).rejects.toThrow('connection has ended');
  });

  test('a refused applier holds nothing', async () => {
    await expect(begin({}, 'No name')).rejects.toThrow('"No name" is not a valid name of a model file');
    await expect(begin({}, 'shop', revision() + 1)).rejects.toThrow('is in the future');
    await begin({ connection: callers.connect('10.0.0.4') });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a deploy', () => deploy('web', 'web', { as: 'bob' })],
    [
      'a setting of the model',
      () => callers.call('ModelConfig', 'ModelSet', { config: { 'test-size': 7 } }, { as: 'bob' }),
    ],
    [
      'a pool',
      () =>
        callers.call(
          'Storage',
          'CreatePool',
          { pools: [{ name: 'fast', provider: 'loop', attrs: {} }] },
          { as: 'bob' },
        ),
    ],
    [
      'a grant',
      () =>
        callers.call(
          'ModelManager',
          'ModifyModelAccess',
          {
            changes: [
              {
                'user-tag': 'user-carl',
                action: 'grant',
                access: 'read',
                'model-tag': `model-${callers.model}`,
              },
            ],
          },
          { as: 'bob' },
        ),
    ],
  ])('a plan is stale after %s', async (_, change) => {
    await callers.addUser('carl');
    const planned = revision();
    await change();
    await expect(begin({}, 'shop', planned)).rejects.toThrow(
      `model has changed since its plan was made (revision ${planned}): bob changed it at 2026-01-01T00:00:00.000Z`,
    );
  });

  test('a change that is written while an apply begins ends it with the reason', async () => {
    await deploy('web', 'web');
    const planned = revision();
    const [changed, begun] = await Promise.allSettled([
      callers.call('Application', 'Expose', { application: 'web' }),
      begin({}, 'shop', planned),
    ]);
    expect(changed.status).toBe('fulfilled');
    const failure = expect.stringMatching(/^model has changed since its plan was made/);
    expect(begun).toMatchObject({ status: 'rejected', reason: { message: failure } });
    const record = callers.store.read().in(callers.model).get('model-file', 'shop');
    expect(record?.ended).toMatchObject({ failure });
    await begin();
  });

  test('a plan stays good while agents report, users run actions and other models change', async () => {
    await deploy('web', 'web', {}, { 'num-units': 1 });
    const planned = revision();
    await callers.store.change(
      (tx) => setStatus(tx.in(callers.model), 'unit-agent', 'web/0', 'idle'),
      'machine-0',
    );
    await callers.addUser('dora');
    await callers.call('Block', 'SwitchBlockOn', { type: 'BlockDestroy', message: '' });
    expect(revision()).toBeGreaterThan(planned);
    await begin({}, 'shop', planned);
  });
});

describe('charms', () => {
  const charms = (): string[] =>
    [...callers.store.read().in(callers.model).list('charm')].map(({ url }) => url).sort();
  const beginWith = (urls: readonly string[], file = 'shop'): Promise<unknown> =>
    callers.call(
      'ModelFiles',
      'Begin',
      { file, revision: revision(), charms: urls },
      { connection: applier },
    );
  const remove = (application: string): Promise<unknown> =>
    callers.call('Application', 'DestroyApplication', {
      applications: [{ 'application-tag': `application-${application}`, force: false }],
    });

  test('a charm that a step is to take stays without its application until the apply is done', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    expect(charms()).toContain('local:web-0');
    await end();
    expect(charms()).toEqual(['local:db-0']);
  });

  test('a bundle that is deployed keeps charms, too, holds the model, and owns nothing', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0'], '');
    await expect(begin({ connection: callers.connect('10.0.0.4') })).rejects.toThrow(
      'model is being changed by the deploy of a bundle by admin from 10.0.0.3 since 2026-01-01T00:00:00.000Z',
    );
    await remove('shop');
    expect(charms()).toContain('local:web-0');
    await deploy('other', 'db', { connection: applier });
    await end();
    expect(charms()).toEqual(['local:db-0']);
    expect(await owned('-bundle')).toEqual([]);
    await expect(begin({}, '-bundle')).rejects.toThrow('"-bundle" is not a valid name of a model file');
  });

  test('a charm that an application has taken stays when the apply is done', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    await deploy('other', 'web');
    await end();
    expect(charms()).toContain('local:web-0');
    await remove('other');
    expect(charms()).toEqual(['local:db-0']);
  });

  test.each([
    ['fails', () => end('no more machines')],
    [
      'goes away without a word',
      () => {
        applier.end();
        connectApplier();
        return Promise.resolve();
      },
    ],
  ])('a charm of an apply that %s stays until the next one of the file does not take it', async (_, stop) => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0']);
    await remove('shop');
    await stop();
    expect(charms()).toContain('local:web-0');
    await beginWith([], 'another');
    await end();
    await beginWith(['local:web-0']);
    await end('again');
    expect(charms()).toContain('local:web-0');
    await begin();
    expect(charms()).toEqual(['local:db-0']);
  });

  test('a charm that was uploaded for later stays when an apply does not take it after all', async () => {
    await beginWith(['local:web-0', 'local:unknown-7']);
    await end();
    expect(charms()).toEqual(['local:db-0', 'local:web-0']);
  });

  test('the charms of a file that is forgotten go', async () => {
    await deploy('shop', 'web');
    await beginWith(['local:web-0'], 'first');
    await remove('shop');
    await end('no more machines');
    callers.advance(1000);
    for (let n = 1; n < limits.modelFiles.max; n++) {
      await begin({}, `f${n}`);
      await end();
    }
    expect(charms()).toContain('local:web-0');
    await begin({}, 'last');
    expect(charms()).toEqual(['local:db-0']);
  });

  test('an apply with too many such charms is refused', async () => {
    const { max } = limits.charmsOfApply;
    const urls = Array.from({ length: max + 1 }, (__, n) => `local:c${n}-0`);
    await callers.change((tx) => {
      const begun = { at: '', user: 'admin', from: '', charms: urls };
      tx.put('model-file', 'former', { name: 'former', begun: { ...begun, charms: urls.slice(0, max) } });
      tx.put('model-file', 'other', { name: 'other', begun: { ...begun, charms: urls.slice(max) } });
    });
    await expect(beginWith(urls)).rejects.toThrow(`charms that change their applications`);
    await beginWith([...urls.slice(1), ...urls.slice(1)]);
  });
});

describe('record', () => {
  const status = (): Promise<ResponseOf<typeof modelFiles, 'Status'>> => callers.call('ModelFiles', 'Status');

  test('an apply shows who holds the model, and later how it ended', async () => {
    await begin();
    const began = '2026-01-01T00:00:00.000Z';
    const known = { name: 'shop', user: 'admin', from: '10.0.0.3', began };
    expect(await status()).toEqual({
      holder: { file: 'shop', user: 'admin', from: '10.0.0.3', since: began },
      files: [known],
    });
    callers.advance(1000);
    await end('no more machines');
    const ended = '2026-01-01T00:00:01.000Z';
    expect(await status()).toEqual({ files: [{ ...known, ended, failure: 'no more machines' }] });
    await begin();
    await end();
    expect(await status()).toEqual({ files: [{ ...known, began: ended, ended }] });
  });

  test('an address of IPv4 is shown as such', async () => {
    await begin({ connection: callers.connect('::ffff:192.0.2.7') });
    expect((await status()).holder).toMatchObject({ from: '192.0.2.7' });
  });

  test('a client that goes away without a word leaves an apply without an end', async () => {
    await begin();
    applier.end();
    expect(await status()).toEqual({
      files: [expect.not.objectContaining({ ended: expect.anything() as string })],
    });
  });

  test('a long reason is cut', async () => {
    await begin();
    await end('x'.repeat(limits.applyFailure.max + 1));
    expect((await status()).files[0]!.failure).toHaveLength(limits.applyFailure.max);
  });

  test('the oldest of too many files is forgotten', async () => {
    const { max } = limits.modelFiles;
    await callers.change((tx) => {
      for (let n = 0; n < max; n++) {
        const at = new Date(Date.UTC(2025, 0, 1, 0, 0, n)).toISOString();
        tx.put('model-file', `f${n}`, { name: `f${n}`, begun: { at, user: 'admin', from: '' } });
      }
    });
    await begin();
    const names = (await status()).files.map(({ name }) => name);
    expect(names).toHaveLength(max);
    expect(names).not.toContain('f0');
    expect(names).toContain('shop');
  });

  test('the history shows applies as such', async () => {
    await begin();
    await end('no more machines');
    const { commits } = await callers.call<{ commits: { events: { what: string }[] }[] }>(
      'Lives',
      'History',
      {
        names: [],
      },
    );
    expect(commits.flatMap(({ events }) => events.map(({ what }) => what)).slice(0, 2)).toEqual([
      'apply of shop by admin stopped: no more machines',
      'apply of shop by admin from 10.0.0.3 began',
    ]);
  });
});
