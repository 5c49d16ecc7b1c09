/** Explanations of a model whose starts are all suspended (machines.md#suspension). */
import { statusId } from '../status.ts';
import type { Actor, Explanation, ExplainView, HelpfulCommand } from './explanation.ts';

interface SuspensionState {
  /** The provider's message, and when the next attempt is. */
  readonly text: string;
  /** The actor, the same object for all machines that wait, so that it is shown once. */
  readonly actor: Actor;
}

/** The model's suspension as one entry, however many machines wait. */
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

/** The state of the suspension; undefined when the model's starts are not suspended. */
export function suspensionState(view: ExplainView): SuspensionState | undefined {
  const status = view.get('status', statusId('model', ''));
  if (status?.status !== 'suspended') return undefined;
  const cause = status.data?.['class'];
  return {
    text: status.message,
    actor: {
      kind: 'operator',
      name: `model ${view.model?.name ?? ''}`,
      task: `${cause === 'quota' || cause === 'credential' ? tasks[cause] : 'fix the provider error above'}; starts then resume automatically`,
      since: status.since,
      commands: cause === 'credential' ? credentialCommands(view) : [],
    },
  };
}

/** The commands that change the credential; none for a model without one. */
function credentialCommands({ model }: ExplainView): HelpfulCommand[] {
  const [, name] = /^[^_]*_[^_]*_(.+)$/.exec(model?.credential ?? '') ?? [];
  if (!model || name === undefined) return [];
  const { cloud } = model;
  return [
    {
      line: `update-credential ${cloud} ${name}`,
      effect: 'uploads the credential that your client has now',
    },
    {
      line: `set-credential ${cloud} <credential>`,
      effect: 'changes the credential of the model',
    },
  ];
}

const tasks = {
  quota: 'have the quota of the account raised, or remove machines that are not needed',
  credential: 'make sure that the cloud accepts the credential of the model',
} as const;
