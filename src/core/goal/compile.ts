/** Compiles a parsed condition to a function: names and types are checked before anything is compared. */
import { checkLimit, limits } from '../limits.ts';
import { GoalError, runtimeError } from './error.ts';
import { functions } from './functions.ts';
import type { Expression, InfixOperator } from './parse.ts';

/** Type of an attribute; `each` is the kind of the entities in a list. */
export type AttributeType = 'text' | 'number' | 'truth' | { readonly each: string };
/** Kinds of entities, each with its attributes. */
export type EntityTypes = Readonly<Record<string, Readonly<Record<string, AttributeType>>>>;

export type Value = string | number | boolean | Attributes | readonly Attributes[] | Lambda;
/** Attributes of an entity: name → value. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | readonly Attributes[];
}
export type Lambda = (entity: Attributes) => Value;

/** Type of an expression: an attribute's type, an entity of a kind, or a function of an entity. */
export type Type = AttributeType | { readonly entity: string } | { readonly lambda: Type };

/** Entities that names refer to: the entity that the condition is about, then those of the enclosing lambdas. */
interface Frame {
  readonly entities: readonly Attributes[];
  readonly work: Work;
}

/** Counter of the steps that an evaluation costs. */
export interface Work {
  steps: number;
  readonly print: (text: string) => void;
}

interface Compiled {
  readonly type: Type;
  run(frame: Frame): Value;
}

interface Names {
  readonly types: EntityTypes;
  /** Kind of the entity that the condition is about. */
  readonly kind: string;
  /** Names of the lambdas' arguments, with their entities: of a kind, and from a list. */
  readonly variables: readonly ({ readonly name: string } & ElementsOf)[];
  /** Notes an attribute that is read: of the entity, or of the entities in one of its lists. */
  readonly note: (list: string, attribute: string) => void;
}

/** Compiles an expression. Errors: GoalError for unknown names, and for values that cannot be meant. */
export function compile(expression: Expression, names: Names): Compiled {
  const { position } = expression;
  switch (expression.kind) {
    case 'value': {
      const { value } = expression;
      return { type: typeOf(value), run: () => value };
    }
    case 'name':
      return compileName(expression, names);
    case 'member': {
      const { name } = expression;
      const of = compile(expression.of, names);
      if (typeof of.type === 'string' || !('entity' in of.type))
        throw runtimeError(position, `unexpected identifier ${JSON.stringify(name)}`);
      const type = attributeType(expression, of.type.entity, names);
      const variable = variableOf(expression.of, names);
      if (variable) names.note(variable.list, name);
      return { type, run: (frame) => (of.run(frame) as Attributes)[name] ?? '' };
    }
    case 'not': {
      const operand = condition(expression.operand, names, 'NOT');
      return { type: 'truth', run: (frame) => !operand(frame) };
    }
    case 'infix':
      return compileInfix(expression, names);
    case 'call':
      return compileCall(expression, names);
    case 'lambda':
      throw runtimeError(position, 'unexpected lambda outside of forEach');
  }
}

function compileName(expression: Expression & { kind: 'name' }, names: Names): Compiled {
  const { name } = expression;
  const variable = variableOf(expression, names);
  if (variable) {
    const index = names.variables.indexOf(variable) + 1;
    return { type: { entity: variable.kind }, run: ({ entities }) => entities[index]! };
  }
  const type = attributeType(expression, names.kind, names);
  names.note('', name);
  return { type, run: ({ entities }) => entities[0]![name] ?? '' };
}

function variableOf(expression: Expression, { variables }: Names): Names['variables'][number] | undefined {
  return expression.kind === 'name' ? variables.findLast(({ name }) => name === expression.name) : undefined;
}

function attributeType(
  { name, position }: { readonly name: string; readonly position: Expression['position'] },
  kind: string,
  { types }: Names,
): AttributeType {
  const attributes = types[kind]!;
  const type = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (type !== undefined) return type;
  throw new GoalError('identifier', position, {
    reason: 'invalid identifier',
    text: `${JSON.stringify(name)} on ${kind}: invalid identifier`,
    unknown: { word: name, known: Object.keys(attributes) },
  });
}

