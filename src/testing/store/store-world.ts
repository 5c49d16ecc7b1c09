/** Store in a folder of its own, made anew for each test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../../store/store.ts';
import type { Kinds, Open, Options, Pet } from './backends.ts';

let folder: string;
export let store: Store<Kinds>;
let open: Open;

/** Registers the opening and the removal of the store; for the start of a block of tests. */
export function prepareStore(backend: Open): void {
  beforeEach(() => {
    open = backend;
    folder = mkdtempSync(join(tmpdir(), 'grigri-store-'));
    store = open(folder);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
}

export const reopen = async (options?: Options): Promise<void> => {
  await store.close();
  store = open(folder, options);
};
export const put = (id: string, pet: Partial<Pet> = {}): Promise<void> =>
  store.change((tx) => tx.put('pet', id, { name: id, ...pet }), 'test');
export const names = (pets: Iterable<Pet>): string[] => [...pets].map((pet) => pet.name);
