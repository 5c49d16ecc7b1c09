import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Those that `npm test` runs in a hurry: they ask how much time there is. */
const include = globSync('{src,examples}/**/*.test.ts').filter((path) =>
  /testing\/(?:fast-check|thorough)\.ts|'\.\.?\/(?:fast-check|thorough)\.ts/.test(readFileSync(path, 'utf8')),
);

export default defineConfig({
  test: { include, env: { GRIGRI_THOROUGH: '1' }, isolate: false, testTimeout: 300_000, hookTimeout: 60_000 },
});
