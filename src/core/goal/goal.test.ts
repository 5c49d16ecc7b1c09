import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { isGoalError } from './error.ts';
import { parseGoal, type Attributes, type EntityTypes } from './goal.ts';

const types = {
  unit: { name: 'text', life: 'text', leader: 'truth', age: 'number', machines: { each: 'machine' } },
  machine: { id: 'text', life: 'text' },
  model: {
    name: 'text',
    status: 'text',
    pending: 'number',
    open: 'truth',
    units: { each: 'unit' },
    none: { each: 'unit' },
  },
} as const satisfies EntityTypes;

const machine = { id: '0', life: 'alive' };
const unit = (name: string, more: Attributes = {}): Attributes => ({
  name,
  life: 'alive',
  leader: false,
  age: 3,
  machines: [machine],
  ...more,
});
const model: Attributes = {
  name: 'shop',
  status: 'available',
  pending: 2,
  open: true,
  units: [unit('db/0', { leader: true }), unit('web/0', { life: 'dying' })],
  none: [],
};
const isMet = (query: string): boolean => parseGoal(query, { types, kind: 'model' }).isMet(model);

describe('a condition', () => {
  test.each([
    // Comparisons.
    ['status == "available"', true],
    ["status=='available'", true],
    ['status != "available"', false],
    ['pending == 2', true],
    ['pending == "2"', true],
    ['"2" != pending', false],
    ['open == true', true],
    ['open == "true"', true],
    ['open', true],
    ['pending < 3 && pending <= 2 && pending > 1 && pending >= 2', true],
    ['pending > 1.5', true],
    ['pending < "10"', true],
    ['pending < "x" || pending > "x"', false],
    ['"a" < "b" && "b" >= "b"', true],
    ['units == "x"', false],
    ['units == units', false],
    // How closely operators bind.
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['pending < 3 == true', true],
    ['!open || open', true],
    ['!(open && !open)', true],
    ['!!open', true],
    // What counts as met.
    ['name', true],
    ['""', false],
    ['pending', true],
    ['0', false],
    ['units', true],
    ['none', false],
    // The first of several expressions counts.
    ['open; false', true],
    ['false; open;', false],
    ['name\n==\n"shop"', true],
    // Functions.
    ['len(units) == 2', true],
    ['len(name) == 4', true],
    ['startsWith(name, "sh") && endsWith(name, "op")', true],
    ['startsWith(name, "op")', false],
    ['forEach(units, unit => unit.age == 3)', true],
    ['forEach(units, unit => unit.life == "alive")', false],
    ['forEach(units, _ => open)', true],
    ['forEach(units, u => u)', true],
    ['forEach(none, u => true)', false],
    ['forEach(units, u => forEach(u.machines, m => m.life == "alive" && u.age == 3))', true],
    ['forEach(units, u => forEach(u.machines, u => u.id == "0"))', true],
    ['forEach(units, u => len(u.machines) == 1 && endsWith(u.name, "/0"))', true],
  ])('%j is %s', (query, expected) => {
    expect(isMet(query)).toBe(expected);
  });

  test.each([
    ['', 'Syntax Error: <:1:1> expected token to be IDENT, got EOF instead'],
    ['status ==', 'Syntax Error: <:1:10> expected token to be IDENT, got EOF instead'],
    ['status == "x', 'Syntax Error: <:1:11> expected token to be "", got EOF instead'],
    ['status = "x"', "Syntax Error: <:1:8> invalid character '=' found"],
    ['open & open', "Syntax Error: <:1:6> invalid character '&' found"],
    ['open && && open', "Syntax Error: <:1:9> invalid character '&&' found"],
    ['(open', 'Syntax Error: <:1:6> expected token to be ), got EOF instead'],
    ['open)', 'Syntax Error: <:1:5> expected token to be ;, got ) instead'],
    ['open open', 'Syntax Error: <:1:6> expected token to be ;, got IDENT instead'],
    ['"a\nb" == \n  #', "Syntax Error: <:3:3> invalid character '#' found"],
    ['len(name', 'Syntax Error: <:1:9> expected token to be ), got EOF instead'],
    ['len(name,, name)', "Syntax Error: <:1:10> invalid character ',' found"],
    ['units[0]', 'Syntax Error: <:1:6> expected token to be ;, got [ instead'],
    ['nam == "x"', '"nam" on model: invalid identifier'],
    ['forEach(units, u => u.nam)', '"nam" on unit: invalid identifier'],
    ['toString == "x"', '"toString" on model: invalid identifier'],
    ['constructor', '"constructor" on model: invalid identifier'],
    ['forEach(units, u => true) && u', '"u" on model: invalid identifier'],
    ['name.life', 'Runtime Error: unexpected identifier "life"'],
    ['name && open', 'Runtime Error: logical AND only allowed on boolean values'],
    ['open || pending', 'Runtime Error: logical OR only allowed on boolean values'],
    ['!name', 'Runtime Error: logical NOT only allowed on boolean values'],
    ['count(units)', 'Runtime Error: no function "count"'],
    ['valueOf(units)', 'Runtime Error: no function "valueOf"'],
    ['len()', 'Runtime Error: number of params not valid for function call, wanted: 1, received: 0'],
    ['len(pending)', 'Runtime Error: unexpected type number passed to len'],
    ['forEach(name, x => true)', 'Runtime Error: unexpected type text passed to forEach'],
    ['forEach(units, true)', 'Runtime Error: unexpected type truth passed to forEach'],
    ['len(x => true)', 'Runtime Error: unexpected lambda without a list before it'],
    ['x => true', 'Runtime Error: unexpected lambda outside of forEach'],
    ['startsWith(name, units)', 'Runtime Error: unexpected type list of units passed to startsWith'],
  ])('%j is refused: %s', (query, message) => {
    expect(() => isMet(query)).toThrow(expect.toSatisfy(isGoalError));
    expect(() => isMet(query)).toThrow(expect.objectContaining({ code: 'not valid', message }));
  });

  test('a condition tells which attributes it reads', () => {
    const { reads } = parseGoal(
      'open && forEach(units, u => u.age > 1 && forEach(u.machines, m => u.leader))',
      {
        types,
        kind: 'model',
      },
    );
    expect(Object.fromEntries([...reads].map(([list, names]) => [list, [...names]]))).toEqual({
      '': ['open', 'units'],
      units: ['age', 'machines', 'leader'],
    });
  });

  test('print returns its value and prints it, entities without their lists', () => {
    const lines: string[] = [];
    const query = 'print(pending) == 2 && forEach(print(units), u => print(u.name) != "")';
    expect(parseGoal(query, { types, kind: 'model', print: (line) => lines.push(line) }).isMet(model)).toBe(
      true,
    );
    expect(lines).toEqual([
      '2',
      '[{"name":"db/0","life":"alive","leader":true,"age":3},{"name":"web/0","life":"dying","leader":false,"age":3}]',
      'db/0',
      'web/0',
    ]);
  });
});

