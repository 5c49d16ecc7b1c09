/**
 * HTTP routes that machines use before their agent runs (docs/user-data.md): download of the agent and reports of the
 * first boot.
 */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { JujuError, notFound, permissionDenied } from '../../core/errors.ts';
import { compareVersions, isVersion } from '../../core/juju-version.ts';
import { checkLimit, limits } from '../../core/limits.ts';
import { isoTime } from '../../kit/clock.ts';
import { machineTag } from '../../wire/tags.ts';
import { reportBoot } from '../transactions/instance/tell-provisioning.ts';
import type { ServerContext } from './context.ts';
import { allow } from './respond.ts';
import { authorizeRequest } from './http-auth.ts';
import type { HttpPath } from './routes.ts';

/**
 * Serves `/model/<uuid>/tools/<version>-ubuntu-<arch>?build=<build>`: GET. The agent is no secret, and its clients have
 * no password yet. An agent asks by the version that it has, and verifies the build: earlier versions are answered.
 */
export async function serveTools(
  { store, services, limits }: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, tools, query }: Extract<HttpPath, { kind: 'tools' }>,
): Promise<void> {
  allow(request, ['GET', 'HEAD']);
  if (store.read().in('').get('model', modelUuid)?.life !== 'alive')
    throw new JujuError('model not found', `unknown model: "${modelUuid}"`);
  const [, version = '', arch = ''] = /^(.+)-ubuntu-(.*)$/.exec(tools) ?? [];
  const [major, minor] = services.version.split('.');
  const isOfSeries = isVersion(version) && version.startsWith(`${major}.${minor}.`);
  if (!isOfSeries || compareVersions(version, services.version) > 0)
    throw new JujuError(
      'not found',
      `agent ${tools} not found: this controller has version ${services.version}`,
    );
  const { path, sha256, size } = await services.bundles.file(arch, query.get('build') ?? undefined);
  const from = rangeStart(request.headers.range, size);
  response.writeHead(from === 0 ? 200 : 206, {
    'Content-Type': 'application/gzip',
    'Content-Length': String(size - from),
    'Accept-Ranges': 'bytes',
    'X-SHA256': sha256,
    ...(from === 0 ? {} : { 'Content-Range': `bytes ${from}-${size - 1}/${size}` }),
  });
  if (request.method === 'HEAD') return void response.end();
  response.setTimeout(limits.stalledMs, () => response.destroy());
  await pipeline(createReadStream(path, { start: from }), response).catch((error: unknown) => {
    // The client is gone or was disconnected: it may resume the download.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/**
 * Start of the requested range, at which a cut download goes on; invalid ranges, and those past the end, mean the
 * whole.
 */
function rangeStart(header: string | undefined, size: number): number {
  const match = /^bytes=(\d+)-$/.exec(header ?? '');
  const from = match ? Number(match[1]) : 0;
  return from < size ? from : 0;
}

/** Serves `/model/<uuid>/machine/<id>/boot?state=running|failed`: POST a sentence. */
export async function serveBoot(
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  { modelUuid, machine, query }: Extract<HttpPath, { kind: 'boot' }>,
): Promise<void> {
  allow(request, ['POST']);
  const caller = await authorizeRequest(context, request, { modelUuid, needs: 'agent' });
  if (caller.kind !== 'machine' || machineTag(caller.machine) !== machine) throw permissionDenied();
  const state = query.get('state') === 'failed' ? 'failed' : 'running';
  const message = await readSentence(request);
  if (!context.bootReports.take(`${modelUuid} ${machine}`))
    throw new JujuError('try again', 'too many reports');
  const { store, services } = context;
  if (!store.read().in(modelUuid).get('machine', caller.machine)) throw notFound('machine', caller.machine);
  await store.change(
    (tx) => reportBoot(tx.in(modelUuid), { machine: caller.machine, state, message }),
    machine,
  );
  services.logs.append(modelUuid, [
    {
      ts: isoTime(services.clock),
      tag: machine,
      sev: state === 'failed' ? 'ERROR' : 'INFO',
      mod: 'juju.first-boot',
      loc: '',
      msg: message,
    },
  ]);
  response.writeHead(204).end();
}

/** Reads one line and removes control sequences of terminals. */
async function readSentence(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    checkLimit(limits.bootReport, size);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (text === '') throw new JujuError('bad request', 'a boot report must not be empty');
  return text;
}
