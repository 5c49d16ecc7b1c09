/**
 * Providers of a controller: the built-in ones, those recorded when it was created, and those named by its environment.
 */
import { join } from 'node:path';
import { providerModules } from '../../providers/external-modules.ts';
import { loadProviders } from '../../providers/external.ts';
import { readJson, writeJson } from '../../providers/toolkit/json-file.ts';
import type { Provider } from '../../providers/contract/provider.ts';

/** Loads the providers. Errors: plain Error that names the module which cannot be loaded. */
export async function knownProviders(dataDir: string): Promise<ReadonlyMap<string, Provider>> {
  const recorded = (await readJson<string[]>(recordFile(dataDir))) ?? [];
  return loadProviders([...new Set([...recorded, ...providerModules(process.env, process.cwd())])]);
}

/** Records the external providers, so that they are loaded whoever starts the controller later, e.g. after a reboot. */
export async function recordProviders(dataDir: string): Promise<void> {
  const modules = providerModules(process.env, process.cwd());
  if (modules.length > 0) await writeJson(recordFile(dataDir), modules);
}

function recordFile(dataDir: string): string {
  return join(dataDir, 'providers.json');
}
