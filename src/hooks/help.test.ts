import { expect, test } from 'vitest';

import { fakeHookContext, type FakeHookContextOverrides } from '../testing/hook-context.ts';
import { toolHelp } from './help.ts';
import { tools } from './tools.ts';

const ofStorage: FakeHookContextOverrides = { event: { name: 'data-storage-attached', storage: 'data/0' } };
const ofRelation: FakeHookContextOverrides = {
  event: { name: 'db-relation-joined', relation: { id: 7, endpoint: 'db' } },
};

test.each<[tool: string, of: FakeHookContextOverrides, line: string]>([
  ['storage-get', ofStorage, '-s (= data/0)'],
  ['storage-get', {}, '-s (= )'],
  ['relation-get', ofRelation, '-r, --relation (= db:7)'],
  ['relation-get', {}, '-r, --relation (= )'],
  ['relation-set', ofRelation, '--file (= )'],
  ['config-get', {}, '-a, --all (= false)'],
])('%s --help in the hook of %j has the line %s', (name, of, line) => {
  expect(toolHelp(tools.get(name)!, fakeHookContext(of)).split('\n')).toContain(line);
});

test('the help of storage-get contains what ops looks for in storage hooks', () => {
  // Regular expression of ops' _storage_event_details.
  const key = /.*^-s\s+\(=\s+(?<key>.*?)\)\s*?$/ms;
  const help = toolHelp(tools.get('storage-get')!, fakeHookContext(ofStorage));
  expect(key.exec(help)?.groups?.['key']).toBe('data/0');
});
