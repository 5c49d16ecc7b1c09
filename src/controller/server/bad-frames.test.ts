/** Frames that are no requests, and requests at their limits. */
import fc, { runs } from '../../testing/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { api, connectAs, prepareServer } from '../../testing/session-world.ts';

prepareServer();

describe('bad frames', () => {
  it.each(['', '{', 'null', '[]', '"x"', '{"request-id":"1"}', '\u0000', '{"request-id":1e400}'])(
    '%j is answered and the connection kept',
    async (text) => {
      const client = await connectAs('reader');
      client.send(text);
      expect(await client.nextFrame()).toMatchObject({ 'request-id': 0, 'error-code': 'bad request' });
      expect((await client.call('Sample', 3, 'Echo', { text: 'still' })).response).toEqual({ text: 'still' });
    },
  );

  it('a request that is too long is answered by its number and the connection kept', async () => {
    const client = await connectAs('reader');
    expect(await client.call('Sample', 3, 'Echo', { text: 'x'.repeat(200_000) })).toMatchObject({
      'error-code': 'bad request',
      error: expect.stringContaining('exceed the limit') as unknown,
    });
    expect((await client.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a message far over the limit ends its connection, and only that', async () => {
    const [client, other] = await Promise.all([connectAs('reader'), connectAs('reader')]);
    client.send('x'.repeat(2_000_000));
    expect(await client.closed).toBe(1009);
    expect((await other.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a deeply nested frame is refused', async () => {
    const client = await connectAs('reader');
    client.send(
      `{"request-id":9,"type":"Sample","version":3,"request":"Echo","params":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
    );
    expect((await client.nextFrame())['request-id']).toBe(9);
    expect((await client.call('Sample', 3, 'Void')).error).toBeUndefined();
  });

  it('a bad frame of any kind leaves the controller unharmed', async () => {
    const client = await connectAs('reader');
    const sampleLike = fc.record(
      {
        'request-id': fc.oneof(fc.nat(), fc.jsonValue()),
        type: fc.oneof(
          fc.constantFrom('Sample', 'Pinger', 'AllWatcher', 'Admin', '__proto__'),
          fc.jsonValue(),
        ),
        version: fc.oneof(fc.constantFrom(1, 3), fc.jsonValue()),
        id: fc.jsonValue(),
        request: fc.oneof(fc.constantFrom('Echo', 'Next', 'Login', 'Stop', 'constructor'), fc.jsonValue()),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const frames = fc.oneof(
      fc.string(),
      fc.json(),
      sampleLike.map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(frames, async (frame) => {
        client.send(frame);
        const answer = await client.nextFrame();
        expect(typeof answer['request-id']).toBe('number');
      }),
      { numRuns: runs(400) },
    );
    expect((await (await connectAs('reader')).call('Sample', 3, 'Void')).error).toBeUndefined();
    expect(
      api.records.filter(
        (record) => record.level === 'ERROR' && !/hunter2|wire\/ declares/.test(record.message),
      ),
    ).toEqual([]);
  });
});
