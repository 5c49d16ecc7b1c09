import type { charms as spec } from '../../../wire/facades/charms.ts';
import type { FacadeTable } from '../../facade.ts';
import { charmInfo } from './charm-info.ts';
import { checkCharmPlacement } from './check-charm-placement.ts';
import { isMetered } from './is-metered.ts';
import { list } from './list.ts';
import { resolveCharms } from './resolve-charms.ts';

export const charms = {
  CharmInfo: { needs: 'model-read', run: charmInfo },
  CheckCharmPlacement: { needs: 'model-read', run: checkCharmPlacement },
  IsMetered: { needs: 'model-read', run: isMetered },
  List: { needs: 'model-read', run: list },
  ResolveCharms: { needs: 'model-read', run: resolveCharms },
} satisfies FacadeTable<typeof spec>;
