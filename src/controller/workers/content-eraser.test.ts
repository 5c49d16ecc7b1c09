import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../testing/call.ts';
import { eventually } from '../../testing/eventually.ts';
import { MemoryContents } from '../../store/memory-contents.ts';
import { secretWorld } from '../../testing/secret-world.ts';
import { InternalBackend } from '../secret-backends/internal.ts';
import { SecretContents } from '../secret-contents.ts';
import { putBackend } from '../transactions/shared/secret-backends.ts';
import { ContentEraser } from './content-eraser.ts';

const content = { password: 'c2VjcmV0' };
let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.store.change(
    (root) => putBackend(root.in(''), { id: 'v', name: 'myvault', type: 'vault', config: {} }),
    'test',
  );
});
afterEach(() => callers[Symbol.asyncDispose]());

/** A backend elsewhere that refuses to erase, and counts how often it was asked. */
class Elsewhere extends InternalBackend {
  asked = 0;
  isDown = true;
  onErase: () => void = () => undefined;
  constructor() {
    super(new MemoryContents(), callers.context.services.sealer);
  }
  override models(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
  override async erase(keys: readonly string[]): Promise<void> {
    this.asked += 1;
    this.onErase();
    if (this.isDown) throw new Error('down');
    await super.erase(keys);
  }
}
function eraserWith(external: InternalBackend, internal: InternalBackend = new Elsewhere()) {
  const { store, context } = callers;
  const { sealer } = context.services;
  const secretContents = new SecretContents({ internal, external: () => external, sealer });
  const services = { ...context.services, secretContents };
  return { eraser: new ContentEraser({ store, services, wake: () => undefined }), secretContents };
}
/** Leaves contents that a writer could store but not erase. */
async function leave(secretContents: SecretContents, count: number): Promise<void> {
  const contents = [...Array(count).keys()].map((n) => ({ key: `v:m/a/${n}`, content }));
  const refused = (): Promise<void> => Promise.reject(new Error('refused'));
  await expect(secretContents.using(contents, refused, () => false)).rejects.toThrow('refused');
}

test('a backend that does not answer does not keep the contents of others from being erased', async () => {
  class Silent extends Elsewhere {
    override models(): Promise<readonly string[]> {
      return new Promise(() => undefined);
    }
  }
  const world = await secretWorld(callers);
  const id = await world.add('web/0', { content });
  const { eraser } = eraserWith(new Silent(), world.contents.backend('') as InternalBackend);
  const { content: key } = callers.view().get('secret-revision', `${id}/1`)!;
  await world.hook('web/0', { remove: [{ id }] });
  void eraser.pass();
  await eventually(async () => expect(await world.contents.get(key)).toBeUndefined());
  eraser.stop();
});

test('a backend that refuses is asked once in a pass, and gets rid of all when it is back', async () => {
  const elsewhere = new Elsewhere();
  const { eraser, secretContents } = eraserWith(elsewhere);
  await leave(secretContents, 1_200);
  elsewhere.asked = 0;
  expect(await eraser.pass()).toBe(60_000);
  expect(elsewhere.asked).toBe(1);
  elsewhere.isDown = false;
  expect(await eraser.pass()).toBeUndefined();
  expect(await elsewhere.keys('v:m')).toEqual([]);
  eraser.stop();
});

test('an eraser that is stopped does not go on with what is left', async () => {
  const elsewhere = new Elsewhere();
  const { eraser, secretContents } = eraserWith(elsewhere);
  await leave(secretContents, 1_200);
  elsewhere.isDown = false;
  elsewhere.asked = 0;
  const stop = new AbortController();
  elsewhere.onErase = () => stop.abort(new Error('stopped'));
  await expect(eraser.pass(stop.signal)).rejects.toThrow('stopped');
  expect(elsewhere.asked).toBe(1);
  eraser.stop();
});
