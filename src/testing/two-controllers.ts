/** Two real controllers, one with a model whose offer a model of the other one consumes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { connect } from '../client/connect.ts';
import type { Connection } from '../client/connection.ts';
import { defined } from '../core/defined.ts';
import { dataPaths } from '../main/controller/data-dir.ts';
import { testController, type TestController } from './controller.ts';
import { TcpGate } from './tcp-gate.ts';
import { charms, ok, sideOf, type Side } from './two-models.ts';
import { upload } from './upload.ts';

/** A side with its controller. */
export interface FarSide extends Side {
  readonly controller: TestController;
  /** Calls a facade's method as admin. */
  call<R = unknown>(facade: string, method: string, params: unknown): Promise<R>;
}

export interface TwoControllers extends AsyncDisposable {
  /** Offering model, with mysql, which admin offers as `db`. */
  readonly offering: FarSide;
  /** Consuming model, with wordpress. */
  readonly consuming: FarSide;
  /** Gate between the consuming controller and the offering one. */
  readonly gate: TcpGate;
  /**
   * Consumes the offer as `db`, as a client that knows both controllers. `user`: the user who may consume it in the
   * offering controller.
   */
  consume(user?: { readonly tag: string; readonly password: string }): Promise<void>;
  /** Consumes the offer and integrates it with wordpress. */
  relate(): Promise<void>;
  /** Lets the agents of both models act once. */
  settle(): Promise<void>;
  /** Restarts a controller; `offering`: the gate leads to it again. */
  restart(which: 'offering' | 'consuming'): Promise<void>;
  /** Restarts the offering controller at another port, to which the gate leads. */
  move(): Promise<void>;
}

const controllerFacades = ['ApplicationOffers', 'ModelManager', 'UserManager'];

/** Starts two controllers. `hosts`: hosts by which the offering controller says that it is reached, beside the gate. */
export async function twoControllers({
  hosts = [],
}: { hosts?: readonly string[] } = {}): Promise<TwoControllers> {
  await using started = new AsyncDisposableStack();
  const gate = started.use(await TcpGate.open());
  const there = started.use(await testController(undefined, { hosts }));
  const here = started.use(await testController());
  const offering = await farSide(there, 'data', '10.0.1');
  const consuming = await farSide(here, 'shop', '10.0.2');
  gate.lead(there.running().server.port);
  await offering.deploy('mysql');
  await consuming.deploy('wordpress');
  await ok(
    offering.call('ApplicationOffers', 'Offer', {
      Offers: [
        {
          'model-tag': `model-${offering.uuid}`,
          'offer-name': 'db',
          'application-name': 'mysql',
          'application-description': '',
          endpoints: { server: 'server' },
        },
      ],
    }),
  );
  const owned = started.move();
  const world: TwoControllers = {
    offering,
    consuming,
    gate,
    async consume(user) {
      const connection = await connected(there, user);
      const { results } = await connection.call<{ results: Details[] }>(
        'ApplicationOffers',
        'GetConsumeDetails',
        { 'offer-urls': { 'offer-urls': ['admin/data.db'], 'bakery-version': 3 } },
      );
      await connection.close();
      const [found] = results;
      if (!found?.offer) throw new Error(found?.error?.message);
      await ok(
        consuming.call('Application', 'Consume', {
          args: [
            {
              ...found.offer,
              'offer-url': 'far:admin/data.db',
              macaroon: found.macaroon,
              'external-controller': { ...found['external-controller'], addrs: [gate.address] },
            },
          ],
        }),
      );
    },
    async relate() {
      await world.consume();
      await consuming.call('Application', 'AddRelation', {
        endpoints: ['wordpress:db', 'db'],
        'via-cidrs': [],
      });
    },
    async settle() {
      await offering.settle();
      await consuming.settle();
    },
    async restart(which) {
      if (which === 'offering') gate.shut();
      await world[which].controller.restart();
      if (which === 'offering') gate.lead(there.running().server.port);
    },
    async move() {
      gate.shut();
      const apiPort = await freePort();
      await there.restart(() => {
        const { settings } = dataPaths(there.dataDir);
        const before = JSON.parse(readFileSync(settings, 'utf8')) as object;
        writeFileSync(settings, JSON.stringify({ ...before, apiPort }));
      });
      gate.lead(there.running().server.port);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return world;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Details {
  readonly offer?: object;
  readonly macaroon?: unknown;
  readonly 'external-controller'?: object;
  readonly error?: { readonly message: string };
}

async function farSide(controller: TestController, model: string, network: string): Promise<FarSide> {
  const uuid = await controller.addModel(model);
  const store = () => controller.running().store;
  await store().change((tx) => {
    for (const [name, meta] of Object.entries(charms)) upload(tx.in(uuid), name, meta);
  }, 'test');
  return {
    // Each restart opens another store.
    ...sideOf(
      {
        get store() {
          return store();
        },
      },
      uuid,
      network,
    ),
    controller,
    async call<R>(facade: string, method: string, params: unknown): Promise<R> {
      const connection = await controller.connect(controllerFacades.includes(facade) ? undefined : uuid);
      try {
        return await connection.call<R>(facade, method, params);
      } finally {
        await connection.close();
      }
    },
  };
}

function connected(
  controller: TestController,
  login: { readonly tag: string; readonly password: string } | undefined,
): Promise<Connection> {
  return connect({ ...controller.connectOptions(), ...defined({ login }) });
}
