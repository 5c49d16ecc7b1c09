import { UsageError } from '../kit/gnuflag.ts';
import type { HookContext, RelationView } from './context.ts';
import type { Flag } from './tool.ts';

export const relationFlag = {
  kind: 'string',
  short: 'r',
  ofHook: ({ event: { relation } }) => relation && `${relation.endpoint}:${relation.id}`,
  help: 'Specify a relation by id',
} as const satisfies Flag;

/**
 * Returns the relation that `-r` names, `db:7` or `7`, or the hook's own without -r. Errors: UsageError; charm
 * libraries look for its text `relation not found`.
 */
export function relationOf(context: HookContext, argument: string): RelationView {
  if (argument === '') {
    const { relation } = context.event;
    if (!relation) throw new UsageError('no relation id specified');
    return find(context, relation.id, String(relation.id));
  }
  const number = argument.slice(argument.lastIndexOf(':') + 1);
  if (!/^\d+$/.test(number)) {
    throw new UsageError(`invalid value ${JSON.stringify(argument)} for option -r: invalid relation id`);
  }
  return find(context, Number(number), argument);
}

function find(context: HookContext, id: number, shown: string): RelationView {
  const view = context.relations().find((relation) => relation.id === id);
  if (!view) throw new UsageError(`invalid value ${JSON.stringify(shown)} for option -r: relation not found`);
  return view;
}
