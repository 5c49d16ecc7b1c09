import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * Another controller, whose offers the model has consumed: how it is reached and by what it is known
 * (offers.md#other-controllers). Model space: whoever may change one model does not lead others elsewhere. id = its
 * UUID. It goes with the last of what was consumed from it.
 */
export interface ExternalControllerDoc {
  readonly uuid: string;
  /** The controller's name at the user who consumed. */
  readonly alias: string;
  /** As `host:port`, tried in order. */
  readonly addresses: readonly string[];
  /** CA certificate in PEM: no other one is trusted. */
  readonly caCert: string;
  /** What the controller itself says, over a connection in which it was known by what was given. */
  readonly told?: Told;
}

interface Told {
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
  describe: (before, after, { id }) => {
    const of = after ?? before;
    if (!of) return [];
    const what = !before ? 'made known' : !after ? 'forgotten' : 'reached in another way';
    return [{ subject: `controller ${of.alias || id}`, what, detail: '', about: [] }];
  },
});
