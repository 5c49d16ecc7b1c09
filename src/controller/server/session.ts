/** One API connection: requests run concurrently, and responses are sent in any order. */
import type { MachineDoc } from '../../core/machine/document.ts';
import { hasCode, JujuError, permissionDenied } from '../../core/errors.ts';
import { inMigration } from '../../core/migration/frozen.ts';
import { isMoved } from '../../core/migration/phases.ts';
import type { Work } from '../../kit/turn-watch.ts';
import { checkMarks } from '../../wire/check-marks.ts';
import { wireError } from '../../wire/errors.ts';
import { decodeRequest, encodeResponse, type RequestFrame } from '../../wire/frames.ts';
import type { Conversation } from './audit.ts';
import { onAccessLost } from './access-loss.ts';
import { tagOf, type Identity } from './access.ts';
import { ConnectionWatchers } from './connection-resources.ts';
import type { ServerContext } from './context.ts';
import { dispatch, unknownFacade, unknownMethod } from './dispatch.ts';
import { adminVersion, logIn, notRedirected, refuseLoginOfRemoved } from './login.ts';
import { isArriving, onMoved, redirectInfo } from './moved.ts';

/** Size in bytes above which parsing a frame is charged; a shorter one takes less than a millisecond. */
const longFrame = 64 * 1024;

