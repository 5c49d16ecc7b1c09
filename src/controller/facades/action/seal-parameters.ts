import { hiddenCommand, hiddenParameters, mayHaveSecrets } from '../../../core/task/hidden.ts';
import { utf8Bytes } from '../../../core/json-bytes.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Call } from '../../facade.ts';
import type { PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';

type Parameters = PlannedAction['parameters'];
type Sealed = Pick<PlannedAction, 'parameters' | 'sealed' | 'sealedParameters'>;

/**
 * Seals the parameters of the tasks of one request, as there may be contents of secrets in them
 * (operations.md#secrets-in-parameters); most tasks share theirs.
 */
export class ParameterSeal {
  readonly #call: Call;
  /** Sealed parameters by their JSON. */
  readonly #sealed = new Map<string, Sealed>();

  /** Parameters by their sealed texts. */
  readonly opened = new Map<string, Parameters>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Seals the parameters of one task. Errors: `quota limit exceeded`. */
  seal(name: string, parameters: Parameters): Sealed {
    const text = JSON.stringify(parameters);
    const key = `${name} ${text}`;
    let sealed = this.#sealed.get(key);
    if (!sealed) this.#sealed.set(key, (sealed = this.#seal(name, parameters, text)));
    return sealed;
  }

  #seal(name: string, parameters: Parameters, text: string): Sealed {
    checkLimit(limits.taskParameters, utf8Bytes(text));
    const { sealer } = this.#call.services;
    const { command } = parameters;
    if (name === 'juju-exec' && typeof command === 'string' && mayHaveSecrets(command))
      return { parameters: { ...parameters, command: hiddenCommand }, sealed: sealer.seal(command) };
    if (Object.keys(parameters).length === 0) return { parameters };
    const sealedParameters = sealer.seal(text);
    this.opened.set(sealedParameters, parameters);
    return { parameters: hiddenParameters(parameters), sealedParameters };
  }
}
