/** Writes the charm of a scenario to a directory; it runs on any machine with a shell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyHook, type Behaviour, type ScenarioCharm } from '../scenario/scenario.ts';
import { makeFolderSync } from '../../kit/make-folder.ts';

/** Writes the charm's directory below `folder`, under its name; a second time it is another revision. */
export function writeCharm(folder: string, charm: ScenarioCharm): void {
  const own = join(folder, charm.name);
  makeFolderSync(own);
  writeFileSync(join(own, 'metadata.yaml'), metadata(charm));
  writeFileSync(join(own, 'dispatch'), dispatch(charm), { mode: 0o755 });
}

/** Folder in the charm's directory with a file for each hook whose outcome `let` has set. */
export const letDir = '.let';

function metadata({ name, subordinate, endpoints, storage, resources }: ScenarioCharm): string {
  const lines = [`name: ${name}`, 'summary: Of a scenario.', 'description: Does as the scenario says.'];
  if (subordinate) lines.push('subordinate: true');
  for (const role of ['provides', 'requires', 'peers'] as const) {
    const of = endpoints.filter((one) => one.role === role);
    if (of.length > 0) lines.push(`${role}:`);
    for (const one of of)
      lines.push(
        `  ${one.name}:`,
        `    interface: ${one.interface}`,
        ...(one.container ? ['    scope: container'] : []),
        ...(one.required ? ['    optional: false'] : []),
      );
  }
  if (storage.length > 0) lines.push(`storage: ${JSON.stringify(storageMetadata(storage))}`);
  if (resources.length > 0) lines.push(`resources: ${JSON.stringify(resourceMetadata(resources))}`);
  return `${lines.join('\n')}\n`;
}

/** The storage section of a charm's metadata. */
export function storageMetadata(storage: ScenarioCharm['storage']): Readonly<Record<string, object>> {
  return Object.fromEntries(
    storage.map(({ name, optional }) => [
      name,
      { type: 'filesystem', ...(optional && { multiple: { range: '0-1' } }) },
    ]),
  );
}

/** The resources section of a charm's metadata. */
export function resourceMetadata(names: ScenarioCharm['resources']): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { type: 'file', filename: `${name}.txt` }]));
}

function dispatch({ hooks, storage, resources }: ScenarioCharm): string {
  const cases = Object.entries(hooks).map(([hook, behaviour]) => `  ${hook}) ${shellOf(behaviour)} ;;\n`);
  return `#!/bin/sh
set -u
hook=\${JUJU_DISPATCH_PATH##*/}
said() { cat ${letDir}/"$hook" 2>/dev/null || cat ${letDir}/${everyHook} 2>/dev/null || echo "$1"; }
case $hook in
${cases.join('')}esac
${storage.length + resources.length > 0 ? showParts(resources) : '[ "$hook" != start ] || status-set active'}
`;
}

/**
 * Keeps in each storage the names of the units that got it, and shows them and the contents of resources once the unit
 * has started.
 */
const showParts = (resources: ScenarioCharm['resources']): string => `shown() {
  for name in ${resources.join(' ')}; do
    at=$(resource-get "$name" 2>/dev/null) && echo "$name:" $(cat "$at")
  done
  for id in $(storage-list); do
    at=$(storage-get -s "$id" location 2>/dev/null) && [ -e "$at/users" ] && echo "$id:" $(cat "$at/users")
  done
}
case $hook in
  start) touch .started ;;
  upgrade-charm) ;;
  *-storage-attached) echo "$JUJU_UNIT_NAME" >>"$JUJU_STORAGE_LOCATION/users" ;;
  *) exit ;;
esac
[ ! -e .started ] || status-set active "$(shown | paste -s -d ';' | sed 's/;/; /g')"`;

function shellOf(behaviour: Behaviour): string {
  switch (behaviour.kind) {
    case 'led':
      return `while [ "$(said ${behaviour.first})" = wait ]; do sleep 0.2; done; [ "$(said ${behaviour.first})" = succeed ] || exit 1`;
    case 'takes':
      return `sleep ${behaviour.seconds}`;
  }
}
