import type { SecureContext } from 'node:tls';
import { connect, pinnedContext } from '../client/connect.ts';
import type { ConnectOptions, Connection } from '../client/connection.ts';
import { charmPath, download } from '../client/http.ts';
import { readRedirection } from '../wire/redirection.ts';
import { downloadRest, resourcePath } from '../client/resources.ts';
import type { AgentConf } from '../wire/agent-conf.ts';
import type { OwnPassword } from './own-password.ts';
import type { FetchResource } from './unit/provide-resource.ts';
import type { FetchCharm } from './unit/deploy-charm.ts';

/** How a controller is reached. */
export interface Ways {
  readonly addresses: readonly string[];
  readonly caCert: string;
}

/** Connections of a machine agent to its controller. */
interface ControllerLink {
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  /** Logs in to another controller, and leaves. */
  readonly tryController: (ways: Ways, signal: AbortSignal) => Promise<void>;
  readonly fetchCharm: FetchCharm;
  readonly fetchResource: FetchResource;
  /** Downloads the controller's archive of the agent; its checksum is the one that the controller answers with. */
  readonly fetchAgent: (
    agent: { readonly arch: string; readonly version: string; readonly build: string },
    file: string,
    signal: AbortSignal,
  ) => Promise<void>;
}

/** Connects to the first address that answers, and logs in. Errors: those of connect (client). */
type Open = (
  options: Ways & { readonly modelUuid: string } & Pick<ConnectOptions, 'login'> & {
      readonly signal: AbortSignal;
    },
) => Promise<Connection>;

/** Connects over TLS; the context of the CA that was trusted last serves many connections. */
function overTls(): Open {
  let known: { readonly caCert: string; readonly secureContext: SecureContext } | undefined;
  return (options) => {
    const { caCert } = options;
    if (known?.caCert !== caCert) known = { caCert, secureContext: pinnedContext(caCert) };
    return connect({ ...options, secureContext: known.secureContext });
  };
}

/**
 * Connects to the controller at the addresses of agent.conf and those that it gave at the last login. Where that sends
 * the agent to another controller, which has the model now, agent.conf says so from then on
 * (migration.md#agents-follow).
 */
export function controllerLink(
  conf: AgentConf,
  password: OwnPassword,
  open: Open = overTls(),
): ControllerLink {
  const { model, tag, nonce } = conf;
  let known: readonly string[] = conf.apiAddresses;
  let ways: Ways = { addresses: known, caCert: conf.caCert };
  const logIn = (to: Ways, candidate: string, signal: AbortSignal): Promise<Connection> =>
    open({ ...to, modelUuid: model, login: { tag, password: candidate, nonce }, signal });
  const follow = async (signal: AbortSignal): Promise<Connection> => {
    try {
      return await password.logIn((candidate) => logIn(ways, candidate, signal), signal);
    } catch (error) {
      const next = readRedirection(error);
      if (!next) throw error;
      await password.moveTo({ apiAddresses: next.addresses, caCert: next.caCert });
      known = next.addresses;
      ways = { addresses: known, caCert: next.caCert };
      return await password.logIn((candidate) => logIn(ways, candidate, signal), signal);
    }
  };
  const reached = (): Ways & { readonly login: { tag: string; password: string; nonce: string } } => ({
    ...ways,
    login: { tag, password: password.accepted, nonce },
  });
  return {
    connect: async (signal) => {
      const connection = await follow(signal);
      ways = { ...ways, addresses: [...new Set([...known, ...connection.login.servers])] };
      return connection;
    },
    tryController: async (to, signal) => {
      const connection = await logIn(to, password.accepted, signal);
      await connection.close();
    },
    fetchCharm: async ({ name, sha256 }, file, signal) => {
      await download({ ...reached(), path: charmPath(model, name, sha256), file, sha256, signal });
    },
    fetchAgent: async ({ arch, version, build }, file, signal) => {
      await download({
        ...reached(),
        path: `/model/${model}/tools/${version}-ubuntu-${arch}?build=${build}`,
        file,
        signal,
      });
    },
    fetchResource: ({ unit, name, size, fingerprint }, { file, from, onPiece }, signal) =>
      downloadRest({
        ...reached(),
        path: resourcePath(model, { unit }, name),
        file,
        from,
        size,
        fingerprint,
        onPiece,
        signal,
      }),
  };
}