describe('limits of conditions', () => {
  const most = limits.goalDepth.max;
  test.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}open${')'.repeat(n)}`],
    ['negations', (n: number) => `${'!'.repeat(n)}open`],
    ['a chain', (n: number) => Array(n).fill('open').join('&&')],
    ['members', (n: number) => `u${'.a'.repeat(n)}`],
    ['calls', (n: number) => `${'len('.repeat(n)}name${')'.repeat(n)}`],
    ['lambdas', (n: number) => `${'x=>'.repeat(n)}open`],
  ])('%s may not be nested more deeply than the limit', (_, nested) => {
    const nestingError = 'nested or chained parts of a condition';
    expect(() => isMet(nested(most + 2))).toThrow(nestingError);
    expect(() => isMet(nested(2 * most))).toThrow(nestingError);
  });

  test('a condition with as many parts as the limit allows is evaluated', () => {
    expect(
      isMet(
        Array(most / 2)
          .fill('open')
          .join('&&'),
      ),
    ).toBe(true);
    expect(isMet(`${'!'.repeat(most - 2)}open`)).toBe(true);
  });

  test('a condition has a limited length', () => {
    const text = (length: number): string => `name=="${'x'.repeat(length - 'name==""'.length)}"`;
    expect(isMet(text(limits.goalQuery.max))).toBe(false);
    expect(() => isMet(text(limits.goalQuery.max + 1))).toThrow('condition: 10001 characters');
  });

  test('the evaluation of a condition on an entity takes a limited number of steps', () => {
    const length = Math.ceil(Math.sqrt(limits.goalSteps.max));
    const large: Attributes = { ...model, units: Array.from({ length }, (_, n) => unit(`u/${n}`)) };
    const goal = parseGoal('forEach(units, a => forEach(units, b => a.age == b.age))', {
      types,
      kind: 'model',
    });
    expect(() => goal.isMet(large)).toThrow('comparisons and calls of a condition');
    expect(goal.isMet(model)).toBe(true);
  });
});
