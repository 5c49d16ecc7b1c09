/**
 * External providers: modules listed in GRIGRI_PROVIDERS whose default export, or the export called `provider`, is a
 * Provider. A controller records the modules that it was created with, so that it loads them again whoever starts it.
 */
import { pathToFileURL } from 'node:url';
import { providers } from './index.ts';
import type { Provider } from './contract/provider.ts';

/** Returns the built-in providers and those of the modules. Errors: plain Error that names the module. */
export async function loadProviders(modules: readonly string[]): Promise<ReadonlyMap<string, Provider>> {
  if (modules.length === 0) return providers;
  const all = new Map(providers);
  for (const path of modules) {
    const provider = await load(path);
    if (all.has(provider.type)) throw failure(path, `a provider of type "${provider.type}" already exists`);
    all.set(provider.type, provider);
  }
  return all;
}

async function load(path: string): Promise<Provider> {
  let module: { readonly default?: unknown; readonly provider?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module;
  } catch (error) {
    throw failure(path, error instanceof Error ? error.message : String(error), error);
  }
  const found = module.default ?? module.provider;
  if (typeof found !== 'object' || found === null)
    throw failure(path, 'it has no provider: neither a default export nor one called "provider"');
  const wrongMembers = Object.entries(members)
    .filter(([name, type]) => !isA(type, (found as Readonly<Record<string, unknown>>)[name]))
    .map(([name, type]) => `${name} (${type})`);
  if (wrongMembers.length > 0) throw failure(path, `its provider lacks ${wrongMembers.join(', ')}`);
  return found as Provider;
}

/** Required members of a provider and their types. */
const members = {
  type: 'string',
  description: 'string',
  authTypes: 'object',
  config: 'object',
  controllerOn: 'string',
  firewallModes: 'array',
  prepareForBootstrap: 'function',
  prepareForModel: 'function',
  validate: 'function',
  boilerplate: 'function',
  open: 'function',
} as const satisfies { readonly [P in keyof Provider]?: string };

function isA(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  return typeof value === type && value !== null && value !== '';
}

function failure(path: string, message: string, cause?: unknown): Error {
  return new Error(`cannot load the provider ${path} (GRIGRI_PROVIDERS): ${message}`, { cause });
}
