/** Records of what users ask for (login.md#audit-log), in Juju's format: a line of JSON each. */
import { randomBytes } from 'node:crypto';
import { auditedArgs, auditSettings, type AuditSettings } from '../../core/controller/audit.ts';
import { defined } from '../../core/defined.ts';
import type { Entities } from '../../core/kinds.ts';
import { cut, limits } from '../../core/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import { timeText } from '../../kit/time-text.ts';
import type { Store } from '../../store/store.ts';
import type { WireError } from '../../wire/errors.ts';
import type { RequestFrame } from '../../wire/frames.ts';

/** Writes lines. Returns false when one is lost. */
export interface AuditSink {
  append(line: string, limits: Pick<AuditSettings, 'maxBytes' | 'backups'>): boolean;
}

export interface Conversation {
  /** Records a request. */
  request(frame: RequestFrame): void;
  /** Records the answer to a request, with its error or those of its results. */
  reply(frame: RequestFrame, answer: { readonly result?: unknown; readonly error?: WireError }): void;
}

export class Audit {
  readonly #store: Store<Entities>;
  readonly #second: () => string;
  readonly #sink: AuditSink;
  #connections = 0;

  constructor(store: Store<Entities>, clock: Clock, sink: AuditSink) {
    this.#store = store;
    this.#second = timeText(() => Math.floor(clock.now() / 1000) * 1000);
    this.#sink = sink;
  }

  /** Begins the conversation of a connection. `what`: the client's command line. */
  begin(of: {
    readonly who: string;
    readonly what: string;
    readonly modelUuid: string;
    readonly remote: string;
  }): Conversation {
    const ids = {
      'conversation-id': randomBytes(8).toString('hex'),
      'connection-id': (++this.#connections).toString(16).toUpperCase(),
    };
    const root = this.#store.read().in('');
    const model = root.get('model', of.modelUuid || (root.get('controller', 'self')?.modelUuid ?? ''));
    const first = {
      conversation: {
        who: of.who,
        what: cut(limits.auditWords, of.what),
        when: this.#now(),
        'model-name': model?.name ?? '',
        'model-uuid': model?.uuid ?? '',
        ...ids,
        /** Address of the client, which Juju's records lack. */
        remote: of.remote,
      },
    };
    let held: unknown[] | undefined = [first];
    const write = (settings: AuditSettings, record: unknown): void => {
      if (!held) return void this.#sink.append(JSON.stringify(record), settings);
      held.push(record);
      // The conversation's own line stays.
      if (held.length > limits.auditHeld.max) held.splice(1, 1);
    };
    const at = (frame: RequestFrame) => ({ ...ids, 'request-id': frame.requestId, when: this.#now() });
    return {
      request: (frame) => {
        const settings = this.#settings();
        if (!settings.isEnabled) return;
        const { type: facade, version, request: method, params } = frame;
        const args = settings.captureArgs ? auditedArgs(facade, params, limits.auditWords.max) : undefined;
        write(settings, {
          request: { ...at(frame), ...nameOf({ facade, method }), version, ...defined({ args }) },
        });
        if (!held || settings.excluded.has(`${facade}.${method}`)) return;
        const lines = held;
        held = undefined;
        for (const line of lines) write(settings, line);
      },
      reply: (frame, answer) => {
        const settings = this.#settings();
        if (!settings.isEnabled) return;
        write(settings, { errors: { ...at(frame), errors: errorsOf(answer) } });
      },
    };
  }

  #settings(): AuditSettings {
    const config = this.#store.read().in('').get('controller', 'self')?.config ?? {};
    let settings = settingsOf.get(config);
    if (!settings) settingsOf.set(config, (settings = auditSettings(config)));
    return settings;
  }

  /** The time in whole seconds, as Juju writes it. */
  #now(): string {
    return `${this.#second().slice(0, -'.000Z'.length)}Z`;
  }
}

/** Settings by the controller's configuration that they are read from: each request asks for them. */
const settingsOf = new WeakMap<object, AuditSettings>();

/** Names as they were sent, which need not exist. */
function nameOf({ facade, method }: { facade: string; method: string }): { facade: string; method: string } {
  const short = (text: string): string => cut({ max: 100 }, text);
  return { facade: short(facade), method: short(method) };
}

/** Error of a result; that of an annotation is an error result itself. */
function errorIn(result: unknown): WireError | undefined {
  const { error } = (result ?? {}) as { error?: Partial<WireError> & { error?: WireError } };
  if (error?.error) return error.error;
  return typeof error?.message === 'string' ? { message: error.message, code: error.code ?? '' } : undefined;
}

/** Errors of an answer, and of the results in it; null when there are none. */
function errorsOf({
  result,
  error,
}: {
  readonly result?: unknown;
  readonly error?: WireError;
}): { message: string; code: string }[] | null {
  const { results } = (result ?? {}) as { results?: unknown };
  const ofResults = Array.isArray(results) ? results.flatMap((one) => errorIn(one) ?? []) : [];
  const errors = error ? [error] : ofResults.slice(0, limits.auditHeld.max);
  if (errors.length === 0) return null;
  return errors.map(({ message, code }) => ({ message: cut(limits.auditWords, message), code }));
}
