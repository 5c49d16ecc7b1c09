import type { spaces as spec } from '../../../wire/facades/spaces.ts';
import type { FacadeTable } from '../../facade.ts';
import { createSpaces } from './create-spaces.ts';
import { listSpaces } from './list-spaces.ts';
import { moveSubnets } from './move-subnets.ts';
import { reloadSpaces } from './reload-spaces.ts';
import { removeSpace } from './remove-space.ts';
import { renameSpace } from './rename-space.ts';
import { showSpace } from './show-space.ts';

export const spaces = {
  CreateSpaces: { needs: 'model-admin', blockable: 'change', run: createSpaces },
  ListSpaces: { needs: 'model-read', run: listSpaces },
  MoveSubnets: { needs: 'model-admin', blockable: 'change', run: moveSubnets },
  ReloadSpaces: { needs: 'model-write', blockable: 'change', run: reloadSpaces },
  RemoveSpace: { needs: 'model-admin', blockable: 'change', run: removeSpace },
  RenameSpace: { needs: 'model-admin', blockable: 'change', run: renameSpace },
  ShowSpace: { needs: 'model-read', run: showSpace },
} satisfies FacadeTable<typeof spec>;
