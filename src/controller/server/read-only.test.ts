/** Tests of a controller whose disk is full: it goes on answering, and reports the problem wherever it is asked. */
import { afterEach, expect, test } from 'vitest';
import { startApiServer, testModel, type ApiServer } from '../../testing/api-server.ts';
import { facades } from '../facades/index.ts';

let api: ApiServer;
afterEach(() => api.stop());

const MiB = 1024 * 1024;
const chunkBytes = MiB / 8;
const full = /the disk of \S+store\.db is full: free some space/;

test('/health, the login, the status and explain report a full disk, and changes are refused with it', async () => {
  api = await startApiServer({ facades, storeBytes: 4 * MiB });
  expect((await api.http('GET', '/health')).status).toBe(200);
  const fill = (id: string, bytes: number): Promise<void> =>
    api.store.change((tx) => {
      // Each document is nearly as large as a record may be.
      for (let left = bytes, n = 0; left > 0; left -= chunkBytes, n++) {
        const tag = `${id} ${n}`;
        const values = { a: tag.padEnd(Math.min(left, chunkBytes), 'x') };
        tx.in(testModel).put('annotation', tag, { tag, values });
      }
    }, 'test');
  await expect(fill('too-large', 8 * MiB)).rejects.toMatchObject({
    code: 'try again',
    message: expect.stringMatching(full) as string,
  });
  for (let bytes = MiB; bytes >= 1; bytes /= 4)
    for (let n = 0; ; n++)
      try {
        await fill(`${bytes} ${n}`, bytes);
      } catch {
        break;
      }
  const health = await api.http('GET', '/health');
  expect(health.status).toBe(503);
  expect(health.body.toString()).toMatch(/^read-only: /);
  expect(health.body.toString()).toMatch(full);

  const client = await api.open(`/model/${testModel}/api`);
  const login = await client.login('user-admin');
  expect(login.response).toMatchObject({ problem: expect.stringMatching(full) as string });
  const status = await client.call('Client', 8, 'FullStatus', { patterns: [] });
  expect(status.response).toMatchObject({
    model: {
      'model-status': { status: 'error', info: expect.stringMatching(/^read-only: the disk of/) as string },
    },
  });
  const explained = await client.call('Lives', 1, 'Explain', { names: [] });
  expect(explained.response).toMatchObject({
    next: [{ kind: 'operator', name: "the controller's store", commands: [] }],
  });
  const report = await api.store.report();
  expect(report.kinds[0]).toMatchObject({ space: testModel, kind: 'annotation' });
});
