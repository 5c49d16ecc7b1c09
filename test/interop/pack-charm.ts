import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const dispatch = `#!/bin/sh
JUJU_DISPATCH_PATH="\${JUJU_DISPATCH_PATH:-$0}" PYTHONPATH=lib:venv exec /usr/bin/python3 ./src/charm.py
`;

/**
 * Packs a source charm as charmcraft does (charm-metadata.md#archive): charmcraft.yaml split, a dispatch, the
 * libraries in venv/, all in a zip written by Python. Returns the path of the `.charm`.
 */
export function packCharm(source: string, libraries: string, into: string): string {
  const prime = join(into, 'prime');
  rmSync(into, { recursive: true, force: true });
  cpSync(source, prime, { recursive: true, filter: (path) => !path.endsWith('.charm') });
  const recipe = join(prime, 'charmcraft.yaml');
  const {
    config,
    actions,
    parts: _parts,
    platforms,
    base,
    'build-base': _build,
    type: _type,
    ...metadata
  } = parse(readFileSync(recipe, 'utf8')) as Record<string, unknown> & {
    name: string;
    title: string;
    base: string;
    platforms: object;
  };
  rmSync(recipe);
  const { title, ...rest } = metadata;
  const [name, channel] = base.split('@');
  const manifest = {
    'charmcraft-version': '3.5.0',
    bases: [{ name, channel, architectures: Object.keys(platforms) }],
  };
  for (const [file, content] of Object.entries({
    'metadata.yaml': { ...rest, 'display-name': title },
    'config.yaml': config,
    'actions.yaml': actions,
    'manifest.yaml': manifest,
  }))
    if (content !== undefined) writeFileSync(join(prime, file), stringify(content));
  writeFileSync(join(prime, 'dispatch'), dispatch);
  chmodSync(join(prime, 'dispatch'), 0o755);
  cpSync(libraries, join(prime, 'venv'), { recursive: true });
  const charm = join(into, `${metadata.name}.charm`);
  execFileSync('/usr/bin/python3', ['-m', 'zipfile', '-c', charm, ...readdirSync(prime).toSorted()], {
    cwd: prime,
  });
  return charm;
}
