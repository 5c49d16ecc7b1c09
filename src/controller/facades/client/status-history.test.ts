import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { deploy } from '../../../testing/waiting.ts';
import { setStatus } from '../../transactions/tx.ts';

let callers: Callers;
beforeEach(async () => {
  callers = await createCallers();
  await callers.addCharm('web');
  await callers.change((tx) => deploy(tx, 'web', { numUnits: 1 }));
});
afterEach(() => callers[Symbol.asyncDispose]());

describe('StatusHistory', () => {
  const history = async (
    request: Record<string, unknown>,
  ): Promise<{ kind: string; status: string; info: string }[]> => {
    const answer = await callers.call<{
      results: {
        history: { statuses: { kind: string; status: string; info: string }[] };
        error?: { message: string };
      }[];
    }>('Client', 'StatusHistory', {
      requests: [{ historyKind: 'unit', tag: 'unit-web-0', filter: { size: 20 }, ...request }],
    });
    const [result] = answer.results;
    if (result!.error) throw new Error(result!.error.message);
    return result!.history.statuses;
  };
  beforeEach(async () => {
    for (const [kind, text] of [
      ['unit-agent', 'executing'],
      ['workload', 'maintenance'],
      ['unit-agent', 'idle'],
    ] as const) {
      callers.advance(60_000);
      await callers.change((tx) => setStatus(tx, kind, 'web/0', text, `now ${text}`));
    }
  });

  test('StatusHistory is oldest first, of agent and workload together, back to the creation', async () => {
    expect((await history({})).map(({ kind, status }) => [kind, status])).toEqual([
      ['workload', 'waiting'],
      ['juju-unit', 'allocating'],
      ['juju-unit', 'executing'],
      ['workload', 'maintenance'],
      ['juju-unit', 'idle'],
    ]);
    expect((await history({ historyKind: 'workload' })).map(({ status }) => status)).toEqual([
      'waiting',
      'maintenance',
    ]);
  });

  test('StatusHistory is cut by number, by age and by message', async () => {
    expect((await history({ filter: { size: 1 } })).map(({ status }) => status)).toEqual(['idle']);
    expect((await history({ filter: { delta: 90e9 } })).map(({ status }) => status)).toEqual([
      'maintenance',
      'idle',
    ]);
    expect((await history({ filter: { date: '2026-01-01T00:02:30Z' } })).map(({ status }) => status)).toEqual(
      ['idle'],
    );
    expect(
      (await history({ filter: { size: 2, exclude: ['now idle'] } })).map(({ status }) => status),
    ).toEqual(['executing', 'maintenance']);
  });

  test('StatusHistory refuses unknown kinds and entities', async () => {
    await expect(history({ filter: {} })).rejects.toThrow(/missing filter parameters/);
    await expect(history({ historyKind: 'ghost' })).rejects.toThrow('unknown history kind "ghost"');
    await expect(history({ tag: 'unit-web-9' })).rejects.toThrow('unit "web/9" not found');
  });
});
