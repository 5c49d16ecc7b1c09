import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notFound, JujuError } from '../core/errors.ts';
import { providerModules } from './external-modules.ts';
import { loadProviders } from './external.ts';
import { providers } from './index.ts';
import { ProviderError } from './contract/provider.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-external-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const whole = (type: string): string => `{
  type: '${type}', description: 'd', authTypes: {}, config: {}, controllerOn: 'this host', firewallModes: [],
  prepareForBootstrap() {}, prepareForModel() {}, validate() {}, boilerplate() {}, open() {},
}`;

function moduleOf(name: string, text: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, text);
  return path;
}

test('GRIGRI_PROVIDERS names modules by paths, absolute or relative to the working directory', () => {
  const env = { GRIGRI_PROVIDERS: ' a.mjs, ../b.ts,/c/d.mjs,,a.mjs' };
  expect(providerModules(env, '/x/y')).toEqual(['/x/y/a.mjs', '/x/b.ts', '/c/d.mjs']);
  expect(providerModules({}, '/x')).toEqual([]);
});

test('External providers come after the built-in ones', async () => {
  const one = moduleOf('one', `export default ${whole('one')}`);
  const two = moduleOf('two', `export const provider = ${whole('two')}`);
  const all = await loadProviders([one, two]);
  expect([...all.keys()]).toEqual([...providers.keys(), 'one', 'two']);
  expect(await loadProviders([])).toBe(providers);
});

test.each([
  ['nothing', 'export {}', 'it has no provider: neither a default export nor one called "provider"'],
  ['half', "export default { type: 'x', open() {} }", 'lacks description (string), authTypes (object)'],
  ['twice', `export default ${whole('local')}`, 'a provider of type "local" already exists'],
  ['throws', "throw new Error('no such cloud')", 'no such cloud'],
])('A module is refused with its path in the error: %s', async (name, text, message) => {
  const path = moduleOf(name, text);
  const refusal = loadProviders([path]);
  await expect(refusal).rejects.toThrow(`cannot load the provider ${path} (GRIGRI_PROVIDERS): `);
  await expect(refusal).rejects.toThrow(message);
});

test('A missing module is refused with its path in the error', async () => {
  await expect(loadProviders([join(folder, 'absent.mjs')])).rejects.toThrow(/absent\.mjs.*Cannot find/);
});

test('Errors from another copy of the error classes are recognized by their name and members', () => {
  const foreign = (name: string, more: object): Error => Object.assign(new Error('x'), { name, ...more });
  expect(foreign('ProviderError', { class: 'quota' })).toBeInstanceOf(ProviderError);
  expect(foreign('JujuError', { code: 'not found' })).toBeInstanceOf(JujuError);
  expect(foreign('ProviderError', {})).not.toBeInstanceOf(ProviderError);
  expect(new ProviderError('quota', 'x')).not.toBeInstanceOf(JujuError);
  expect(notFound('a', 'b')).toBeInstanceOf(JujuError);
  expect(new Error('x')).not.toBeInstanceOf(JujuError);
});
