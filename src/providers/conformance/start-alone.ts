/**
 * Process that starts one instance: `node start-alone.ts`, with its job as JSON on standard input. Outputs how many
 * operations the start took.
 */
import { createHook } from 'node:async_hooks';
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import type { OpenParams, Provider } from '../contract/provider.ts';
import type { AgentBundle, StartParams } from '../contract/start.ts';
import type { Subject } from './subject.ts';
import { defined } from '../../core/defined.ts';

export interface StartOrder {
  readonly provider: NonNullable<Subject['process']>;
  readonly open: Omit<OpenParams, 'clock' | 'log'>;
  readonly params: Omit<StartParams, 'progress'>;
  /** Answer of boot.download for every architecture: functions cannot be sent to another process. */
  readonly bundle?: AgentBundle;
  /** Number of the operation before which the process kills itself. */
  readonly cutAt?: number;
}

/** Types of asynchronous resources that only wait; all others are requests to the system: files, processes, sockets. */
const waits = new Set(['PROMISE', 'TickObject', 'Microtask', 'Timeout', 'Immediate']);

if (import.meta.main) {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  const order = JSON.parse(text) as StartOrder;
  const module = (await import(order.provider.module)) as Readonly<
    Record<string, Provider | (() => Provider)>
  >;
  const exported = module[order.provider.name]!;
  const provider = typeof exported === 'function' ? exported() : exported;
  const environ = provider.open({ ...order.open, clock: systemClock, log: silentLog });
  let operations = 0;
  const hook = createHook({
    init(_, type) {
      if (waits.has(type)) return;
      if (++operations === order.cutAt) process.kill(process.pid, 'SIGKILL');
    },
  }).enable();
  const { boot, ...rest } = order.params;
  const { bundle } = order;
  const download = boot?.download && bundle && { ...boot.download, bundle: () => Promise.resolve(bundle) };
  await environ.instances.start(
    {
      ...rest,
      ...defined({ boot: boot && { ...boot, ...defined({ download: download || undefined }) } }),
      progress: () => undefined,
    },
    new AbortController().signal,
  );
  hook.disable();
  process.stdout.write(String(operations));
}
