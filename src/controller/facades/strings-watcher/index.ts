import type { stringsWatcher as spec } from '../../../wire/facades/strings-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { next } from './next.ts';
import { stop } from './stop.ts';

export const stringsWatcher = {
  Next: { needs: 'model-read', run: next },
  Stop: { needs: 'model-read', run: stop },
} satisfies FacadeTable<typeof spec>;
