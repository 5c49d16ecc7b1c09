import type { ActionSpec } from '../../../core/charm/metadata.ts';
import { notValid } from '../../../core/errors.ts';
import { checkSchema } from '../../../kit/json-schema/check-schema.ts';
import { insertDefaults } from '../../../kit/json-schema/insert-defaults.ts';
import { validate } from '../../../kit/json-schema/validate.ts';
import { SchemaWork } from '../../../kit/json-schema/work.ts';

type Parameters = Readonly<Record<string, unknown>>;

/**
 * Checks the parameters of all actions of one request, and gives them with the defaults of their schema. As in Juju,
 * the defaults are inserted afterwards: they do not stand in for what is required, and are not checked themselves.
 */
export class ParameterCheck {
  readonly #work = new SchemaWork();
  /** By charm, action and parameters: an action is mostly run on many units at once. */
  readonly #passed = new Map<string, Parameters>();

  /** Errors: `not valid`, `quota limit exceeded`. */
  check(charm: string, name: string, { params }: ActionSpec, given: Parameters): Parameters {
    const key = JSON.stringify([charm, name, given]);
    const known = this.#passed.get(key);
    if (known) return known;
    // Charms that were stored by older versions were not looked at.
    checkSchema(params, this.#work);
    const problems = validate(params, given, this.#work);
    if (problems !== '') throw notValid(`validation failed: ${problems}`);
    const full = insertDefaults(params, given, this.#work);
    this.#passed.set(key, full);
    return full;
  }
}
