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
])('%s to %s stays', (link, target) => expect(linkLeadsOut(link, target)).toBe(false));

test.each([
  ['start', ''],
  ['start', '/etc/passwd'],
  ['start', 'a\0b'],
  ['start', '..'],
  ['hooks/start', '../../x'],
  ['a/b/c', '../../../d'],
  ['hooks/start', 'other/../install'],
  ['hooks/start', '../other/../src'],
])('%s to %j leads out, or may', (link, target) => expect(linkLeadsOut(link, target)).toBe(true));
