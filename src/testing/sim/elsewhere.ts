/** Connections between the controllers of a simulated world. */
import { firstThatAnswers } from '../../client/connect.ts';
import { openConnection } from '../../client/open-connection.ts';
import type { OtherControllers } from '../../controller/other-controllers.ts';
import type { SimHost, SimNetwork } from '../../forecast/world/network.ts';
import type { SimProcess } from '../../forecast/world/process.ts';

/** Certificate of the authority that all simulated controllers claim to have: there is no TLS. */
export const simulatedCa = `-----BEGIN CERTIFICATE-----
MIIBMzCB26ADAgECAhBWRlfYkA7wk3uEdG/Vyj0OMAoGCCqGSM49BAMCMBIxEDAO
BgNVBAMTB3Rlc3QtY2EwHhcNMjAwMTAxMDAwMDAwWhcNNDkwMTAxMDAwMDAwWjAS
MRAwDgYDVQQDEwd0ZXN0LWNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPWwR
x1C4jy8/7s7Bud//JCF4HPtEu/K2ayEFTnva5tZsSH+p8/75AwZESOnFD5/sJJdN
0sbfVWVUMHlbsHKLIqMTMBEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNH
ADBEAiAGSRy5ykRn5P5ECTN1j4b1B8x2jZt2p2vqemKPdVnfLgIgcG1ZDKPyRBzt
b/PbXPFEuJa/KXZPMPNUhcQVGd77SCI=
-----END CERTIFICATE-----
`;

/** Reaches the other controller over the simulated network. */
export function simulatedElsewhere({
  process,
  network,
  host,
}: {
  readonly process: SimProcess;
  readonly network: SimNetwork;
  readonly host: SimHost;
}): OtherControllers {
  return {
    async connect({ addresses, modelUuid, login, signal }) {
      const path = modelUuid === undefined ? '/api' : `/model/${modelUuid}/api`;
      const socket = await firstThatAnswers(addresses, signal, (address) =>
        network.connect(process, host, address, path, signal),
      );
      return openConnection(socket, { login, signal, clock: process.clock });
    },
    discharge: () => Promise.reject(new Error('nobody discharges macaroons here')),
  };
}
