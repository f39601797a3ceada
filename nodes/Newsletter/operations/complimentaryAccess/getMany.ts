/** Complimentary Access: Get Many. */
import { include } from '../../parameters/include.ts';
import * as records from '../../records/records.ts';
import { list } from '../list.ts';

export const getMany = list({
  id: 'complimentaryAccess.list',
  plural: 'complimentary accesses',
  record: records.complimentaryAccess,
  options: [
    include(
      { name: 'Statistics', value: 'stats', description: 'How many subscriptions it was granted to' },
      { name: 'Tier', value: 'tier', description: 'The premium tier it gives' },
    ),
  ],
});
