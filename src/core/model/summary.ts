/** Summaries of models: their contents and their condition (status.md#model-summary). */
import type { Refs } from '../impediments.ts';
import type { StatusDoc } from '../status/document.ts';

/** Number of agents that a summary quotes, and the length in characters to which each is cut. */
const messagesMax = 20;
const messageLengthMax = 256;

type Colour = 'red' | 'yellow' | 'green';

interface ModelSummary {
  readonly size: {
    readonly applications: number;
    /** Machines without those that are containers. */
    readonly machines: number;
    readonly containers: number;
    readonly units: number;
    readonly relations: number;
  };
  readonly colour: Colour;
  /** Messages of agents that are not well, the worst first. */
  readonly messages: readonly { readonly agent: string; readonly message: string }[];
}

/** Kinds of statuses that tell how a model is; an application's status repeats its units'. */
const shownStatuses: ReadonlySet<StatusDoc['kind']> = new Set([
  'unit-agent',
  'workload',
  'machine-agent',
  'instance',
]);
const colours: Readonly<Record<string, Colour>> = {
  error: 'red',
  'provisioning error': 'red',
  lost: 'red',
  blocked: 'yellow',
};

/** The colour that a status gives its model; undefined for one that gives none. */
export function colourOf({ kind, status }: Pick<StatusDoc, 'kind' | 'status'>): Colour | undefined {
  return shownStatuses.has(kind) && Object.hasOwn(colours, status) ? colours[status] : undefined;
}

/** Summarizes a model by its own records, at a cost that grows with the agents that are not well only. */
export function summarizeModel(records: Pick<Refs, 'count' | 'find'>): ModelSummary {
  const containers = records.count('machine', 'container', 'container');
  const messages: { agent: string; message: string }[] = [];
  for (const colour of ['red', 'yellow'] as const) {
    if (messages.length >= messagesMax) break;
    for (const { entity, message } of records.find('status', 'colour', colour)) {
      if (messages.length >= messagesMax) break;
      messages.push({ agent: entity, message: cut(message) });
    }
  }
  return {
    size: {
      applications: records.count('application'),
      machines: records.count('machine') - containers,
      containers,
      units: records.count('unit'),
      relations: records.count('relation'),
    },
    colour: (['red', 'yellow'] as const).find((one) => records.count('status', 'colour', one) > 0) ?? 'green',
    messages,
  };
}

function cut(text: string): string {
  return text.length <= messageLengthMax ? text : `${text.slice(0, messageLengthMax - 1)}…`;
}
