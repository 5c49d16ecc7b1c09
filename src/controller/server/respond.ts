import type { IncomingMessage, ServerResponse } from 'node:http';
import { JujuError } from '../../core/errors.ts';
import { checkLimit, type Limit } from '../../core/limits.ts';
import { parseJson } from '../../core/parse-json.ts';

/** Refuses other methods. Errors: `method not allowed`. */
export function allow(request: IncomingMessage, methods: readonly string[]): void {
  if (!methods.includes(request.method ?? ''))
    throw new JujuError('method not allowed', `unsupported method: "${request.method}"`);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

/** Reads the body of a request. Errors: `quota limit exceeded`. */
export async function readBody(request: IncomingMessage, limit: Limit): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    checkLimit(limit, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Reads a body that is JSON. Errors: `bad request`; as readBody. */
export async function readJson(request: IncomingMessage, limit: Limit): Promise<unknown> {
  return parseBody(await readBody(request, limit));
}

/** Parses a body, or a part of one. Errors: `bad request`. */
export function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new JujuError('bad request', 'the body is not JSON', { cause });
  }
}
