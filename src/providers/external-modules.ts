import { resolve } from 'node:path';

/** Returns the absolute paths in GRIGRI_PROVIDERS, a comma-separated list. */
export function providerModules(env: Readonly<Record<string, string | undefined>>, cwd: string): string[] {
  const named = (env['GRIGRI_PROVIDERS'] ?? '').split(',').map((path) => path.trim());
  return [...new Set(named.filter(Boolean).map((path) => resolve(cwd, path)))];
}
