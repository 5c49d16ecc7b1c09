/**
 * Process of the load generator: simulated machine agents over real TLS, or the bare clients of the floor. Its parent
 * controls it over IPC, and it ends with the parent.
 */
import { randomUUID } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { machineFacts } from '../src/agent/machine/facts.ts';
import { MachineAgent } from '../src/agent/machine/machine-agent.ts';
import { connect, openSocket, pinnedContext } from '../src/client/connect.ts';
import type { Connection } from '../src/client/connection.ts';
import { systemClock } from '../src/kit/clock.ts';
import { simulatedHosts } from '../src/testing/simulated-hooks.ts';
import { parseAgentConf } from '../src/wire/agent-conf.ts';

export type LoadRequest =
  | { readonly kind: 'agent'; readonly machineId: string; readonly conf: string; readonly address: string }
  | {
      readonly kind: 'clients';
      readonly count: number;
      readonly address: string;
      readonly caCert: string;
      readonly calls: number;
      readonly writes: number;
    }
  | { readonly kind: 'usage' };

/** Answer to `clients` at its end, and to `usage`. */
export interface LoadAnswer {
  /** Requests sent so far, including logins. */
  readonly calls: number;
  readonly cpuMs: number;
}

const version = '3.6.28';
const facts = machineFacts(version);
/** Maximum number of concurrent handshakes, equal to the starts of the provisioner. */
const handshakesMax = 16;
let context: SecureContext | undefined;
let calls = 0;

process.on('message', (request: LoadRequest) => {
  switch (request.kind) {
    case 'agent':
      return startAgent(request);
    case 'clients':
      return void runClients(request).then(answer);
    case 'usage':
      return answer();
  }
});
process.on('disconnect', () => process.exit());

function answer(): void {
  const { user, system } = process.cpuUsage();
  process.send!({ calls, cpuMs: (user + system) / 1000 } satisfies LoadAnswer);
}

function startAgent({ machineId, conf, address }: LoadRequest & { kind: 'agent' }): void {
  const { caCert, model, tag, apiPassword: password, nonce } = parseAgentConf(conf);
  const secureContext = (context ??= pinnedContext(caCert));
  new MachineAgent({
    machineId,
    version,
    bootId: 'boot',
    connect: async (signal) => {
      calls++;
      const login = { tag, password, nonce };
      return counted(
        await connect({ addresses: [address], caCert, secureContext, modelUuid: model, login, signal }),
      );
    },
    hosts: simulatedHosts(),
    runCommand: () => Promise.reject(new Error('no commands here')),
    facts: () => facts,
    clock: systemClock,
    random: Math.random,
    newId: () => randomUUID(),
    logSink: () => undefined,
  });
}

function counted(connection: Connection): Connection {
  return {
    ...connection,
    call: (...args) => {
      calls++;
      return connection.call(...args);
    },
  };
}

/**
 * Runs clients: each has a connection of its own and sends `calls` requests one after another, `writes` of them
 * durable.
 */
async function runClients(request: LoadRequest & { kind: 'clients' }): Promise<void> {
  const { count, address, caCert } = request;
  const secureContext = pinnedContext(caCert);
  const running: Promise<void>[] = [];
  let next = 0;
  const opener = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      const socket = await openSocket(`wss://${address}/`, { secureContext });
      running.push(converse(socket, n, request));
    }
  };
  await Promise.all(Array.from({ length: handshakesMax }, opener));
  await Promise.all(running);
}

function converse(
  socket: Awaited<ReturnType<typeof openSocket>>,
  client: number,
  { calls: total, writes }: LoadRequest & { kind: 'clients' },
): Promise<void> {
  let sent = 0;
  const send = (): void => {
    calls++;
    sent++;
    // Writes are spread evenly among the requests.
    const write = Math.floor((sent * writes) / total) > Math.floor(((sent - 1) * writes) / total);
    const params = { unit: `app/${client}`, n: sent, filler: 'x'.repeat(100) };
    socket.send(
      JSON.stringify({
        'request-id': sent,
        type: 'MachineAgent',
        version: 1,
        request: write ? 'Write' : 'Read',
        params,
      }),
    );
  };
  return new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      JSON.parse(data.toString());
      if (sent < total) send();
      else resolve();
    });
    socket.resume();
    send();
  });
}
