/** Public clouds that the client knows without a public-clouds.yaml. */
import type { CloudEntry } from '../files/cloud-files.ts';

/** Regions of Amazon's clouds, the default first. */
const amazon = {
  aws: `us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 mx-central-1 eu-west-1 eu-west-2 eu-west-3 eu-central-1
    eu-central-2 eu-north-1 eu-south-1 eu-south-2 af-south-1 ap-east-1 ap-south-1 ap-south-2 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ap-northeast-1 ap-northeast-2
    ap-northeast-3 me-south-1 me-central-1 sa-east-1 il-central-1`,
  'aws-china': 'cn-north-1 cn-northwest-1',
  'aws-gov': 'us-gov-west-1 us-gov-east-1',
};

export const builtInPublicClouds: ReadonlyMap<string, CloudEntry> = new Map(
  Object.entries(amazon).map(([name, regions]) => [
    name,
    {
      type: 'ec2',
      'auth-types': ['access-key'],
      regions: new Map(
        regions
          .split(/\s+/)
          .map((region) => [
            region,
            { endpoint: `https://ec2.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}` },
          ]),
      ),
    },
  ]),
);
