/**
 * Minimal server for agents: TLS, ws, JSON, and a durable group commit that inserts one document per write. It has no
 * model, access control or watchers.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WebSocketServer } from 'ws';
import { createServerCertificate, type KeyPair } from '../src/controller/certificates.ts';
import { readSettings } from '../src/main/controller/data-dir.ts';

interface BareServer {
  readonly address: string;
  /** Inserts this many documents in one durable transaction, like a deploy. */
  insert(documents: number): void;
  stop(): void;
}

/** Returns a certificate of the authority of the controller in this folder. */
export async function bareTls(dataDir: string): Promise<KeyPair & { readonly caCert: string }> {
  const { caCert, caKey } = readSettings(dataDir);
  const authority = { certificate: caCert, key: caKey };
  return { ...(await createServerCertificate({ authority, addresses: [], now: Date.now() })), caCert };
}

export async function bareServer(folder: string, tls: KeyPair): Promise<BareServer> {
  const db = new DatabaseSync(join(folder, 'bare.db'));
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  db.exec('CREATE TABLE doc (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID');
  const put = db.prepare('INSERT OR REPLACE INTO doc VALUES (?, ?)');
  let made = 0;
  // Documents are as long as a unit's and all different, because unchanged bytes are not synced.
  const newDocument = (): string => JSON.stringify({ n: ++made, filler: String(made).padEnd(600, 'x') });
  let waiting: (() => void)[] = [];
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    db.exec('BEGIN');
    for (const _ of group) put.run(`doc ${made % 5000}`, newDocument());
    db.exec('COMMIT');
    for (const done of group) done();
  };

  const https = createServer({ cert: tls.certificate, key: tls.key, minVersion: 'TLSv1.2' });
  const sockets = new WebSocketServer({ server: https, perMessageDeflate: false });
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { 'request-id': number; request: string };
      const answer = (): void =>
        socket.send(
          JSON.stringify({ 'request-id': frame['request-id'], response: { filler: 'x'.repeat(100) } }),
        );
      if (frame.request !== 'Write') return answer();
      if (waiting.push(answer) === 1) setImmediate(commit);
    }),
  );
  await new Promise<void>((resolve) => https.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
  return {
    address: `127.0.0.1:${(https.address() as AddressInfo).port}`,
    insert(documents) {
      db.exec('BEGIN');
      for (let n = 0; n < documents; n++) put.run(`new ${n}`, newDocument());
      db.exec('COMMIT');
    },
    stop() {
      for (const socket of sockets.clients) socket.terminate();
      https.close();
      db.close();
    },
  };
}
