/** Plain HTTP requests: health, charms, images, agents, and 404 for all else (wire.md#http-errors). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JujuError } from '../../core/errors.ts';
import { httpStatus } from '../../wire/errors.ts';
import { serveBoot, serveTools } from './agent-routes.ts';
import { serveBackup } from './backup-route.ts';
import { serveCharm, serveCharms } from './charm-routes.ts';
import type { ServerContext } from './context.ts';
import {
  serveDischarge,
  serveDischargeKey,
  serveLoginForm,
  serveOfferDischarge,
} from './discharge-routes.ts';
import { authorizeRequest } from './http-auth.ts';
import { serveLocalImage } from './local-image-routes.ts';
import { serveProgram } from './program-route.ts';
import { serveRegister } from './register-route.ts';
import { serveResource } from './resource-routes.ts';
import { allow, sendJson } from './respond.ts';
import { matchHttpPath, type HttpPath } from './routes.ts';
import { defined } from '../../core/defined.ts';

export async function serveHttp(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = matchHttpPath(request.url ?? '');
  const work = {
    name: `${request.method} ${path?.kind ?? 'unknown path'}`,
    by: request.socket.remoteAddress ?? '',
  };
  try {
    await context.services.turns.run(work, () => serve(context, request, response, path));
  } catch (error) {
    if (!(error instanceof JujuError)) {
      // A client that disconnected in the middle is no error of the controller.
      if (request.destroyed && !request.complete) return;
      context.services.log.error('request failed', {
        request: `${request.method} ${request.url?.split('?')[0]}`,
        error,
      });
    }
    const known = error instanceof JujuError ? error : new JujuError('', 'internal error');
    sendError(response, known, path?.kind);
  }
}

async function serve(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  path: HttpPath | undefined,
): Promise<void> {
  switch (path?.kind) {
    case 'health':
      allow(request, ['GET', 'HEAD']);
      serveHealth(context.store.problem, response);
      return;
    case 'register':
      return serveRegister(context, request, response);
    case 'discharge':
      return serveDischarge(context, request, response);
    case 'discharge-key':
      return serveDischargeKey(context.localLogin, request, response);
    case 'login-form':
      return serveLoginForm(context, request, response);
    case 'offer-discharge':
      return serveOfferDischarge(context, request, response);
    case 'offer-discharge-key':
      return serveDischargeKey(context.offerMacaroons, request, response);
    case 'backups':
      return serveBackup(context, request, response, path);
    case 'program':
      return serveProgram(context, request, response, path);
    case 'slow-turns':
      return serveSlowTurns(context, request, response);
    case 'charms':
      return serveCharms(context, request, response, path);
    case 'charm':
      return serveCharm(context, request, response, path);
    case 'local-image':
      return serveLocalImage(context, request, response, path);
    case 'resource':
      return serveResource(context, request, response, path);
    case 'tools':
      return serveTools(context, request, response, path);
    case 'boot':
      return serveBoot(context, request, response, path);
    case undefined:
      throw new JujuError('not found', 'not found');
  }
}

/** Serves the work that blocked the event loop since the start, by name of work, to superusers. */
async function serveSlowTurns(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allow(request, ['GET']);
  await authorizeRequest(context, request, { modelUuid: '', needs: 'superuser' });
  const slow = [...context.services.turns.slow].map(([work, { count, longestMs }]) => ({
    work,
    count,
    'longest-ms': Math.round(longestMs),
  }));
  sendJson(response, 200, { 'slow-turns': slow });
}

/** Serves /health: a controller that stores nothing can only be read, and answers 503 with the reason. */
function serveHealth(problem: string | undefined, response: ServerResponse): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  if (problem === undefined) response.writeHead(200, headers).end('running\n');
  else response.writeHead(503, headers).end(`read-only: ${problem}\n`);
}

function sendError(response: ServerResponse, error: JujuError, path: HttpPath['kind'] | undefined): void {
  if (response.headersSent) return void response.destroy();
  const status = httpStatus(error.code);
  // The rest of the request is not read.
  sendJson(response, status, errorBody(error, path), {
    Connection: 'close',
    ...defined({ 'WWW-Authenticate': status === 401 ? 'Basic realm="juju"' : undefined }),
  });
}

/** The error in the form that clients of the path read. */
function errorBody(
  { code, message, info }: JujuError,
  path: HttpPath['kind'] | undefined,
): Record<string, unknown> {
  switch (path) {
    case 'charms':
    case 'charm':
      return { error: message, 'error-code': code, ...defined({ 'error-info': info }) };
    case 'discharge':
    case 'discharge-key':
    case 'login-form':
    case 'offer-discharge':
    case 'offer-discharge-key':
      return { Code: code, Message: message };
    case 'backups':
      return { message, code, ...defined({ info }) };
    default:
      return { error: { message, code, ...defined({ info }) } };
  }
}
