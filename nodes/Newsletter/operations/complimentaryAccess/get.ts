/** Complimentary Access: Get. */
import { include } from '../../parameters/include.ts';
import { complimentaryAccess } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'complimentaryAccess.get',
  singular: 'a complimentary access',
  record: records.complimentaryAccess,
  path: { complimentaryAccessId: complimentaryAccess },
  options: [include({ name: 'Tier', value: 'tier', description: 'The premium tier it gives' })],
});
