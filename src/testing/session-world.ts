/** API server with facades made for tests, which answer, fail, wait or return what their schema does not allow. */
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { JujuError } from '../core/errors.ts';
import { notYet, type FacadeSpec } from '../wire/facade-spec.ts';
import { startApiServer, testModel, type ApiClient, type ApiServer } from './api-server.ts';
import type { FacadeTable } from '../controller/facade.ts';
import { allWatcher } from '../controller/facades/all-watcher/index.ts';
import { pinger } from '../controller/facades/pinger/index.ts';
import { allWatcher as allWatcherSpec } from '../wire/facades/all-watcher.ts';
import { pinger as pingerSpec } from '../wire/facades/pinger.ts';

export const nothing = z.object({});
export const text = z.object({ text: z.string() });
export const sampleSpec = {
  name: 'Sample',
  versions: [2, 3],
  on: 'model',
  notServed: { Refused: notYet('refusing', { until: 2 }) },
  methods: {
    Echo: { params: text, result: text },
    Newer: { since: 3, params: nothing, result: nothing },
    Older: { until: 2, params: nothing, result: nothing },
    Changed: {
      params: z.object({ one: z.string(), two: z.string().exactOptional() }),
      result: z.strictObject({ keys: z.array(z.string()) }),
      older: [{ until: 2, params: z.object({ one: z.string() }), result: text }],
    },
    Void: { params: nothing, result: nothing },
    Write: { params: nothing, result: nothing },
    Admin: { params: nothing, result: nothing },
    Super: { params: nothing, result: nothing },
    Fail: { params: nothing, result: nothing },
    Crash: { params: nothing, result: nothing },
    Wrong: { params: nothing, result: text },
    More: { params: nothing, result: text },
    Wait: { params: nothing, result: nothing },
    Release: { params: nothing, result: nothing },
    Large: { params: z.object({ bytes: z.int() }), result: text },
  },
} as const satisfies FacadeSpec;

export const gates: (() => void)[] = [];
export const sample: FacadeTable<typeof sampleSpec> = {
  Echo: { needs: 'model-read', run: (_call, params) => params },
  Newer: { needs: 'model-read', run: () => ({}) },
  Older: { needs: 'model-read', run: () => ({}) },
  Changed: {
    needs: 'model-read',
    run: ({ version }, params) => {
      const keys = Object.keys(params);
      return version === 2 ? { text: keys.join(' ') } : { keys };
    },
  },
  Void: { needs: 'login', run: () => undefined as unknown as Record<string, never> },
  Write: { needs: 'model-write', blockable: 'change', run: () => ({}) },
  Admin: { needs: 'model-admin', blockable: 'remove', run: () => ({}) },
  Super: { needs: 'superuser', run: () => ({}) },
  Fail: {
    needs: 'login',
    run: () => {
      throw new JujuError('operation is blocked', 'the operation has been blocked', {
        info: { why: 'test' },
      });
    },
  },
  Crash: {
    needs: 'login',
    run: () => {
      throw new Error('the password of the database is hunter2');
    },
  },
  Wrong: { needs: 'login', run: () => ({ text: 3 }) as unknown as { text: string } },
  More: { needs: 'login', run: () => ({ text: 'x', more: 1 }) },
  Wait: {
    needs: 'login',
    run: () => new Promise((resolve) => gates.push(() => resolve({}))),
  },
  Release: {
    needs: 'login',
    run: () => {
      for (const release of gates.splice(0)) release();
      return {};
    },
  },
  Large: { needs: 'login', run: (_call, { bytes }) => ({ text: 'x'.repeat(bytes) }) },
};

const agentSpec = {
  name: 'AgentSample',
  versions: [1],
  on: 'model',
  methods: { Who: { params: nothing, result: text } },
} as const satisfies FacadeSpec;
const agentTable: FacadeTable<typeof agentSpec> = {
  Who: { needs: 'agent', run: ({ caller }) => ({ text: caller.kind === 'machine' ? caller.machine : '' }) },
};
const controllerSpec = {
  name: 'ControllerSample',
  versions: [9, 10],
  on: 'controller',
  methods: { Get: { params: nothing, result: nothing } },
} as const satisfies FacadeSpec;
const controllerTable: FacadeTable<typeof controllerSpec> = {
  Get: { needs: 'login', run: () => ({}) },
};

const ownSpec = {
  ...controllerSpec,
  name: 'OwnSample',
  versions: [1],
  own: true,
} as const satisfies FacadeSpec;

export const facades = [
  { spec: ownSpec, table: controllerTable },
  { spec: sampleSpec, table: sample },
  { spec: agentSpec, table: agentTable },
  { spec: controllerSpec, table: controllerTable },
  { spec: pingerSpec, table: pinger },
  { spec: allWatcherSpec, table: allWatcher },
];

export let api: ApiServer;
/** Registers the start and end of the server; for the top level of a test file. */
export function prepareServer(): void {
  beforeAll(async () => {
    api = await startApiServer({
      facades,
      validate: true,
      limits: { requestBytes: 100_000, messageBytes: 1_000_000, concurrentRequests: 50 },
    });
  });
  afterAll(() => api.stop());
}

export const modelPath = `/model/${testModel}/api`;
export async function connectAs(user: string, path = modelPath): Promise<ApiClient> {
  const client = await api.open(path);
  const answer = await client.login(`user-${user}`);
  expect(answer.error).toBeUndefined();
  return client;
}
