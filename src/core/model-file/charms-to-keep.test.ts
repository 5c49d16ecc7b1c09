import { expect, test } from 'vitest';
import { charmsToKeep } from './charms-to-keep.ts';
import type { ModelStep } from './step.ts';
import { planFile, applied, emptyLive } from '../../testing/model-file/world.ts';

const deploy = (application: string, url: string): ModelStep => ({
  kind: 'deploy',
  application,
  charm: { url },
  base: { name: 'ubuntu', channel: '24.04/stable' },
  options: {},
  constraints: {},
  bindings: {},
  require: [],
});
const refresh = (application: string, url: string): ModelStep => ({
  kind: 'refresh',
  application,
  charm: { url },
});
const remove = (application: string): ModelStep => ({ kind: 'remove-application', application });

const has = applied(
  emptyLive,
  planFile(
    { applications: { a: { charm: './mysql' }, b: { charm: './mysql' }, c: { charm: './web' } } },
    emptyLive,
  ),
).bundle.state;
const [mysql, web] = [has.applications['a']!.charm, has.applications['c']!.charm] as const;

test.each<[string, ModelStep[], string[]]>([
  ['the charm of an application that is replaced', [remove('c'), deploy('c', web)], [web]],
  ['the charm of an application that gets another name', [deploy('d', web), remove('c')], [web]],
  ['charms that applications swap', [refresh('c', mysql), refresh('a', web), remove('b')], [mysql, web]],
  ['a charm that nothing uses', [deploy('d', 'local:other-0')], ['local:other-0']],
  ['no charm that another application keeps', [remove('a'), deploy('a', mysql)], []],
  ['no charm that nothing takes', [remove('c'), remove('a')], []],
  ['no charm of files', [{ ...deploy('d', ''), charm: { path: '/web' } } as ModelStep, remove('c')], []],
])('steps keep %s', (_, steps, kept) => {
  expect(charmsToKeep(steps, has)).toEqual(kept);
});
