/** `pack.ts CHARM LIBRARIES`: packs a source charm into its own folder, under charmcraft's name. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packCharm } from '../../interop/pack-charm.ts';

const [charm = '', libraries = ''] = process.argv.slice(2);
const into = mkdtempSync(join(tmpdir(), 'charmcraft-'));
try {
  const packed = packCharm(charm, libraries, join(into, 'charm'));
  copyFileSync(packed, join(charm, basename(packed).replace(/\.charm$/, '_amd64.charm')));
} finally {
  rmSync(into, { recursive: true, force: true });
}
