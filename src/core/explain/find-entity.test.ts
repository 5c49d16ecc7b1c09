import { describe, expect, test } from 'vitest';
import { application, explainView, machine, relation, unit } from '../../testing/explain-view.ts';
import { findEntity } from './find-entity.ts';

const view = explainView({
  application: { ...application('mysql'), ...application('wordpress'), ...application('log') },
  unit: { ...unit('mysql/0', '1'), ...unit('mysql/2', '1') },
  machine: { ...machine('1'), ...machine('1/lxd/0', { parent: '1' }) },
  sequence: {
    machine: { name: 'machine', next: 3 },
    'unit gone': { name: 'unit gone', next: 1 },
    'unit mysql': { name: 'unit mysql', next: 5 },
    relation: { name: 'relation', next: 5 },
    'container 1/lxd': { name: 'container 1/lxd', next: 2 },
  },
  relation: {
    ...relation(0, 'mysql:cluster'),
    ...relation(1, 'wordpress:db mysql:server'),
    ...relation(2, 'log:info mysql:juju-info'),
    ...relation(3, 'log:more mysql:juju-info'),
  },
});
const found = (text: string): string => {
  const { kind, id } = findEntity(text === '' ? [] : text.split(' '), view);
  return `${kind} ${id}`;
};

test.each([
  ['', 'model u'],
  ['default', 'model u'],
  ['admin/default', 'model u'],
  ['u', 'model u'],
  ['model', 'model u'],
  ['model default', 'model u'],
  ['mysql/2', 'unit mysql/2'],
  ['unit mysql/2', 'unit mysql/2'],
  ['mysql', 'application mysql'],
  ['application mysql', 'application mysql'],
  ['1', 'machine 1'],
  ['1/lxd/0', 'machine 1/lxd/0'],
  ['machine 1', 'machine 1'],
  ['relation 1', 'relation 1'],
  ['wordpress:db mysql:server', 'relation 1'],
  ['mysql wordpress', 'relation 1'],
  ['relation mysql wordpress', 'relation 1'],
  ['mysql:cluster', 'relation 0'],
  ['log:info mysql', 'relation 2'],
])('the words "%s" name %s', (text, expected) => {
  expect(found(text)).toBe(expected);
});

test.each(['relation 1', 'wordpress:db mysql:server', 'machine 1', ' unit  mysql/2 '])(
  'one argument "%s" is split into words, as a shell passes quoted text',
  (text) => {
    expect(findEntity([text], view)).toEqual(findEntity(text.trim().split(/ +/), view));
  },
);

describe('findEntity rejects unknown names with a suggestion', () => {
  test.each([
    ['gone', 'application "gone" not found; it was removed: see "history gone"'],
    ['mysqk', '"mysqk" not found; did you mean "mysql"?'],
    ['zzzzzzzzz', '"zzzzzzzzz" not found'],
    ['mysql/1', 'unit "mysql/1" not found; it was removed: see "history mysql/1"'],
    ['mysql/9', 'unit "mysql/9" not found; mysql has units mysql/0, mysql/2'],
    ['machine 0', 'machine 0 not found; it was removed: see "history 0"'],
    ['relation 4', 'relation 4 not found; it was removed: see "history relation 4"'],
    ['wordpress/0', 'unit "wordpress/0" not found; wordpress has no units'],
    ['mysl/2', 'unit "mysl/2" not found; did you mean "mysql/2"?'],
    ['mysl/7', 'unit "mysl/7" not found; did you mean "mysql"?'],
    ['9', 'machine 9 not found; model default has machines 1, 1/lxd/0'],
    ['machine 9', 'machine 9 not found; model default has machines 1, 1/lxd/0'],
    ['5/lxd/9', 'machine 5/lxd/9 not found; model default has machines 1, 1/lxd/0'],
    ['1/lxd/1', 'machine 1/lxd/1 not found; it was removed: see "history 1/lxd/1"'],
    ['1/lxd/2', 'machine 1/lxd/2 not found; model default has machines 1, 1/lxd/0'],
    ['0', 'machine 0 not found; it was removed: see "history 0"'],
    ['2', 'machine 2 not found; it was removed: see "history 2"'],
    ['4', 'machine 4 not found; model default has machines 1, 1/lxd/0'],
    ['relation 9', 'relation 9 not found'],
    ['application mysqll', 'application "mysqll" not found; did you mean "mysql"?'],
    ['model other', 'model "other" not found; the current model is "default"; choose another with -m'],
    ['wordpress log', 'relation "wordpress log" not found; wordpress has 1 (wordpress:db mysql:server)'],
    ['wordpres mysql', 'application "wordpres" not found; did you mean "wordpress"?'],
  ])('%s', (text, message) => {
    expect(() => found(text)).toThrow(expect.objectContaining({ code: 'not found', message }));
  });

  test('two bare numbers name two machines and are rejected', () => {
    expect(() => found('0 1')).toThrow('expected one machine, got 2');
  });

  test('the error for an unknown machine names the only machine that there is', () => {
    const one = explainView({ machine: machine('0') });
    expect(() => findEntity(['7'], one)).toThrow('machine 7 not found; model default has machine 0');
    expect(() => findEntity(['7'], explainView({}))).toThrow(
      'machine 7 not found; model default has no machines',
    );
  });

  test('a machine that is not in the history any more is reported without a search of the history', () => {
    expect(() => findEntity(['0'], { ...view, withPast: true })).toThrow(
      'machine 0 not found; it was removed, and the history does not go back to it',
    );
  });

  test('a very long word is not compared with any name', () => {
    const many = explainView({
      application: Object.assign({}, ...Array.from({ length: 2000 }, (_, n) => application(`app${n}`))),
    });
    expect(() => findEntity(['a'.repeat(1_000_000)], many)).toThrow('" not found');
  });

  test.each([
    ['words', Array.from({ length: 100_000 }, () => 'mysql')],
    ['ends in one word', ['mysql:server '.repeat(100_000)]],
  ])('very many %s are refused before any of them is looked up', (_, names) => {
    let read = 0;
    const counting = explainView({ application: application('mysql') }, { onGet: () => read++ });
    expect(() => findEntity(names, counting)).toThrow('expected at most three words that name one entity');
    expect(read).toBe(0);
  });

  test('two endpoints with two relations between their applications are ambiguous', () => {
    expect(() => found('log mysql')).toThrow(
      '"log mysql" may be relation 2 (log:info mysql:juju-info) or relation 3 (log:more mysql:juju-info)',
    );
  });
});
