import { JujuError } from '../../../core/errors.ts';
import { defined } from '../../../core/defined.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import type { PlannedAction } from '../../transactions/begin/enqueue-tasks.ts';
import { mustGet, type View } from '../../transactions/tx.ts';
import { pauseOf } from '../shared/pause.ts';
import { ParameterCheck } from './check-parameters.ts';
import { planned, type Planned } from './enqueue-planned.ts';
import { receiverOf, type Receiver } from './receivers.ts';
import { ParameterSeal } from './seal-parameters.ts';

type ActionRequest = ParamsOf<typeof spec, 'EnqueueOperation'>['actions'][number];

/** Plan of one request, for the receiver and the charm that it was made for ('' = any). */
interface Plan extends Receiver {
  readonly charm: string;
  readonly planned: Planned;
}

/**
 * Plans the actions of one call: checks their parameters by the schemas of their charms, inserts defaults, and seals
 * them. Plans are made before the transaction, in slices of time; those whose receiver or charm has changed by then are
 * made again in it.
 */
export class ActionPlanner {
  readonly seal: ParameterSeal;
  readonly #call: Call;
  readonly #check = new ParameterCheck();
  readonly #requests: readonly ActionRequest[];
  /** Plans at the indexes of their requests; undefined for a request whose receiver was not found. */
  readonly #plans: (Plan | undefined)[] = [];

  constructor(call: Call, requests: readonly ActionRequest[]) {
    this.#call = call;
    this.#requests = requests;
    this.seal = new ParameterSeal(call);
  }

  /** Plans all requests; other calls are served in between. */
  async prepare(): Promise<void> {
    const pause = pauseOf(this.#call);
    const now = new Date(this.#call.services.clock.now()).toISOString();
    for (const request of this.#requests) {
      await pause();
      const view = this.#call.read();
      const receiver = planned(this.#call, () => receiverOf(view, request.receiver, now));
      this.#plans.push('error' in receiver ? undefined : this.#plan(view, receiver, request));
    }
  }

  /** Returns the actions as they are planned in this view, in the order of their requests. */
  plan(view: View, now: string): Planned[] {
    return this.#requests.map((request, n) => {
      const receiver = planned(this.#call, () => receiverOf(view, request.receiver, now));
      if ('error' in receiver) return receiver;
      const plan = this.#plans[n];
      const holds =
        plan?.name === receiver.name &&
        plan.kind === receiver.kind &&
        plan.charm === charmFor(view, receiver, request);
      return (holds ? plan : this.#plan(view, receiver, request)).planned;
    });
  }

  #plan(view: View, receiver: Receiver, request: ActionRequest): Plan {
    const charm = charmFor(view, receiver, request);
    const action = planned(this.#call, () => this.#action(view, receiver, request, charm));
    // Parameters that were refused are not kept: nothing limits their number.
    const rejected = { ...receiver, action: { name: request.name, parameters: {} } };
    return {
      ...receiver,
      charm,
      planned: 'error' in action ? { ...action, rejected } : { ...receiver, action },
    };
  }

  /**
   * Returns the action with the defaults of its parameters; the request's values win over the charm's. Errors: `not
   * found`, `not valid`.
   */
  #action(view: View, receiver: Receiver, request: ActionRequest, charmUrl: string): PlannedAction {
    const { name, parameters = {}, parallel, 'execution-group': executionGroup } = request;
    if (name === 'juju-exec') {
      const beside = parallel ?? receiver.kind === 'machine';
      return { name, ...this.seal.seal(name, parameters), parallel: beside, ...defined({ executionGroup }) };
    }
    const actions = charmUrl === '' ? {} : mustGet(view, 'charm', charmUrl).actions;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (!action)
      throw new JujuError('not found', `action "${name}" not defined on ${receiver.kind} "${receiver.name}"`);
    return {
      name,
      ...this.seal.seal(name, this.#check.check(charmUrl, name, action, parameters)),
      parallel: parallel ?? action.parallel,
      executionGroup: executionGroup ?? action.executionGroup,
    };
  }
}

/** URL of the charm that says what the action is; '' for commands and machines, which have none. */
function charmFor(view: View, receiver: Receiver, request: ActionRequest): string {
  if (receiver.kind === 'machine' || request.name === 'juju-exec') return '';
  return mustGet(view, 'unit', receiver.name).charmUrl;
}
