import { expect, test } from 'vitest';
import { describeHost } from './describe-host.ts';

const base = { name: 'ubuntu', channel: '24.04/stable' };

test.each([
  {
    hardware: { arch: 'amd64', cores: 2, mem: 7954 },
    text: 'ubuntu@24.04, amd64, 2 cores, 7954 MiB of memory',
  },
  { hardware: { arch: 'arm64' }, text: 'ubuntu@24.04, arm64' },
])('A host is described as $text', ({ hardware, text }) => {
  expect(describeHost({ base, hardware })).toBe(text);
});
