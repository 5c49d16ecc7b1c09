import type { Callers } from '../call.ts';

/** Tags by facade, for the members that hold one. */
const tags: Readonly<Record<string, (callers: Callers) => string>> = {
  Action: () => 'action-1',
  Annotations: () => 'application-web',
  Application: () => 'application-web',
  Cloud: () => 'cloud-home',
  MachineManager: () => 'machine-0',
  Resources: () => 'application-web',
  SSHClient: () => 'machine-0',
  Storage: () => 'storage-data-0',
};

/** Returns the names that exist in a model with the application `web`, by the member that holds one. */
export function wordsFor(callers: Callers, facade: string, member: string): readonly string[] {
  const tagOfModel = `model-${callers.model}`;
  if (member === 'model-tag') return [tagOfModel];
  if (member === 'user-tag' || member === 'owner-tag' || member === 'user') return ['user-admin'];
  if (member === 'cloud-tag') return ['cloud-home'];
  if (/^(space|from-space|to-space)-tag$/.test(member)) return ['space-alpha'];
  if (member === 'unit-tag' || member === 'unit') return ['unit-web-0'];
  if (member === 'application-tag') return ['application-web'];
  if (member === 'application' || member === 'applications') return ['web'];
  if (member === 'charm-url' || member === 'url') return ['local:web-0'];
  if (member === 'machine-id') return ['0'];
  if (member === 'commands') return ['true'];
  if (member === 'patterns') return ['web'];
  if (member === 'arch') return ['amd64'];
  if (member === 'type') return facade === 'Block' ? ['BlockDestroy'] : ['test'];
  if (member === 'endpoints') return ['web', 'db'];
  if (/tag$/i.test(member) || member === 'entity') return [tags[facade]?.(callers) ?? tagOfModel];
  return [];
}
