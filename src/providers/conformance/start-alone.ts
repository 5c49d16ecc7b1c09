/** A process that starts one instance: `node start-alone.ts`, its order as JSON on standard input. Says when it begins. */
import { systemClock } from '../../kit/clock.ts';
import { silentLog } from '../../kit/log.ts';
import type { OpenParams, Provider } from '../provider.ts';
import type { AgentBundle, StartParams } from '../start.ts';
import type { Subject } from './subject.ts';

export interface StartOrder {
  readonly provider: NonNullable<Subject['process']>;
  readonly open: Omit<OpenParams, 'clock' | 'log'>;
  readonly params: Omit<StartParams, 'progress'>;
  /** What its boot.download would answer, whatever the architecture: functions do not travel. */
  readonly bundle?: AgentBundle;
}

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
  process.stdout.write('begins\n');
  const { boot, ...rest } = order.params;
  const { bundle } = order;
  const download = boot?.download && bundle && { ...boot.download, bundle: () => Promise.resolve(bundle) };
  await environ.instances.start(
    {
      ...rest,
      ...(boot && { boot: { ...boot, ...(download && { download }) } }),
      progress: () => undefined,
    },
    new AbortController().signal,
  );
}
