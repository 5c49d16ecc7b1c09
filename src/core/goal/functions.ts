/** Functions that a condition may call. */
import type { Attributes, Lambda, Type, Value, Work } from './compile.ts';

interface GoalFunction {
  /** Tests of types, one for each parameter: whether the parameter takes the type. */
  readonly parameters: readonly ((type: Type) => boolean)[];
  gives(types: readonly Type[]): Type;
  run(args: readonly Value[], work: Work): Value;
}

const isText = (type: Type): boolean => type === 'text';
const isList = (type: Type): boolean => typeof type === 'object' && 'each' in type;
const isLambda = (type: Type): boolean => typeof type === 'object' && 'lambda' in type;

export const functions: Readonly<Record<string, GoalFunction>> = {
  /** Number of characters of a text, or of entities in a list. */
  len: {
    parameters: [(type) => isText(type) || isList(type)],
    gives: () => 'number',
    run: ([value]) => (value as string | readonly Attributes[]).length,
  },
  /** The value itself, which is printed. */
  print: {
    parameters: [(type) => !isLambda(type)],
    gives: ([type]) => type!,
    run([value], { print }) {
      print(typeof value === 'object' ? JSON.stringify(value, scalars) : String(value));
      return value!;
    },
  },
  /** Whether the function holds for each entity in the list; false when there is none. */
  forEach: {
    parameters: [isList, isLambda],
    gives: () => 'truth',
    run([list, lambda]) {
      const entities = list as readonly Attributes[];
      return entities.length > 0 && entities.every((entity) => isTrue((lambda as Lambda)(entity)));
    },
  },
  startsWith: {
    parameters: [isText, isText],
    gives: () => 'truth',
    run: ([text, start]) => (text as string).startsWith(start as string),
  },
  endsWith: {
    parameters: [isText, isText],
    gives: () => 'truth',
    run: ([text, end]) => (text as string).endsWith(end as string),
  },
};

/** Lists within printed entities are left out: each unit has its machine, and each machine would come again. */
function scalars(key: string, value: unknown): unknown {
  return key !== '' && Array.isArray(value) && typeof value[0] === 'object' ? undefined : value;
}

/** Whether a value counts as met: not false, 0, '' or an empty list. */
export function isTrue(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
