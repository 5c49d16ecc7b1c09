/** Detects simulated events that use real time, real randomness, threads or the real world. */
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

type Owner = Record<string, unknown>;

const forbidden: readonly (readonly [name: string, owner: object, members: readonly string[]])[] = [
  ['Date', Date, ['now']],
  ['Math', Math, ['random']],
  ['performance', performance, ['now']],
  ['globalThis', globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'fetch']],
  ['timers', timers, ['setTimeout', 'setInterval', 'setImmediate']],
  ['timers/promises', timersPromises, ['setTimeout', 'setInterval', 'setImmediate']],
  ['AbortSignal', AbortSignal, ['timeout']],
  ['crypto', crypto, ['randomUUID', 'randomBytes', 'randomInt', 'scrypt', 'pbkdf2']],
  [
    'fs',
    fs,
    ['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'createReadStream'],
  ],
  ['fs/promises', fsPromises, ['open', 'readFile', 'writeFile', 'mkdir', 'readdir', 'rm', 'access', 'stat']],
  ['child_process', childProcess, ['spawn', 'exec', 'execFile', 'fork']],
  ['net', net, ['connect', 'createConnection', 'createServer']],
];

export class Guard {
  /** Whether an event is running; calls outside of events are allowed. */
  watching = false;
  readonly #onCall: (name: string) => void;
  readonly #undo: (() => void)[] = [];

  /** Creates the guard. `onCall` is called for each forbidden call, which is carried out nevertheless. */
  constructor(onCall: (name: string) => void) {
    this.#onCall = onCall;
    for (const [name, owner, members] of forbidden)
      for (const member of members) this.#wrap(name, owner as Owner, member);
    syncBuiltinESMExports();
  }

  remove(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    syncBuiltinESMExports();
  }

  #wrap(name: string, owner: Owner, member: string): void {
    const original = owner[member];
    if (typeof original !== 'function') return;
    const call = original as (...args: unknown[]) => unknown;
    const onCall = (): void => {
      if (this.watching) this.#onCall(`${name}.${member}`);
    };
    const wrapped = function (this: unknown, ...args: unknown[]): unknown {
      onCall();
      return call.apply(this, args);
    };
    // Copies setTimeout[promisify.custom] and the like.
    Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original));
    owner[member] = wrapped;
    this.#undo.push(() => (owner[member] = original));
  }
}
