import { expect, test } from 'vitest';
import { linkLeadsOut } from './link-leads-out.ts';

test.each([
  ['start', 'install'],
  ['hooks/start', 'install'],
  ['hooks/start', './install'],
  ['hooks/start', '../src/charm.py'],
  ['hooks/start', '..'],
  ['a/b/c', '../../d'],
  ['a/b', '.././c//d'],
])('the link %s to %s stays within the charm', (link, target) =>
  expect(linkLeadsOut(link, target)).toBe(false),
);

test.each([
  ['start', ''],
  ['start', '/etc/passwd'],
  ['start', 'a\0b'],
  ['start', '..'],
  ['hooks/start', '../../x'],
  ['a/b/c', '../../../d'],
  ['hooks/start', 'other/../install'],
  ['hooks/start', '../other/../src'],
])('the link %s to %j may lead out of the charm', (link, target) =>
  expect(linkLeadsOut(link, target)).toBe(true),
);
