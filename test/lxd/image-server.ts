/** Image server with simplestreams, like cloud-images.ubuntu.com, that has the suite's image. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { createAuthority, createServerCertificate } from '../../src/controller/certificates.ts';
import { ensureImage } from './image.ts';

export interface ImageServer {
  readonly url: string;
  /** CA of the server's certificate, in PEM. */
  readonly caCert: string;
  /** Number of downloads of the root file system. */
  readonly downloads: () => number;
  /** Limits the bytes per second from now on. */
  slowDown(rate: number): void;
  close(): Promise<void>;
}

/** Starts the server. `aliases`: names of its only image, e.g. `debian/12/cloud`. */
export async function startImageServer(aliases: readonly string[]): Promise<ImageServer> {
  const image = await ensureImage(() => undefined);
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  // Additional zeros at the end make it a different image from that of LXD.
  const metadata = Buffer.concat([readFileSync(image.metadata), Buffer.alloc(10_240)]);
  const rootSize = statSync(image.root).size;
  const both = createHash('sha256').update(metadata);
  const rootHash = createHash('sha256');
  for await (const chunk of createReadStream(image.root))
    for (const hash of [both, rootHash]) hash.update(chunk as Buffer);
  const item = (ftype: string, path: string, hash: Hash, size: number): object => {
    return { ftype, path, sha256: hash.digest('hex'), size };
  };
  const product = 'debian:bookworm:cloud';
  const documents: Readonly<Record<string, object>> = {
    '/streams/v1/index.json': {
      format: 'index:1.0',
      index: {
        images: {
          datatype: 'image-downloads',
          path: 'streams/v1/images.json',
          format: 'products:1.0',
          products: [product],
        },
      },
    },
    '/streams/v1/images.json': {
      content_id: 'images',
      datatype: 'image-downloads',
      format: 'products:1.0',
      products: {
        [product]: {
          aliases: aliases.join(','),
          arch,
          os: 'Debian',
          release: 'bookworm',
          release_title: '12',
          versions: {
            '20261122_00:00': {
              items: {
                'lxd.tar.xz': {
                  ...item('lxd.tar.xz', 'metadata', createHash('sha256').update(metadata), metadata.length),
                  combined_rootxz_sha256: both.digest('hex'),
                },
                'root.tar.xz': item('root.tar.xz', 'root', rootHash, rootSize),
              },
            },
          },
        },
      },
    },
  };
  const authority = await createAuthority({ now: Date.now(), uuid: 'images' });
  const { certificate, key } = await createServerCertificate({
    authority,
    addresses: ['127.0.0.1'],
    now: Date.now(),
  });
  let downloads = 0;
  let rate = Infinity;
  async function* slowly(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      yield chunk;
      if (rate < Infinity) await setTimeout((chunk.length / rate) * 1000);
    }
  }
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const path = new URL(request.url!, 'https://x').pathname;
    const document = documents[path];
    if (document) return void response.end(JSON.stringify(document));
    if (path === '/metadata') return void response.end(metadata);
    if (path !== '/root') return void response.writeHead(404).end();
    response.setHeader('content-length', rootSize);
    if (request.method === 'HEAD') return void response.end();
    downloads++;
    // A client that aborts a download closes the connection.
    pipeline(createReadStream(image.root), slowly, response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caCert: authority.certificate,
    downloads: () => downloads,
    slowDown: (bytes) => void (rate = bytes),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
