import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { all } from '../quota.ts';

/** A cloud. Controller space; id = cloud name. */
export interface CloudDoc {
  readonly name: string;
  readonly type: string;
  readonly authTypes: readonly string[];
  readonly endpoint: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
  /** Regions; the first is the default. */
  readonly regions: readonly CloudRegion[];
  /** PEM certificates. */
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
  /** Cloud and region that a Kubernetes cluster runs on, `aws/us-east-1`, or `other`; kept for its users. */
  readonly hostCloudRegion?: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Configuration by region, which overrides `config`. */
  readonly regionConfig?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
interface CloudRegion {
  readonly name: string;
  readonly endpoint?: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
}

export const cloud = defineKind<CloudDoc>()({
  space: 'controller',
  idOf: ({ name }) => name,
  quota: { counts: [{ limit: limits.clouds, ...all, whose: () => 'the controller' }] },
});
