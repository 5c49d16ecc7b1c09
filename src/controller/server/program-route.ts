import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSha256 } from '../../core/controller/program.ts';
import { JujuError } from '../../core/errors.ts';
import { programsOf } from '../programs.ts';
import type { ServerContext } from './context.ts';
import { authorizeRequest } from './http-auth.ts';
import { allow, sendJson } from './respond.ts';
import type { HttpPath } from './routes.ts';

/** Serves `/programs/<sha256>`: PUT a file of a program for the controller (upgrades.md). */
export async function serveProgram(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { sha256 }: Extract<HttpPath, { kind: 'program' }>,
): Promise<void> {
  allow(request, ['PUT']);
  await authorizeRequest(context, request, { modelUuid: '', needs: 'superuser' });
  if (!isSha256(sha256))
    throw new JujuError('bad request', 'expected /programs/<SHA-256 of the file in hex>');
  await programsOf(context.services).receive(sha256, request);
  sendJson(response, 200, {});
}
