import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeDocuments } from '../bundle/overlay.ts';
import { parseModelFile } from './parse-model-file.ts';

function problemsOf(...documents: string[]): string[] {
  try {
    parseModelFile(mergeDocuments(documents.map((text) => parse(text))));
  } catch (error) {
    return (error as Error).message.replace('the model file cannot be used: ', '').split('\n  ');
  }
  return [];
}

const said =
  'no value: write one, or remove the key (what the file has set and no longer names goes with --prune)';

/** A file in which the key of the path has no value. */
function without(path: readonly string[]): object {
  return path.reduceRight<unknown>((value, key) => ({ [key]: value }), null) as object;
}

const db = ['applications', 'db'];

test.each([
  [['name']],
  [['description']],
  [['default-base']],
  [['constraints']],
  [['settings', 'http-proxy']],
  [['access', 'bob']],
  [['secrets', 'pw', 'description']],
  [['secrets', 'pw', 'content', 'password', 'env']],
  [['storage-pools', 'fast', 'attributes', 'size']],
  [['saas', 'far', 'url']],
  [['machines', '0', 'base']],
  [['machines', '0', 'constraints']],
  [['machines', '0', 'annotations', 'rack']],
  [[...db, 'charm']],
  [[...db, 'channel']],
  [[...db, 'revision']],
  [[...db, 'base']],
  [[...db, 'series']],
  [[...db, 'num_units']],
  [[...db, 'constraints']],
  [[...db, 'expose']],
  [[...db, 'trust']],
  [[...db, 'options', 'port']],
  [[...db, 'annotations', 'gui-x']],
  [[...db, 'bindings', 'db']],
  [[...db, 'resources', 'image']],
  [[...db, 'storage', 'data']],
  [[...db, 'after', 'other']],
  [[...db, 'refresh', 'max-unavailable']],
  [[...db, 'refresh', 'pause-after']],
  [[...db, 'offers', 'data', 'acl', 'bob']],
])('a model file with nothing as the value of %j is refused', (path) => {
  const problems = problemsOf(JSON.stringify(without(path)));
  expect(problems.filter((line) => line.startsWith(`${path.join('.')}: no value`))).toEqual([
    `${path.join('.')}: ${said}`,
  ]);
});

test.each([
  'applications',
  'machines',
  'relations',
  'settings',
  'access',
  'secrets',
  'storage-pools',
  'saas',
])('a model file in which all of %s is commented out is as one without', (key) => {
  expect(problemsOf(`${key}:`)).toEqual([]);
});

test.each(['options', 'annotations', 'bindings', 'to', 'require', 'after', 'storage', 'offers', 'refresh'])(
  'an application of a model file in which all of %s is commented out is as one without',
  (key) => {
    expect(problemsOf(`applications: {db: {charm: ./db, ${key}: }}`)).toEqual([]);
  },
);

const base = `
access: {bob: read}
constraints: mem=1G
applications: {db: {charm: ./db, constraints: mem=1G, options: {port: 1}}}`;

test.each([
  ['takes back values of its base', 'access: {bob: }\nconstraints:\napplications: {db: {options: {port: }}}'],
  [
    'takes back what its base does not say',
    'access: {eve: }\nsettings: {x: }\nstorage-pools: {p: {attributes: {x: }}}\nsecrets: {pw: {content: {x: }}}',
  ],
  [
    'takes back what no application has',
    'applications: {db: {storage: {data: }, num_units: }, new: {charm: ./new, trust: , options: {x: }}}',
  ],
])('an overlay that %s is no problem', (_, overlay) => {
  const problems = problemsOf(base, overlay);
  expect(problems.filter((line) => line.includes('no value'))).toEqual([]);
});

test('a value that is missing stays missing under an overlay that does not name it', () => {
  const file = 'access: {bob: }\nconstraints:\napplications: {db: {charm: ./db, trust: }}';
  const problems = problemsOf(file, 'name: other').filter((line) => line.includes('no value'));
  expect(problems.map((line) => line.split(':')[0])).toEqual([
    'applications.db.trust',
    'constraints',
    'access.bob',
  ]);
});

test('a null deeper than an overlay merges takes nothing back, and is refused', () => {
  const offers = (access: string): string =>
    `applications: {db: {charm: ./db, offers: {data: {endpoints: [db], acl: {bob: ${access}}}}}}`;
  expect(problemsOf(offers('read'), offers('null'))).toEqual([
    `applications.db.offers.data.acl.bob: ${said}`,
  ]);
});

test('the former name of a setting is read as the present one', () => {
  const settings = (text: string) => parseModelFile(parse(`settings: ${text}`)).settings;
  expect(settings('{default-series: noble}')).toEqual({ 'default-base': 'ubuntu@24.04' });
  expect(settings('{default-series: noble, default-base: ubuntu@24.04}')).toEqual(
    settings('{default-series: noble}'),
  );
  expect(problemsOf('settings: {default-series: noble, default-base: debian@12}')).toEqual([
    'settings: cannot set both default-series and default-base',
  ]);
});
