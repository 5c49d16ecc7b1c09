/** Two charms in shell that are related by `db`; each hook writes its name to the file $TRACE. */
import type { ZipContent } from './zip.ts';

/** Returns a hook in shell that writes its name to the file $TRACE first. */
export const hook = (...lines: string[]): { text: string; mode: number } => ({
  text: ['#!/bin/sh', 'set -e', 'echo "$JUJU_HOOK_NAME" >> "$TRACE"', ...lines, ''].join('\n'),
  mode: 0o100755,
});
const everyHook = (endpoint: string, more: ZipContent): ZipContent => {
  const names = ['install', 'leader-elected', 'config-changed', 'start', 'stop', 'remove'];
  for (const kind of ['created', 'joined', 'changed', 'departed', 'broken'])
    names.push(`${endpoint}-relation-${kind}`);
  return { ...Object.fromEntries(names.map((name) => [`hooks/${name}`, hook()])), ...more };
};
export const serverCharm: ZipContent = everyHook('db', {
  'metadata.yaml': 'name: server\nsummary: s\ndescription: d\nprovides:\n  db:\n    interface: x\n',
  'config.yaml': 'options:\n  colour:\n    type: string\n    default: red\n',
  'hooks/start': hook('status-set active "colour $(config-get colour)"', 'open-port 80/tcp'),
  'hooks/db-relation-joined': hook(
    'relation-set "greeting=hello from $JUJU_UNIT_NAME"',
    'juju-log said hello',
  ),
});
export const clientCharm: ZipContent = everyHook('db', {
  'metadata.yaml': 'name: client\nsummary: s\ndescription: d\nrequires:\n  db:\n    interface: x\n',
  'hooks/db-relation-changed': hook('greeting=$(relation-get greeting)', 'status-set active "$greeting"'),
});
