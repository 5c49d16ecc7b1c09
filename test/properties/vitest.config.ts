import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { patientExpect } from '../expect-poll.ts';
import { inNode } from '../in-node.ts';

/** Test files whose length depends on the time: they import fast-check or thorough. */
const include = globSync('{src,examples}/**/*.test.ts').filter((path) =>
  /testing\/(?:fast-check|thorough)\.ts|'\.\.?\/(?:fast-check|thorough)\.ts/.test(readFileSync(path, 'utf8')),
);

export default defineConfig({
  test: {
    expect: patientExpect,
    include,
    env: { GRIGRI_THOROUGH: '1' },
    isolate: false,
    ...inNode,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
