/** Conditions on an entity's attributes: `wait-for --query` and `refresh --rolling --wait-for`. */
import { notValid } from './errors.ts';

/** Attributes that can be compared: name → value. */
export type Attributes = Readonly<Record<string, string>>;

/** Parses `a=="x" && b!="y" || c=="z"` into a test of an entity. Errors: `not valid`, with the flag's name. */
export function parseGoal(query: string, flag = '--query'): (entity: Attributes) => boolean {
  const alternatives = query.split('||').map((alternative) =>
    alternative.split('&&').map((term) => {
      const match = /^([\w-]+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(\w+))$/.exec(term.trim());
      if (!match)
        throw notValid(`cannot parse "${term.trim()}" in ${flag}: expected name=="value" or name!="value"`);
      const [, key = '', operator, ...quoted] = match;
      const expected = quoted.find((text) => text !== undefined) ?? '';
      return (entity: Attributes): boolean => (entity[key] === expected) === (operator === '==');
    }),
  );
  return (entity) => alternatives.some((terms) => terms.every((term) => term(entity)));
}
