import type { Entities } from '../../core/kinds.ts';
import type { Store } from '../../store/store.ts';
import { LocalLogin } from '../macaroons/local-login.ts';
import { DownloadSlots, downloadLimits } from '../resources/download-slots.ts';
import { createPasswordCheck, type PasswordCheck } from '../password-check.ts';
import type { Services } from '../services.ts';
import { OfferMacaroons } from '../macaroons/offer-macaroons.ts';
import { AgentLogins } from './agent-logins.ts';
import { AnonymousConnections } from './anonymous-connections.ts';
import { WatchersOfRelations } from './watchers-of-relations.ts';
import { Appliers } from './appliers.ts';
import { Audit, type AuditSink } from './audit.ts';
import { BootReports } from './boot-reports.ts';
import { defaultLimits, type Limits, type ServerContext, type ValidationFailure } from './context.ts';
import { LoginThrottle } from './login-throttle.ts';
import { Newcomers } from './newcomers.ts';
import type { AgentPresence } from './presence.ts';
import type { FacadeRegistry } from './registry.ts';
import { SecurityLog } from './security-log.ts';

export interface ContextOptions {
  readonly store: Store<Entities>;
  readonly services: Services;
  /** Presence of agents, updated by the server; services.presence reads it. */
  readonly presence: AgentPresence;
  readonly facades: FacadeRegistry;
  readonly limits?: Partial<Limits>;
  /** Checks each result against its schema; for tests. */
  readonly validate?: boolean;
  /** Sink of the audit log; absent = none is kept. */
  readonly audit?: AuditSink;
  /** Password check; default: at the advised cost. */
  readonly passwords?: PasswordCheck;
}

export interface CreatedContext {
  readonly context: ServerContext;
  /** Results that their schemas do not allow; with `validate`. */
  readonly validationFailures: readonly ValidationFailure[];
  /** Waits for the tracked work, for a limited time. */
  settled(): Promise<void>;
}

/** Timeout for requests that nobody waits for any more: the store closes next, and fails what is still in progress. */
const workMs = 5_000;

export function createContext(options: ContextOptions): CreatedContext {
  const { store, services, presence, facades } = options;
  const { clock } = services;
  const work = new Set<Promise<unknown>>();
  const validationFailures: ValidationFailure[] = [];
  const limits = { ...defaultLimits, ...options.limits };
  const context: ServerContext = {
    store,
    services,
    presence,
    facades,
    limits,
    throttle: new LoginThrottle(clock),
    security: new SecurityLog(clock, services.log),
    agentLogins: new AgentLogins(store, clock),
    downloadSlots: new DownloadSlots(() => downloadLimits(store)),
    newcomers: new Newcomers(clock, limits),
    bootReports: new BootReports(clock),
    passwords: options.passwords ?? createPasswordCheck(),
    localLogin: new LocalLogin({ store, services }),
    offerMacaroons: new OfferMacaroons({ store, services }),
    anonymous: new AnonymousConnections(),
    watchersOfRelations: new WatchersOfRelations(),
    appliers: new Appliers(),
    ...(options.audit ? { audit: new Audit(store, clock, options.audit) } : {}),
    ...(options.validate ? { onInvalidResult: (failure) => validationFailures.push(failure) } : {}),
    track(promise) {
      work.add(promise);
      const done = (): void => void work.delete(promise);
      promise.then(done, done);
    },
  };
  return {
    context,
    validationFailures,
    async settled() {
      const timeout = new AbortController();
      const workDone = async (): Promise<void> => {
        while (work.size > 0) await Promise.allSettled(work);
      };
      await Promise.race([workDone(), clock.sleep(workMs, timeout.signal).catch(() => undefined)]);
      timeout.abort();
    },
  };
}