function compileInfix(expression: Expression & { kind: 'infix' }, names: Names): Compiled {
  const { operator, left, right } = expression;
  if (operator === '&&' || operator === '||') {
    const word = operator === '&&' ? 'AND' : 'OR';
    const [first, second] = [condition(left, names, word), condition(right, names, word)];
    return {
      type: 'truth',
      run: operator === '&&' ? (f) => first(f) && second(f) : (f) => first(f) || second(f),
    };
  }
  const [first, second] = [compile(left, names), compile(right, names)];
  const compare = comparisons[operator];
  return {
    type: 'truth',
    run(frame) {
      step(frame.work);
      return compare(first.run(frame), second.run(frame));
    },
  };
}

/** Compiles an operand of a logical operator. Errors: GoalError when it is no truth value. */
function condition(expression: Expression, names: Names, word: string): (frame: Frame) => boolean {
  const compiled = compile(expression, names);
  if (compiled.type !== 'truth')
    throw runtimeError(expression.position, `logical ${word} only allowed on boolean values`);
  return (frame) => compiled.run(frame) === true;
}

type Comparison = (left: Value, right: Value) => boolean;

const comparisons: Readonly<Record<Exclude<InfixOperator, '&&' | '||'>, Comparison>> = {
  '==': equal,
  '!=': (left, right) => !equal(left, right),
  '<': less,
  '<=': (left, right) => less(left, right) || equal(left, right),
  '>': (left, right) => less(right, left),
  '>=': (left, right) => less(right, left) || equal(left, right),
};

/** Values of different types are equal when they are written alike: `unplaced == "0"`. Entities equal nothing. */
function equal(left: Value, right: Value): boolean {
  return typeof left !== 'object' && typeof right !== 'object' && String(left) === String(right);
}

/** Numbers are compared as such, also with a text that is one; two texts as texts; nothing else is less. */
function less(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  return asNumber(left) < asNumber(right);
}

function asNumber(value: Value): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

function compileCall(expression: Expression & { kind: 'call' }, names: Names): Compiled {
  const { name, args, position } = expression;
  const definition = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!definition)
    throw new GoalError('runtime', position, {
      reason: `no function ${JSON.stringify(name)}`,
      text: `Runtime Error: no function ${JSON.stringify(name)}`,
      unknown: { word: name, known: Object.keys(functions) },
    });
  const wanted = definition.parameters.length;
  if (args.length !== wanted)
    throw runtimeError(
      position,
      `number of params not valid for function call, wanted: ${wanted}, received: ${args.length}`,
    );
  let elements: ElementsOf | undefined;
  const compiled = definition.parameters.map((accepts, index) => {
    const arg = args[index]!;
    const one = arg.kind === 'lambda' ? compileLambda(arg, elements, names) : compile(arg, names);
    if (!accepts(one.type))
      throw runtimeError(arg.position, `unexpected type ${shown(one.type)} passed to ${name}`);
    elements = elementsOf(arg, one.type);
    return one;
  });
  return {
    type: definition.gives(compiled.map(({ type }) => type)),
    run(frame) {
      step(frame.work);
      return definition.run(
        compiled.map((one) => one.run(frame)),
        frame.work,
      );
    },
  };
}

interface ElementsOf {
  readonly kind: string;
  /** Name of the attribute that is the list. */
  readonly list: string;
}

function elementsOf(arg: Expression, type: Type): ElementsOf | undefined {
  if (typeof type === 'string' || !('each' in type)) return undefined;
  return { kind: type.each, list: 'name' in arg ? arg.name : '' };
}

/** Compiles a function of the elements of a list, which is the argument before. */
function compileLambda(
  { argument, body, position }: Expression & { kind: 'lambda' },
  elements: ElementsOf | undefined,
  names: Names,
): Compiled {
  if (!elements) throw runtimeError(position, 'unexpected lambda without a list before it');
  const variables = [...names.variables, { name: argument, ...elements }];
  const compiled = compile(body, { ...names, variables });
  return {
    type: { lambda: compiled.type },
    run: (frame) => (entity: Attributes) => {
      step(frame.work);
      return compiled.run({ ...frame, entities: [...frame.entities, entity] });
    },
  };
}

function step(work: Work): void {
  checkLimit(limits.goalSteps, ++work.steps);
}

function typeOf(value: string | number | boolean): Type {
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'number' : 'truth';
}

function shown(type: Type): string {
  if (typeof type === 'string') return type;
  if ('each' in type) return `list of ${type.each}s`;
  return 'entity' in type ? type.entity : 'lambda';
}
