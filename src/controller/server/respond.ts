import type { IncomingMessage, ServerResponse } from 'node:http';
import { JujuError } from '../../core/errors.ts';

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
