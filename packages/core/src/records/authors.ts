import * as z from 'zod/mini';
import * as values from '../contract/values.ts';
import { field, lenient } from '../schema/marks.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

const author = shape.record('Author', 'An author of a publication.', {
  id: field(z.string(), 'ID of the author.'),
  type: lenient(z.enum(values.authorTypes), 'Whether the author is a user of the service or a guest.'),
  name: field(z.string(), 'Full name.'),
  bio: shape.optional(z.nullable(z.string()), 'Short biography.'),
  bio_image_url: shape.optional(z.nullable(z.string()), 'Address of a portrait.'),
  social_media_links: lenient(
    z.record(z.string(), z.nullable(z.string())),
    'Addresses and handles by network, for example `twitter_handle` or `linkedin_url`.',
  ),
});

export const authors = {
  title: 'Authors',
  description: 'The authors of a publication.',
  section: 'Endpoints, Authors',
  scope: null,
  errors: [400, 401, 403, 404, 429, 500],
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/authors',
      doc: 'List authors, optionally by full or first name',
      description: 'Lists the authors of a publication.',
      open: ['The record is not shown: id, type, name, bio, bio_image_url, social_media_links.'],
      query: z.strictObject({
        limit: shape.limit,
        page: shape.page,
        name: shape.optional(z.string(), 'Only authors with this full name or first name. Case-insensitive.'),
      }),
      answer: shape.offsetList(author),
    },
    get: {
      request: 'GET /publications/{publicationId}/authors/{authorId}',
      doc: 'Read one author by UUID, full name or first name',
      description: 'Reads one author. Where several authors share a first name, the oldest is returned.',
      example: "{ authorId: 'Ada Lovelace' }",
      open: [
        'The record is not shown; as in authors.list.',
        'Where several authors share a first name, the oldest is answered.',
      ],
      path: { authorId: 'UUID, full name or first name of the author.' },
      answer: shape.enveloped(author, 'The author.'),
    },
  },
} satisfies ResourceRecord;
