/**
 * Example charms for newcomers, who may use Juju's own client: what that client reads of a folder, and what it refuses.
 */
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCharm } from './read-charm.ts';

const examples = join(import.meta.dirname, '../../../examples');
const charms = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'src')));

test('every charm that the example bundle names is an example', () => {
  const bundle = parse(readFileSync(join(examples, 'bundle.yaml'), 'utf8')) as {
    applications: Record<string, { charm: string }>;
  };
  const named = Object.values(bundle.applications).map(({ charm }) => charm.replace('./', ''));
  expect(named.filter((name) => !charms.includes(name))).toEqual([]);
});

describe.each(charms)('the example %s', (name) => {
  const readExample = (file: string): unknown => parse(readFileSync(join(examples, name, file), 'utf8'));

  test('the example charm has a metadata.yaml, because Juju reads no charmcraft.yaml', async () => {
    expect(readExample('metadata.yaml')).toMatchObject({
      name,
      summary: expect.any(String) as string,
      description: expect.any(String) as string,
    });
    expect(existsSync(join(examples, name, 'charmcraft.yaml'))).toBe(false);
    expect((await readCharm(join(examples, name))).charm.meta.name).toBe(name);
  });

  test('the example charm names only bases of Ubuntu, because Juju knows no others except CentOS', () => {
    const { bases } = readExample('manifest.yaml') as { bases: { name: string; channel: string }[] };
    expect(bases).not.toEqual([]);
    for (const base of bases) {
      expect(base.name).toBe('ubuntu');
      expect(base.channel).toMatch(/^\d\d\.\d\d\/stable$/);
    }
  });
});
