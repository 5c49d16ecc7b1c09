/** Conditions on an entity's attributes: `wait-for --query` and `refresh --rolling --wait-for`. */
import { compile, type Attributes, type EntityTypes } from './compile.ts';
import { isTrue } from './functions.ts';
import { parseExpression } from './parse.ts';

export type { AttributeType, Attributes, EntityTypes } from './compile.ts';

export interface Goal {
  /**
   * Whether the entity meets the condition. Errors: `quota limit exceeded` for an evaluation that takes too many steps.
   */
  readonly isMet: (entity: Attributes) => boolean;
  /** Attributes that are read: of the entity (''), and of those in its lists. */
  readonly reads: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Parses a condition on an entity of a kind (cli.md#queries). `print` gets what it prints. Errors: GoalError; `quota
 * limit exceeded`.
 */
export function parseGoal(
  query: string,
  { types, kind, print = () => undefined }: GoalNames & { readonly print?: (text: string) => void },
): Goal {
  const reads = new Map<string, Set<string>>();
  const compiled = compile(parseExpression(query), {
    types,
    kind,
    variables: [],
    note(list, attribute) {
      const noted = reads.get(list) ?? new Set();
      reads.set(list, noted.add(attribute));
    },
  });
  return {
    isMet: (entity) => isTrue(compiled.run({ entities: [entity], work: { steps: 0, print } })),
    reads,
  };
}

interface GoalNames {
  readonly types: EntityTypes;
  readonly kind: string;
}
