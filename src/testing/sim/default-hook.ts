import type { HookContext } from '../../hooks/context.ts';
import type { SimCharm } from './world.ts';

/** Default behaviour of a charm: it writes to its relations, and reads what its counterparts wrote. */
export const defaultHook: NonNullable<SimCharm['run']> = async ({ unit, name, context }) => {
  const { relation, remoteUnit } = context.event;
  if (name === 'start') {
    await context.setStatus('workload', 'active', 'ready');
    context.changes.openPorts.push({ endpoint: '', range: '80/tcp' });
  }
  if (relation && name.endsWith('-relation-joined')) bags(context, relation.id).unit.set('hello', unit);
  if (relation && remoteUnit !== undefined && name.endsWith('-relation-changed')) {
    const { hello } = await context.relationSettings(relation.id, remoteUnit);
    context.changes.charmState.set.set(`heard ${relation.id} ${remoteUnit}`, hello ?? '');
  }
  if (relation && name.endsWith('-relation-created') && (await context.isLeader()))
    bags(context, relation.id).app.set('leader', unit);
};

function bags(
  { changes }: HookContext,
  relation: number,
): { readonly unit: Map<string, string>; readonly app: Map<string, string> } {
  let found = changes.relationSettings.get(relation);
  if (!found) changes.relationSettings.set(relation, (found = { unit: new Map(), app: new Map() }));
  return found;
}
