import { connect, pinnedContext } from '../client/connect.ts';
import type { Connection } from '../client/connection.ts';
import { charmPath, download } from '../client/http.ts';
import { downloadRest, resourcePath } from '../client/resources.ts';
import type { AgentConf } from '../wire/agent-conf.ts';
import type { OwnPassword } from './own-password.ts';
import type { FetchResource } from './unit/provide-resource.ts';
import type { FetchCharm } from './unit/deploy-charm.ts';

/** Connections of a machine agent to its controller. */
interface ControllerLink {
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  readonly fetchCharm: FetchCharm;
  readonly fetchResource: FetchResource;
  /** Downloads the controller's archive of the agent; its checksum is the one that the controller answers with. */
  readonly fetchAgent: (arch: string, version: string, file: string, signal: AbortSignal) => Promise<void>;
}

/** Connects to the controller at the addresses of agent.conf and those that it gave at the last login. */
export function controllerLink(conf: AgentConf, password: OwnPassword): ControllerLink {
  const { apiAddresses, caCert, model, tag, nonce } = conf;
  const secureContext = pinnedContext(caCert);
  let addresses = apiAddresses;
  return {
    connect: async (signal) => {
      const connection = await password.logIn((candidate) => {
        const login = { tag, password: candidate, nonce };
        return connect({ addresses, caCert, secureContext, modelUuid: model, login, signal });
      }, signal);
      addresses = [...new Set([...apiAddresses, ...connection.login.servers])];
      return connection;
    },
    fetchCharm: async ({ name, sha256 }, file, signal) => {
      await download({
        addresses,
        caCert,
        login: { tag, password: password.accepted, nonce },
        path: charmPath(model, name, sha256),
        file,
        sha256,
        signal,
      });
    },
    fetchAgent: async (arch, version, file, signal) => {
      await download({
        addresses,
        caCert,
        login: { tag, password: password.accepted, nonce },
        path: `/model/${model}/tools/${version}-ubuntu-${arch}`,
        file,
        signal,
      });
    },
    fetchResource: ({ unit, name, size, fingerprint }, { file, from, onPiece }, signal) =>
      downloadRest({
        addresses,
        caCert,
        login: { tag, password: password.accepted, nonce },
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
