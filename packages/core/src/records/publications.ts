/**
 * The list of publications. The specification names the scope `publications:read` but shows no endpoint with it; this
 * one is taken from the public API reference and SDK of beehiiv, a service with the same API, and was never tried live.
 */
import * as z from 'zod/mini';
import { field, lenient } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const publication = shape.record('Publication', 'A publication that the API key or the account may use.', {
  id: field(shape.prefixedId('pub'), 'Prefixed ID of the publication, `pub_<uuid>`.'),
  name: field(z.string(), 'Name of the publication.'),
  organization_name: lenient(z.string(), 'Name of the organization that the publication belongs to.'),
  referral_program_enabled: lenient(z.boolean(), 'Whether the publication has a referral program.'),
  created: lenient(shape.unixSeconds, 'When the publication was created, in Unix seconds.'),
});

export const publications = {
  title: 'Publications',
  description: 'The publications that the API key or the account may use. An extension of the specification.',
  section: 'None; the scope `publications:read` stands under Authentication',
  scope: 'publications',
  errors: [400, 401, 403, 429, 500],
  operations: {
    list: {
      request: 'GET /publications',
      extension: true,
      doc: 'List the publications that the key or account may use',
      description:
        'Lists the publications that the API key or the account may use; a key restricted to some publications sees those only. An extension: the specification does not show this endpoint, and a service may lack it and answer 404.',
      open: [
        'The endpoint is not shown. It is taken from the public API reference and SDK of beehiiv, never tried live: id, name, organization_name, referral_program_enabled, created; offset paging at top level. A key restricted to publications lists those.',
      ],
      query: z.strictObject({ limit: shape.limit, page: shape.page }),
      answer: shape.offsetList(publication),
    },
  },
} satisfies ResourceRecord;
