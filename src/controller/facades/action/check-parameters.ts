import type { ActionSpec } from '../../../core/charm/metadata.ts';
import { notValid } from '../../../core/errors.ts';
import { checkSchema } from '../../../kit/json-schema/check-schema.ts';
import { insertDefaults } from '../../../kit/json-schema/insert-defaults.ts';
import { validate } from '../../../kit/json-schema/validate.ts';
import { SchemaWork } from '../../../kit/json-schema/work.ts';

type Parameters = Readonly<Record<string, unknown>>;
interface Checked {
  readonly problems: string;
  readonly full: Parameters;
}

/**
 * Checks the parameters of all actions of one request and adds the defaults of their schema. As in Juju, defaults are
 * inserted after the check: they do not satisfy required parameters, and are not checked themselves.
 */
export class ParameterCheck {
  readonly #schemaWork = new SchemaWork();
  /** Results by charm and action, then by the parameters: an action is mostly run on many units at once. */
  readonly #actions = new Map<string, Map<string, Checked>>();

  /** Checks the parameters of one action. Errors: `not valid`, `quota limit exceeded`. */
  check(charm: string, name: string, { params }: ActionSpec, parameters: Parameters): Parameters {
    const action = JSON.stringify([charm, name]);
    let resultsOfAction = this.#actions.get(action);
    if (!resultsOfAction) {
      // The schema is checked too: older versions stored charms without that check.
      checkSchema(params, this.#schemaWork);
      this.#actions.set(action, (resultsOfAction = new Map<string, Checked>()));
    }
    const text = JSON.stringify(parameters);
    let checked = resultsOfAction.get(text);
    if (!checked) {
      const problems = validate(params, parameters, this.#schemaWork);
      const full = problems === '' ? insertDefaults(params, parameters, this.#schemaWork) : parameters;
      resultsOfAction.set(text, (checked = { problems, full }));
    }
    if (checked.problems !== '') throw notValid(`validation failed: ${checked.problems}`);
    return checked.full;
  }
}
