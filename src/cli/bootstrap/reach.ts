import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address } from '../../core/machine/document.ts';
import { timeLimit } from '../../kit/clock.ts';
import { createSsh, SshError, type Ssh } from '../../providers/toolkit/ssh/ssh.ts';
import type { CommandContext } from '../context.ts';
import type { BootstrapPlan } from './plan.ts';

/** File that the first boot writes, with the nonce that the instance was started with. */
const nonceFile = '/var/lib/juju/nonce.txt';
const firstDelayMs = 250;

interface ReachParams {
  /** Asks the cloud for the instance's addresses. */
  readonly addresses: (signal: AbortSignal) => Promise<readonly Address[]>;
  readonly user: string;
  readonly identityFile: string;
  readonly nonce: string;
  /** Folder for known hosts; the caller removes it. */
  readonly folder: string;
  readonly timeouts: BootstrapPlan['timeouts'];
}

export interface Reached {
  readonly ssh: Ssh;
  readonly address: string;
  /** File with the instance's host keys. */
  readonly knownHostsFile: string;
  /** All addresses that the cloud reports. */
  readonly addresses: readonly Address[];
}

/**
 * Waits until an instance that was just started accepts the login. The host that answers must know the nonce that the
 * instance was started with, which no other host knows; then its host key is pinned. Errors: plain Error on timeout,
 * with the last error of each address.
 */
export async function reachInstance(context: CommandContext, params: ReachParams): Promise<Reached> {
  const { clock } = context.io;
  const { untilConnected, betweenTries, betweenLooks } = params.timeouts;
  const limit = timeLimit(clock, untilConnected, context.io.signal);
  const lastErrors = new Map<string, string>();
  try {
    context.info('Waiting for address');
    for (let delay = firstDelayMs; ; delay *= 1.5) {
      const addresses = await params.addresses(limit.signal);
      const usable = addresses.filter(isUsable).map(({ value }) => value);
      for (const address of usable.filter((one) => !lastErrors.has(one)))
        context.info(`Attempting to connect to ${address}:22`);
      const reached = await tryAll(params, usable, { lastErrors, signal: limit.signal });
      if (reached) {
        context.info(`Connected to ${reached.address}`);
        return { ...reached, addresses };
      }
      const delayMax = usable.length > 0 ? betweenTries : betweenLooks;
      await clock.sleep(Math.min(delay, delayMax), limit.signal);
    }
  } catch (error) {
    if (context.io.signal.aborted || !limit.signal.aborted) throw error;
    const reasons = [...lastErrors].map(([address, words]) => `${address}: ${words}`).join('; ');
    throw new Error(
      `cannot connect to the instance within ${untilConnected / 1000} s (bootstrap-timeout): ${reasons || 'the instance has no address'}`,
      { cause: error },
    );
  } finally {
    limit.done();
  }
}

function isUsable({ type, scope, value }: Address): boolean {
  return type !== 'hostname' && scope !== 'local-machine' && !/^(127\.|169\.254\.|::1$|fe80:)/i.test(value);
}

/** Tries all addresses at once and returns the first that accepts the login. The other attempts are cancelled. */
async function tryAll(
  params: ReachParams,
  addresses: readonly string[],
  { lastErrors, signal }: { lastErrors: Map<string, string>; signal: AbortSignal },
): Promise<Omit<Reached, 'addresses'> | undefined> {
  const connected = new AbortController();
  const attemptSignal = AbortSignal.any([signal, connected.signal]);
  const tries = addresses.map(async (address) => {
    const result = await tryOne(params, address, attemptSignal).catch((error: unknown) => {
      if (!connected.signal.aborted) throw error;
      return 'another address connected first';
    });
    if (typeof result === 'string') {
      lastErrors.set(address, result);
      return undefined;
    }
    connected.abort(new Error('connected'));
    return { ...result, address };
  });
  return (await Promise.all(tries)).find((one) => one !== undefined);
}

/** Tries one address. Returns the reason when it does not accept the login yet. */
async function tryOne(
  params: ReachParams,
  address: string,
  signal: AbortSignal,
): Promise<Omit<Reached, 'addresses' | 'address'> | string> {
  const { user, identityFile, nonce, folder } = params;
  const knownHostsFile = join(folder, `known_hosts-${address.replaceAll(':', '_')}`);
  // Host keys do not count before the nonce was seen, because a first boot may make new ones.
  await rm(knownHostsFile, { force: true });
  const ssh = createSsh({
    target: { user, host: address },
    knownHostsFile,
    identityFiles: [identityFile],
    mayAsk: false,
  });
  try {
    const { code, stdout } = await ssh.run(`cat ${nonceFile}`, { signal });
    if (code !== 0) return `${nonceFile} does not exist yet`;
    return stdout.trim() === nonce
      ? { ssh, knownHostsFile }
      : 'another host answers at this address: it does not have the nonce';
  } catch (error) {
    if (error instanceof SshError) return error.message;
    throw error;
  }
}
