/** Clients of a test's controller, without a terminal: what they report is kept, and their records are in memory. */
import { connect } from '../client/connect.ts';
import { systemClock } from '../kit/clock.ts';
import type { CommonEvent, Operator } from '../operate/operator.ts';
import type { ClientRecords, ControllerDetails, ModelDetails } from '../operate/records.ts';
import { openModel, type Client, type ModelSession, type SessionEvent } from '../operate/sessions.ts';
import type { TestController } from './controller.ts';

export interface TestOperator<E extends { readonly kind: string }> extends Operator<E> {
  /** Reported events in order, without those of work that may take long. */
  readonly events: (CommonEvent | E)[];
}

export function testOperator<E extends { readonly kind: string }>(
  parts: Partial<Pick<Operator, 'clock' | 'signal'>> = {},
): TestOperator<E> {
  const events: (CommonEvent | E)[] = [];
  return {
    clock: systemClock,
    signal: new AbortController().signal,
    architecture: 'amd64',
    ...parts,
    events,
    report: (event) => {
      if (event.kind !== 'working') events.push(event);
    },
  };
}

interface TestClient extends Client {
  readonly operator: TestOperator<SessionEvent>;
  readonly details: Map<string, ControllerDetails>;
  readonly modelsKnown: Map<string, Readonly<Record<string, ModelDetails>>>;
}

/** Knows the controller as `ctrl`, and its admin. */
export function testClient(
  controller: TestController,
  parts: Partial<Omit<Client, 'operator'>> = {},
): TestClient {
  const { addresses, caCert, login } = controller.connectOptions();
  const details = new Map<string, ControllerDetails>([
    ['ctrl', { uuid: '', 'api-endpoints': addresses, 'ca-cert': caCert, cloud: 'test', type: 'simulated' }],
  ]);
  const modelsKnown = new Map<string, Readonly<Record<string, ModelDetails>>>();
  const records: ClientRecords = {
    dir: 'memory',
    controllers: () => Promise.resolve(Object.fromEntries(details)),
    currentController: () => Promise.resolve('ctrl'),
    updateController: (name, changed) => Promise.resolve(void details.set(name, changed)),
    account: () => Promise.resolve({ user: 'admin', password: login.password }),
    macaroons: () => Promise.resolve([]),
    setMacaroon: () => Promise.resolve(),
    models: (name) => Promise.resolve(modelsKnown.get(name) ?? {}),
    currentModel: () => Promise.resolve(undefined),
    setModels: (name, models) => Promise.resolve(void modelsKnown.set(name, models)),
  };
  return {
    operator: testOperator<SessionEvent>(),
    records: () => Promise.resolve(records),
    chosen: { controller: '', model: '' },
    connect,
    startIfStopped: () => Promise.resolve(false),
    ...parts,
    details,
    modelsKnown,
  };
}

/** Adds a model; the caller must close its session. */
export async function newModel(
  controller: TestController,
  name: string,
  config: Readonly<Record<string, unknown>> = {},
): Promise<ModelSession & AsyncDisposable> {
  await controller.addModel(name, config);
  const session = await openModel(testClient(controller), name);
  return { ...session, [Symbol.asyncDispose]: () => session.connection.close() };
}
