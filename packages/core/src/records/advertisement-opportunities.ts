import * as z from 'zod/mini';
import { field } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const advertisementOpportunity = shape.record(
  'AdvertisementOpportunity',
  'An offer of an advertiser that the publication has accepted.',
  {
    id: field(z.string(), 'ID of the opportunity, without a prefix.'),
    advertiser_name: field(z.string(), 'Name of the advertiser.'),
    payout_rate: field(z.string(), 'Payment, as formatted text.'),
    advertisement_kind: field(z.string(), 'Kind of advertisement.'),
    send_by_window_start_at: field(shape.unixSeconds, 'Start of the time to send it in, in Unix seconds.'),
    send_by_window_end_at: field(shape.unixSeconds, 'End of the time to send it in, in Unix seconds.'),
  },
);

export const advertisementOpportunities = {
  title: 'Advertisement opportunities',
  description: 'Offers of advertisers that the publication has accepted.',
  section: 'Endpoints, Advertisement opportunities',
  scope: 'posts',
  errors: [400, 401, 403, 404, 429, 500],
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/advertisement_opportunities',
      doc: 'List accepted advertisement opportunities',
      description: 'Lists the advertisement opportunities that the publication has accepted.',
      open: [
        'The record is not shown: id, advertiser_name, payout_rate (a formatted string), advertisement_kind, send_by_window_start_at, send_by_window_end_at; total_results beside data.',
      ],
      answer: shape.countedList(advertisementOpportunity),
    },
  },
} satisfies ResourceRecord;
