import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf } from './shared.ts';

export const remoteEndpoint = z.strictObject({
  name: z.string(),
  role: z.enum(['provider', 'requirer', 'peer']),
  interface: z.string(),
  limit: z.int(),
});
const offerUser = z.strictObject({ user: z.string(), 'display-name': z.string(), access: z.string() });
const connection = z.strictObject({
  'source-model-tag': shared.tag,
  'relation-id': z.int(),
  username: z.string(),
  endpoint: z.string(),
  status: z.strictObject({ status: z.string(), info: z.string(), since: shared.time }),
  'ingress-subnets': listOf(z.string()),
});
/** The part of an offer that everybody with read access is told. */
const details = z.strictObject({
  'source-model-tag': shared.tag,
  'offer-uuid': z.string(),
  'offer-url': z.string(),
  'offer-name': z.string(),
  'application-description': z.string(),
  endpoints: listOf(remoteEndpoint).optional(),
  users: listOf(offerUser).optional(),
});
/** The offer as its admins see it. Other users get '' for the application. */
const offerDetails = details.extend({
  'application-name': z.string(),
  'charm-url': z.string(),
  connections: listOf(connection).optional(),
});
export type OfferDetails = z.output<typeof offerDetails>;

/** Filters are a disjunction; all members of a filter have to match. '' and [] match all. */
export const offerFilter = z.object({
  'owner-name': z.string(),
  'model-name': z.string(),
  'offer-name': z.string(),
  'application-name': z.string(),
  'application-description': z.string(),
  'application-user': z.string(),
  endpoints: z.array(z.object({ role: z.string(), interface: z.string(), name: z.string() })),
  'connected-users': z.array(z.string()),
  'allowed-users': z.array(z.string()),
});
const filters = z.object({ Filters: z.array(offerFilter) });
const found = z.strictObject({ results: listOf(offerDetails) });
const urls = z.object({ 'offer-urls': z.array(z.string()), 'bakery-version': z.int().exactOptional() });

export const externalController = z.strictObject({
  'controller-tag': shared.tag,
  'controller-alias': z.string(),
  addrs: listOf(z.string()),
  'ca-cert': z.string(),
});

export const applicationOffers = {
  name: 'ApplicationOffers',
  versions: [4, 5],
  on: 'controller',
  methods: {
    ApplicationOffers: {
      params: urls,
      result: z.strictObject({
        results: listOf(
          z.strictObject({ result: offerDetails.optional(), error: shared.wireError.optional() }),
        ),
      }),
    },
    DestroyOffers: {
      params: z.object({ 'offer-urls': z.array(z.string()), force: z.boolean().exactOptional() }),
      result: shared.errorResults,
    },
    FindApplicationOffers: { params: filters, result: found },
    GetConsumeDetails: {
      params: z.object({ 'offer-urls': urls, 'user-tag': z.string().exactOptional() }),
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            offer: details.optional(),
            /** Macaroon with which another controller makes relations with the offer. */
            macaroon: z.unknown().optional(),
            'external-controller': externalController.optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    ListApplicationOffers: { params: filters, result: found },
    ModifyOfferAccess: {
      params: shared.accessChanges({ 'offer-url': z.string() }),
      result: shared.errorResults,
    },
    Offer: {
      params: z.object({
        Offers: z.array(
          z.object({
            'model-tag': z.string(),
            'offer-name': z.string(),
            'application-name': z.string(),
            'application-description': z.string(),
            /** Name in the offer → the application's endpoint. */
            endpoints: z.record(z.string(), z.string()),
            'owner-tag': z.string().exactOptional(),
          }),
        ),
      }),
      result: shared.errorResults,
    },
    RemoteApplicationInfo: {
      params: urls,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            result: z
              .strictObject({
                'model-tag': shared.tag,
                name: z.string(),
                description: z.string(),
                'offer-url': z.string(),
                'source-model-label': z.string().optional(),
                endpoints: listOf(remoteEndpoint),
                'icon-url-path': z.string(),
              })
              .optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
  },
} as const satisfies FacadeSpec;
