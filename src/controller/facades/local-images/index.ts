import type { localImages as spec } from '../../../wire/facades/local-images.ts';
import type { FacadeTable } from '../../facade.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

export const localImages = {
  Add: { needs: 'superuser', run: add },
  List: { needs: 'login', run: list },
  Remove: { needs: 'superuser', run: remove },
} satisfies FacadeTable<typeof spec>;
