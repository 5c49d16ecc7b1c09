import type { z } from 'zod';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import { charmOriginResult } from '../../../wire/facades/shared.ts';

type CharmOrigin = z.input<typeof charmOriginResult>;

/** Origin of the charm as it was given at deploy. */
export function charmOriginOf(application: ApplicationDoc): CharmOrigin {
  return charmOriginResult.parse({ source: 'local', type: 'charm', id: '', ...application.charmOrigin });
}

/** Channel, such as `8/stable`; '' for charms that come from no store. */
export function channelOf(origin: CharmOrigin): string {
  return [origin.track, origin.risk, origin.branch].filter(Boolean).join('/');
}
