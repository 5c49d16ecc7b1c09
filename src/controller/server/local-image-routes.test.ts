import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseBase, type Base } from '../../core/base.ts';
import { limits } from '../../core/limits.ts';
import type { Environ, ImageRegistry } from '../../providers/contract/provider.ts';
import { basic, startApiServer, type ApiServer } from '../../testing/api-server.ts';
import { defaultLimits } from './context.ts';
import { defined } from '../../core/defined.ts';

let api: ApiServer;
let temp: string;
const added: { base: Base; size: number }[] = [];
const registry: Pick<ImageRegistry, 'add'> = {
  async add({ base, archive = '' }) {
    const { size } = await stat(archive);
    added.push({ base, size });
    return { base, arch: 'amd64', size: 1, addedAt: '2026-01-01T00:00:00Z' };
  },
};
beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'grigri-image-routes-'));
  // A temporary folder of its own shows what an upload leaves behind.
  vi.stubEnv('TMPDIR', temp);
  api = await startApiServer({ limits: { imageBytes: 1_000_000 } });
  Object.assign(api.services, { environ: () => ({ images: registry }) as Partial<Environ> });
});
afterAll(async () => {
  await api.stop();
  vi.unstubAllEnvs();
  await rm(temp, { recursive: true, force: true });
});

const archive = Buffer.alloc(300_000, 'archive');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
async function post(
  path: string,
  { user = 'admin', body = archive, method = 'POST' }: { user?: string; body?: Buffer; method?: string } = {},
): Promise<{ status: number; json: unknown }> {
  const answer = await api.http(method, path, {
    ...defined({ auth: user === '' ? undefined : basic(`user-${user}`) }),
    body,
  });
  expect((await readdir(temp)).filter((name) => name.startsWith('grigri-upload-'))).toEqual([]);
  return { status: answer.status, json: JSON.parse(answer.body.toString()) as unknown };
}
const whole = `/local-images/ubuntu@24.04?sha256=${sha256(archive)}`;

test('an archive is registered for its base, and nothing of the upload stays', async () => {
  expect(await post(whole)).toEqual({
    status: 200,
    json: {
      base: { name: 'ubuntu', channel: '24.04/stable' },
      arch: 'amd64',
      size: 1,
      'added-at': '2026-01-01T00:00:00Z',
    },
  });
  expect(added).toEqual([{ base: parseBase('ubuntu@24.04'), size: archive.length }]);
});

test.each([
  ['without a login', whole, { user: '' }, 401],
  ['by others than the controller’s superusers', whole, { user: 'writer' }, 401],
  ['by GET', whole, { method: 'GET' }, 405],
  ['without its hash', '/local-images/ubuntu@24.04', {}, 400],
  ['with the hash of another', `/local-images/ubuntu@24.04?sha256=${'0'.repeat(64)}`, {}, 400],
  ['for what is no base', `/local-images/ubuntu?sha256=${sha256(archive)}`, {}, 500],
  ['that is too large', whole, { body: Buffer.alloc(1_000_001) }, 400],
])('an archive %s is refused', async (_, path, options, status) => {
  expect(defaultLimits.imageBytes).toBe(limits.rootImage.max);
  added.length = 0;
  expect((await post(path, options)).status).toBe(status);
  expect(added).toEqual([]);
});
