import type { lives as spec } from '../../../wire/facades/lives.ts';
import type { FacadeTable } from '../../facade.ts';

export const lives = {} satisfies FacadeTable<typeof spec>;
