import { resolve } from 'node:path';

/** The absolute paths in GRIGRI_PROVIDERS, which are separated by commas. */
export function providerModules(env: Readonly<Record<string, string | undefined>>, cwd: string): string[] {
  const named = (env['GRIGRI_PROVIDERS'] ?? '').split(',').map((path) => path.trim());
  return [...new Set(named.filter(Boolean).map((path) => resolve(cwd, path)))];
}