/** WebSocket as a session uses it; that of the library ws satisfies it. */
export interface SessionSocket {
  readonly OPEN: number;
  readonly readyState: number;
  readonly isPaused: boolean;
  readonly bufferedAmount: number;
  send(text: string, done: () => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  /** Closes the socket with a reason for the other side. */
  close(code: number, reason: string): void;
  /** Ends the socket at once. */
  terminate(): void;
  on(event: 'message', listener: (data: Buffer) => void): unknown;
  on(event: 'ping' | 'pong' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface Origin {
  /** UUID of the connection's model; '' on a controller connection. */
  readonly modelUuid: string;
  readonly remote: string;
  /** `host:port` that the client has dialled. */
  readonly host: string;
  /** Callback at a login that has to be discharged first. */
  readonly onDischargeRequired?: () => void;
  /** Callback at the login; absent = the time without a login is not limited. */
  readonly onLogin?: () => void;
}

export class Session {
  readonly #context: ServerContext;
  readonly #socket: SessionSocket;
  /** UUID of the connection's model; '' on a controller connection. */
  readonly #modelUuid: string;
  readonly #remote: string;
  readonly #host: string;
  readonly #watchers: ConnectionWatchers;
  readonly #onLogin: (() => void) | undefined;
  readonly #onDischargeRequired: (() => void) | undefined;
  #identity: Identity | undefined;
  #conversation: Conversation | undefined;
  /** Owner of the connection's work: the address, from the login on the tag. */
  #workOwner: string;
  #loggingIn = false;
  /** True when the agent has a newer connection. */
  #superseded = false;
  /** True when the user may no longer be connected: what it sends is not read. */
  #accessLost = false;
  #endPresence: (() => void) | undefined;
  /** Error of a login to a model that has left. */
  #redirection: JujuError | undefined;
  #running = 0;
  #lastHeardAt: number;

  constructor(context: ServerContext, socket: SessionSocket, { modelUuid, remote, host, ...on }: Origin) {
    this.#context = context;
    this.#watchers = new ConnectionWatchers(context, remote);
    this.#socket = socket;
    this.#modelUuid = modelUuid;
    this.#remote = remote;
    this.#host = host;
    this.#workOwner = remote;
    this.#onLogin = on.onLogin;
    this.#onDischargeRequired = on.onDischargeRequired;
    this.#lastHeardAt = context.services.clock.now();
    socket.on('message', (data) => this.#onMessage(data));
    socket.on('pong', () => this.#recordHeard());
    socket.on('ping', () => this.#recordHeard());
    // An error of a socket also closes it.
    socket.on('error', (error) =>
      context.services.log.debug('connection failed', { remote, error: error.message }),
    );
    socket.on('close', () => this.#onClose());
  }

  /** Ends a connection whose agent is silent, or a user's that holds a model; called periodically. */
  checkLiveness(now: number): void {
    if (!this.#identity) return;
    // Users' clients may be silent for as long as they like, unless others wait for them.
    if (this.#identity.kind === 'user' && !this.#watchers.applier.current) return;
    if (now - this.#lastHeardAt > this.#context.limits.silenceMs) this.#socket.terminate();
    else this.#socket.ping();
  }

  #onClose(): void {
    this.#watchers.end();
    this.#endPresence?.();
  }

  #recordHeard(): void {
    this.#lastHeardAt = this.#context.services.clock.now();
  }

  #onMessage(bytes: Buffer): void {
    // Frames that were read before the socket was ended still arrive.
    if (this.#superseded || this.#accessLost) return;
    this.#recordHeard();
    const { services, track } = this.#context;
    // Parsing a long frame is charged to its sender, the request to the method.
    const parse = (): RequestFrame | undefined => this.#parseFrame(bytes);
    const frame =
      bytes.length < longFrame
        ? parse()
        : services.turns.run({ name: 'request frame', by: this.#remote }, parse);
    if (!frame) return;
    if (this.#running >= this.#context.limits.concurrentRequests) {
      this.#fail(
        frame.requestId,
        new JujuError('try again', 'too many requests at a time on this connection'),
        '',
      );
      return;
    }
    this.#running++;
    track(services.turns.run(this.#workOf(frame), () => this.#serve(frame)));
  }

  /** Counts the end of a request. A user who has revoked its own access still gets the answer to that. */
  #onServed(): void {
    this.#running--;
    if (this.#accessLost && this.#running === 0) this.#dismiss();
  }

  /** Parses a frame; undefined when it was no request, which is then answered. */
  #parseFrame(bytes: Buffer): RequestFrame | undefined {
    const { requestBytes } = this.#context.limits;
    try {
      if (bytes.length > requestBytes)
        throw new JujuError(
          'bad request',
          `request: ${bytes.length} bytes exceed the limit of ${requestBytes}`,
        );
      checkMarks(bytes);
    } catch (error) {
      this.#fail(findRequestId(bytes), error, 'frame');
      return undefined;
    }
    try {
      return decodeRequest(bytes.toString());
    } catch (error) {
      const requestId = error instanceof JujuError ? error.info?.['request-id'] : undefined;
      const plain = error instanceof JujuError ? new JujuError(error.code, error.message) : error;
      this.#fail(typeof requestId === 'number' ? requestId : 0, plain, 'frame');
      return undefined;
    }
  }

  /** Name of the request's work. Only names that exist are used: strangers must not fill the counts with their own. */
  #workOf({ type, request }: RequestFrame): Work {
    const table = this.#context.facades.get(type)?.table;
    const known = type === 'Admin' || (table && Object.hasOwn(table, request));
    const name = known ? `${type}.${type === 'Admin' ? 'Login' : request}` : 'unknown method';
    return { name, by: this.#workOwner };
  }

  async #serve(frame: RequestFrame): Promise<void> {
    const conversation = this.#conversation;
    conversation?.request(frame);
    try {
      const response = await this.#answer(frame);
      conversation?.reply(frame, { result: response });
      this.#noteRefusal(frame, response);
      this.#send(encodeResponse({ requestId: frame.requestId, response }));
    } catch (error) {
      const known = this.#fail(frame.requestId, error, `${frame.type}(${frame.version}).${frame.request}`);
      conversation?.reply(frame, { error: wireError(known) });
      this.#noteRefusal(frame, { error: known });
    } finally {
      this.#onServed();
    }
  }

  /** Notes a request, or one of its parts, that was refused to a logged-in caller for want of access. */
  #noteRefusal({ type, request }: RequestFrame, answer: unknown): void {
    if (!this.#identity || !isRefused(answer)) return;
    const { security } = this.#context;
    security.accessRefused({ tag: tagOf(this.#identity), what: `${type}.${request}`, address: this.#remote });
  }

  async #answer(frame: RequestFrame): Promise<unknown> {
    const place = this.#place();
    if (place === 'unknown') {
      if (frame.type === 'Admin' && frame.request === 'Login')
        refuseLoginOfRemoved(this.#context, this.#modelUuid, frame.params);
      throw new JujuError('model not found', `unknown model: "${this.#modelUuid}"`);
    }
    if (frame.type === 'Admin') return this.#admin(frame);
    // Agents try their login before the model is here.
    if (place === 'arriving') throw inMigration();
    const identity = this.#identity;
    // Only Admin exists before the login, as far as clients are told.
    if (!identity) throw unknownFacade(frame);
    return dispatch(this.#context, {
      frame,
      identity,
      modelUuid: this.#modelUuid,
      host: this.#host,
      connection: this.#watchers,
    });
  }

  /** Where the connection's model is; `here` for the controller itself. */
  #place(): 'arriving' | 'here' | 'left' | 'unknown' {
    const root = this.#context.store.read().in('');
    if (this.#modelUuid === '' || root.get('model', this.#modelUuid)) return 'here';
    if (isArriving(root, this.#modelUuid)) return 'arriving';
    return isMoved(root.get('migration', this.#modelUuid)) ? 'left' : 'unknown';
  }

  async #admin(frame: RequestFrame): Promise<unknown> {
    if (frame.version !== adminVersion)
      throw new JujuError('not supported', `version ${frame.version} of Admin is not supported`);
    if (frame.id !== '') throw new JujuError('not found', 'id not found');
    if (frame.request === 'RedirectInfo') {
      if (!this.#redirection) throw notRedirected();
      return redirectInfo(this.#redirection);
    }
    if (frame.request !== 'Login') throw unknownMethod(frame);
    if (this.#identity || this.#loggingIn) throw new JujuError('', 'already logged in');
    this.#loggingIn = true;
    try {
      const { identity, result, commandLine } = await logIn(this.#context, {
        modelUuid: this.#modelUuid,
        remote: this.#remote,
        host: this.#host,
        params: frame.params,
      });
      if (!identity) {
        this.#onDischargeRequired?.();
        return result;
      }
      if (this.#socket.readyState !== this.#socket.OPEN) throw permissionDenied();
      if (identity.kind === 'anonymous') this.#endPresence = this.#context.anonymous.enter(this.#remote);
      this.#identity = identity;
      this.#workOwner = tagOf(identity);
      this.#onLogin?.();
      if (identity.kind === 'machine') this.#registerAgent(identity);
      else if (identity.kind === 'user') this.#greet(identity, commandLine);
      this.#endWithModel();
      return result;
    } catch (error) {
      if (hasCode(error, 'redirection required')) this.#redirection = error;
      throw error;
    } finally {
      this.#loggingIn = false;
    }
  }

  /** Begins the user's record, and ends the connection when access is lost: no watcher may go on telling news. */
  #greet(user: Extract<Identity, { kind: 'user' }>, commandLine: string): void {
    this.#conversation = this.#context.audit?.begin({
      who: user.name,
      what: commandLine,
      modelUuid: this.#modelUuid,
      remote: this.#remote,
    });
    this.#endPresence = onAccessLost(this.#context, { ...user, model: this.#modelUuid }, () => {
      this.#accessLost = true;
      this.#watchers.end();
      if (this.#running === 0) this.#dismiss();
    });
  }

  /** Ends the connection when the model leaves: nobody may take the removal of its records for an end of the model. */
  #endWithModel(): void {
    if (this.#modelUuid === '') return;
    const before = this.#endPresence;
    const end = onMoved(this.#context, this.#modelUuid, () => {
      this.#accessLost = true;
      this.#watchers.end();
      this.#socket.close(1008, 'the model is in another controller');
    });
    this.#endPresence = () => {
      end();
      before?.();
    };
  }

  #dismiss(): void {
    this.#socket.close(1008, 'access was revoked');
  }

  #registerAgent({ machine, nonce }: Extract<Identity, { kind: 'machine' }>): void {
    const { presence, services, store } = this.#context;
    const leave = presence.enter(this.#modelUuid, machine, {
      superseded: () => this.#supersede(machine),
      heardAt: () => this.#lastHeardAt,
    });
    // Another instance may be its machine's by now, or become it: then this agent is disconnected.
    const checkNonce = (doc: MachineDoc | undefined): void => {
      if (!doc || doc.nonce === nonce) return;
      this.#superseded = true;
      this.#socket.terminate();
    };
    const end = services.dispatch.on(this.#modelUuid, `machine ${machine}`, ({ after }) => checkNonce(after));
    this.#endPresence = () => {
      end();
      leave();
    };
    checkNonce(store.read().in(this.#modelUuid).get('machine', machine));
  }

  /**
   * Ends this connection for a newer one. Once means a lost connection; repeatedly, two agents run as the same machine.
   */
  #supersede(machine: string): void {
    this.#superseded = true;
    this.#context.services.log.info('agent connected again: old connection ended', {
      model: this.#modelUuid,
      machine,
      remote: this.#remote,
    });
    this.#socket.terminate();
  }

  /** Sends an error. An error other than JujuError is a bug: logged whole, sent without details. */
  #fail(requestId: number, error: unknown, requestName: string): JujuError {
    let known: JujuError;
    if (error instanceof JujuError) {
      known = error;
      // The caller asks again; the cause is only logged.
      if (error.cause !== undefined && error.code === 'try again')
        this.#context.services.log.error('request failed', { request: requestName, requestId, error });
    } else {
      known = new JujuError('', 'internal error');
      this.#context.services.log.error('request failed', { request: requestName, requestId, error });
    }
    this.#send(encodeResponse({ requestId, error: wireError(known) }));
    return known;
  }

  #send(text: string): void {
    const socket = this.#socket;
    const { bufferedBytesPause, bufferedBytesMax } = this.#context.limits;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text, () => {
      if (socket.isPaused && socket.bufferedAmount <= bufferedBytesPause) socket.resume();
    });
    if (socket.bufferedAmount > bufferedBytesMax) {
      this.#context.services.log.warning('connection ended: its client does not read', {
        remote: this.#remote,
      });
      socket.terminate();
    } else if (socket.bufferedAmount > bufferedBytesPause) socket.pause();
  }
}

/** Whether the answer, or one of its results, is an error for want of access. */
function isRefused(answer: unknown): boolean {
  const { error, results } = (answer ?? {}) as {
    readonly error?: { readonly code?: unknown };
    readonly results?: unknown;
  };
  if (error?.code === 'unauthorized access') return true;
  return Array.isArray(results) && results.some((result) => isRefused(result));
}

/** Finds the id of a request that is too large to be parsed; every client writes it among the first or last members. */
function findRequestId(bytes: Buffer): number {
  const pattern = /"request-id"\s*:\s*(\d{1,15})\b/i;
  const edge = 4096;
  const found =
    pattern.exec(bytes.toString('latin1', 0, edge)) ??
    pattern.exec(bytes.toString('latin1', bytes.length - edge));
  return found ? Number(found[1]) : 0;
}
