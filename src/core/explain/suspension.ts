/** The suspension of all of a model's starts, for explain (machines.md#suspension). */
import { statusId } from '../status.ts';
import type { Actor, Explanation, ExplainView, HelpfulCommand } from './explanation.ts';

export interface SuspensionState {
  /** The provider's words, and when the next try is. */
  readonly text: string;
  /** The same for all that wait for it: it is told once. */
  readonly actor: Actor;
}

/** Of a model: in its explanation it stands once, however many machines wait. */
export function explainSuspension(view: ExplainView): Explanation[] {
  const state = suspensionState(view);
  if (!state) return [];
  const { text, actor } = state;
  return [
    {
      kind: 'suspension',
      id: '',
      name: 'starts of machines',
      text: `suspended: ${text}`,
      actor,
      waitsFor: [],
      more: 0,
      above: false,
    },
  ];
}

/** Undefined: machines are started as they come. */
export function suspensionState(view: ExplainView): SuspensionState | undefined {
  const status = view.get('status', statusId('model', ''));
  if (status?.status !== 'suspended') return undefined;
  const cause = status.data?.['class'];
  return {
    text: status.message,
    actor: {
      kind: 'operator',
      name: `model ${view.model?.name ?? ''}`,
      task: `${cause === 'quota' || cause === 'credential' ? tasks[cause] : 'mend what the provider says'}; the starts then go on by themselves`,
      since: status.since,
      commands: cause === 'credential' ? credentialCommands(view) : [],
    },
  };
}

/** Of a model that has a credential at all. */
function credentialCommands({ model }: ExplainView): HelpfulCommand[] {
  const [, name] = /^[^_]*_[^_]*_(.+)$/.exec(model?.credential ?? '') ?? [];
  if (!model || name === undefined) return [];
  const { cloud } = model;
  return [
    {
      line: `grigri update-credential ${cloud} ${name}`,
      effect: 'gives the controller the credential that your client has now',
    },
    {
      line: `grigri set-credential ${cloud} <credential>`,
      effect: 'lets the model use another one',
    },
  ];
}

const tasks = {
  quota: 'have the limit of the account raised, or remove machines that are not needed',
  credential: 'see to it that the cloud accepts the credential of the model',
} as const;
