import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiServer, testModel } from '../../../testing/api-server.ts';
import { requests } from './delivery-parts.ts';
import { sayings } from './install-parts.ts';
import { assignments } from './shell.ts';

test("The download ignores the host's curl configuration", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grigri-delivery-'));
  const path = join(folder, 'archive');
  await writeFile(path, 'the archive');
  await writeFile(join(folder, '.curlrc'), 'max-filesize = 1\ninclude\nproxy = "http://127.0.0.1:1"\n');
  const bundle = { path, sha256: 'abc', size: 11 };
  const api = await startApiServer({
    bundles: {
      archs: ['amd64'],
      absence: () => undefined,
      hasBuild: () => false,
      file: () => Promise.resolve(bundle),
    },
  });
  try {
    const address = api.server.addresses[0]!;
    const work = join(folder, 'work');
    const script = [
      sayings,
      requests,
      assignments({
        WORK: work,
        ADDRESSES: address,
        CA_CERT: api.caCert,
        CURL_CONFIG: `silent\nshow-error\nfail\nnoproxy = "*"\ncacert = "${work}/ca.pem"\n`,
        REQUEST_PY: '',
        BUNDLE_PATH: `/model/${testModel}/tools/3.6.28-ubuntu-amd64`,
      }),
      `mkdir "$WORK"; reach; get '${address}' || { cat "$WORK/words" >&2; exit 1; }`,
    ].join('\n');
    const said = await new Promise<string>((resolve) =>
      execFile('sh', ['-c', script], { env: { ...process.env, HOME: folder } }, (_, __, stderr) =>
        resolve(stderr),
      ),
    );
    expect(said).toBe('');
    expect(await readFile(join(work, 'bundle'), 'utf8')).toBe('the archive');
  } finally {
    await api.stop();
    await rm(folder, { recursive: true });
  }
});
