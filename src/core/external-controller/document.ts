import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * Another controller, whose offers the model has consumed: how it is reached and recognized
 * (offers.md#other-controllers). Model space, so that a user who may change one model cannot redirect other models; id
 * = the controller's UUID. The record goes with the last application that was consumed from the controller.
 */
export interface ExternalControllerDoc {
  readonly uuid: string;
  /** The controller's name on the client of the user who consumed the offer. */
  readonly alias: string;
  /** Addresses as `host:port`, tried in order. */
  readonly addresses: readonly string[];
  /** CA certificate in PEM: no other one is trusted. */
  readonly caCert: string;
  /**
   * Addresses and certificate that the controller itself reports, over a connection secured by the given certificate.
   */
  readonly told?: OwnReport;
}

interface OwnReport {
  readonly addresses: readonly string[];
  readonly caCert: string;
}

export const externalController = defineKind<ExternalControllerDoc>()({
  space: 'model',
  idOf: ({ uuid }) => uuid,
  quota: {
    name: ({ uuid }) => `external controller ${uuid}`,
    measures: [
      { limit: limits.caCertificate, members: ['caCert'] },
      { limit: limits.controllerAddresses, of: ({ addresses }) => addresses },
      { limit: limits.controllerAddresses, of: ({ told }) => told?.addresses ?? [] },
    ],
    counts: [{ limit: limits.externalControllers, ...ofModel }],
  },
  upkeep: 'new',
  describe: (before, after, { id }) => {
    const of = after ?? before;
    if (!of) return [];
    const what = !before ? 'made known' : !after ? 'forgotten' : 'reached in another way';
    return [{ subject: `controller ${of.alias || id}`, what, detail: '', about: [] }];
  },
});
