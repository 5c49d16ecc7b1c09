import type { subnets as spec } from '../../../wire/facades/subnets.ts';
import type { FacadeTable } from '../../facade.ts';
import { allZones } from './all-zones.ts';
import { listSubnets } from './list-subnets.ts';
import { subnetsByCIDR } from './subnets-by-cidr.ts';

export const subnets = {
  AllZones: { needs: 'model-read', run: allZones },
  ListSubnets: { needs: 'model-read', run: listSubnets },
  SubnetsByCIDR: { needs: 'model-read', run: subnetsByCIDR },
} satisfies FacadeTable<typeof spec>;
