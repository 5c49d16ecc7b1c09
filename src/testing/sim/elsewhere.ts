/** Connections between the controllers of a simulated world. */
import { firstThatAnswers } from '../../client/connect.ts';
import { openConnection } from '../../client/open-connection.ts';
import type { ServerContext } from '../../controller/server/context.ts';
import type { OtherControllers } from '../../controller/other-controllers.ts';
import type { SimHost, SimNetwork } from '../../forecast/world/network.ts';
import type { SimProcess } from '../../forecast/world/process.ts';
import { onAbort } from '../../kit/on-abort.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { bind } from '../../kit/macaroon/macaroon.ts';
import { bakeryFromJson } from '../../kit/macaroon/slices.ts';

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

/** A controller that discharges macaroons. */
interface Discharger {
  readonly host: SimHost;
  readonly running:
    | { readonly process: SimProcess; readonly composed: { readonly context: ServerContext } }
    | undefined;
}

/** Reaches other controllers over the simulated network. */
export function simulatedElsewhere({
  process,
  network,
  host,
  at,
}: {
  readonly process: SimProcess;
  readonly network: SimNetwork;
  readonly host: SimHost;
  /** The controller that listens at an address. */
  readonly at: (address: string) => Discharger | undefined;
}): OtherControllers {
  return {
    async connect({ addresses, modelUuid, login, signal }) {
      const path = modelUuid === undefined ? '/api' : `/model/${modelUuid}/api`;
      const socket = await firstThatAnswers(addresses, signal, (address) =>
        network.connect(process, host, address, path, signal),
      );
      return openConnection(socket, { login, signal, clock: process.clock });
    },
    discharge({ macaroon, signal }) {
      const { macaroon: first } = bakeryFromJson(macaroon);
      const { id, location = '' } = first.caveats.find(({ verificationId }) => verificationId)!;
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        onAbort(signal, () => reject(signal.reason as Error));
        process.after(network.latency(), 'discharge', () => {
          const there = at(new URL(location).host);
          if (!there || network.cutFor(host, there.host) > 0) return;
          const back = (end: () => void): void => void process.after(network.latency(), 'discharged', end);
          const { running } = there;
          if (!running?.process.alive) return back(() => reject(new Error(`no answer of ${location}`)));
          running.process.after(0, 'discharge', () => {
            try {
              const got = running.composed.context.offerMacaroons.discharge({ id, caveat: id });
              const slice = [first, bind(first, bakeryFromJson(got).macaroon)].map(macaroonToJson);
              back(() => resolve(slice));
            } catch (error) {
              back(() => reject(error as Error));
            }
          });
        });
      });
    },
  };
}
