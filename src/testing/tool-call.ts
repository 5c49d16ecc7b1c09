/** Calls of hook tools in this process, in contexts of several kinds. */
import { JujuError } from '../core/errors.ts';
import { silentLog } from '../kit/log.ts';
import type { FakeHookContext, FakeHookContextOverrides } from './hook-context.ts';
import { runTool, type ToolResult } from '../hooks/run-tool.ts';

const relationEvent = {
  name: 'db-relation-changed',
  relation: { id: 7, endpoint: 'db' },
  remoteUnit: 'mysql/0',
  remoteApplication: 'mysql',
};
export const inRelation: FakeHookContextOverrides = { event: relationEvent };
export function ofApplication(name: string): FakeHookContextOverrides {
  return {
    event: { name, relation: { id: 7, endpoint: 'db' }, remoteUnit: '', remoteApplication: 'mysql' },
  };
}
export const trusted: FakeHookContextOverrides = {
  cloudSpec: async () => ({
    type: 'ec2',
    name: 'aws',
    credential: { 'auth-type': 'access-key', attrs: { key: 'secret' } },
  }),
};
export const asLeader: FakeHookContextOverrides = { leader: true };
export const inAction: FakeHookContextOverrides = {
  event: {
    name: '',
    ofTask: true,
    action: { id: '5', name: 'do', parameters: { size: 3, out: { file: 'a', deep: { er: true } } } },
  },
};

export async function call(
  context: FakeHookContext,
  words: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<ToolResult> {
  const [name = '', ...args] = words;
  return await runTool({
    context,
    name,
    args,
    signal: new AbortController().signal,
    readFile: async (path) => {
      if (files[path] === undefined)
        throw new JujuError('', `cannot read ${path}: No such file or directory`);
      return Buffer.from(files[path]);
    },
    inTurn: async (run) => await run(),
    log: silentLog,
  });
}
