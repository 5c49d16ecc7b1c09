/** Agent with a real charm that asks for a resource, against a real controller over TLS. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { uploadCharm } from '../client/http.ts';
import { uploadResource } from '../client/resources.ts';
import { CharmAgent } from './charm-agent.ts';
import { writeZip } from './zip.ts';

const world = new CharmAgent();

async function attach(content: string): Promise<void> {
  const file = join(world.dir, 'sent.txt');
  await writeFile(file, content);
  await uploadResource({ ...world.to, application: 'reader', name: 'blob', file });
}

interface FullStatus {
  readonly applications: Readonly<
    Record<string, { readonly units: Readonly<Record<string, UnitStatus>> | null }>
  >;
}
interface UnitStatus {
  readonly machine: string;
  readonly 'workload-status': { readonly info: string };
  readonly 'agent-status': { readonly status: string };
}

/** Waits until the unit is idle with this message. Returns its machine. */
async function shown(message: string): Promise<string> {
  const deadline = Date.now() + 110_000;
  for (;;) {
    const status = await world.admin.call<FullStatus>('Client', 'FullStatus', { patterns: [] });
    const unit = status.applications['reader']?.units?.['reader/0'];
    const info = unit?.['workload-status'].info ?? '';
    if (unit && info.startsWith(message) && unit['agent-status'].status === 'idle') return unit.machine;
    if (Date.now() > deadline)
      throw new Error(`"${info}" is not "${message}"\n${world.lines.slice(-60).join('\n')}`);
    await sleep(50);
  }
}

test(
  'a charm gets its resource, and runs upgrade-charm when another is attached',
  { timeout: 120_000 },
  async () => {
    const trace = join(world.dir, 'trace');
    const hook = {
      text: `#!/bin/sh
echo "$JUJU_HOOK_NAME" >> ${trace}
if path=$(resource-get blob 2>&1); then status-set active "$(cat "$path") $path"; else status-set blocked "$path"; fi
`,
      mode: 0o100755,
    };
    const file = join(world.dir, 'reader.charm');
    await writeZip(file, {
      'metadata.yaml': 'name: reader\nsummary: s\ndescription: d\nresources:\n  blob: {filename: data.txt}\n',
      'hooks/start': hook,
      'hooks/upgrade-charm': hook,
    });
    const url = await uploadCharm({ ...world.to, name: 'reader', revision: 0, file });
    await world.deploy('reader', url);
    const machine = await shown(
      'ERROR could not download resource: HTTP request failed: resource "blob" not found',
    );
    const path = join(world.dir, machine, 'agents/unit-reader-0/resources/blob/data.txt');
    for (const content of ['one', 'two', 'two']) {
      await attach(content);
      await shown(`${content} ${path}`);
    }
    expect(await readFile(trace, 'utf8')).toBe('start\nupgrade-charm\nupgrade-charm\n');
    const { results } = await world.admin.call<{ results: [{ 'unit-resources': object[] }] }>(
      'Resources',
      'ListResources',
      {
        entities: [{ tag: 'application-reader' }],
      },
    );
    const had = [{ name: 'blob', size: 3, username: 'admin' }];
    expect(results[0]['unit-resources']).toMatchObject([
      { tag: 'unit-reader-0', resources: had, 'download-progress': {} },
    ]);
  },
);
