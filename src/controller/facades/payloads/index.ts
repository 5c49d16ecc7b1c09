import type { payloads as spec } from '../../../wire/facades/payloads.ts';
import type { FacadeTable } from '../../facade.ts';
import { listPayloads } from './list-payloads.ts';

export const payloads = {
  List: { needs: 'model-read', run: listPayloads },
} satisfies FacadeTable<typeof spec>;
