import type { z } from 'zod';
import type { LxdProfile } from '../../../core/charm/document.ts';
import type { lxdProfile } from '../../../wire/facades/shared.ts';

export function lxdProfileResult({ description, config, devices }: LxdProfile): z.output<typeof lxdProfile> {
  return {
    description,
    config: { ...config },
    devices: Object.fromEntries(Object.entries(devices).map(([name, device]) => [name, { ...device }])),
  };
}
