import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { globalFlags } from './command.ts';
import { helpText } from './commands/help.ts';
import { findCommand, registry } from './registry.ts';

const files = readdirSync(join(import.meta.dirname, 'commands')).filter((f) => !f.endsWith('.test.ts'));

test('commands/ contains one file for each command of the registry', () => {
  const names = Object.keys(registry).map((name) => `${name.replace(/^__/, '')}.ts`);
  expect(names.sort()).toEqual(files.sort());
});

describe.each(Object.entries(registry))('%s', (name, entry) => {
  test('the command has its name, a summary and flags that do not collide', async () => {
    const command = await entry.load();
    expect(command.name).toBe(name);
    expect(command.summary).toMatch(/^[A-Z].*\.$/);
    const flags = [...Object.values(globalFlags), ...Object.values(command.flags)].flatMap(
      (flag) => flag.names,
    );
    expect(flags).toEqual([...new Set(flags)]);
  });

  test('the help of the command refers to existing commands', async () => {
    const command = await entry.load();
    expect(helpText(command, entry.aliases ?? [])).toContain(`Usage: grigri ${name}`);
    for (const other of command.seeAlso ?? []) expect(findCommand(other)?.name, other).toBe(other);
    for (const example of command.examples) expect(findCommand(example.split(' ')[0]!)?.name).toBe(name);
  });
});

test.each([
  ['destroy-unit', 'remove-unit'],
  ['destroy-service', 'remove-application'],
  ['destroy-machine', 'remove-machine'],
  ['terminate-machine', 'remove-machine'],
  ['relate', 'integrate'],
  ['add-relation', 'integrate'],
  ['list-models', 'models'],
  ['resolve', 'resolved'],
  ['restore', 'restore-backup'],
])('the alias %s is the command %s', (alias, name) => {
  expect(findCommand(alias)?.name).toBe(name);
});
