import { expect, test } from 'vitest';
import { newLocalState } from '../../core/unit/local-state.ts';
import type { AgentApi } from '../uplink.ts';
import { SavedState } from './saved-state.ts';

test('a save is not sent before the save under way has ended, with or without an error', async () => {
  const sent: string[] = [];
  const first = Promise.withResolvers<never>();
  const api = {
    call: (method: string) => {
      sent.push(method);
      return sent.length === 1 ? first.promise : Promise.resolve({});
    },
  } as unknown as AgentApi;
  const state = new SavedState('web/0', api, { agentState: null, charmState: {} }, () => Promise.resolve());
  const { signal } = new AbortController();
  state.set({ ...newLocalState, installed: true });
  const abandoned = state.save(signal);
  const saved = state.save(signal);
  await Promise.resolve();
  expect(sent).toEqual(['SaveState']);
  first.reject(new Error('no answer'));
  await expect(abandoned).rejects.toThrow('no answer');
  await saved;
  const commit = { hookId: 'a', relationSettings: [], openPorts: [], closePorts: [] };
  await state.commit(commit, newLocalState, signal);
  expect(sent).toEqual(['SaveState', 'SaveState', 'CommitHook']);
});
