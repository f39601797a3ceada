/** Answers the custom field operations. */
import { schemas } from '@newsletter-kit/core/schema';
import { apiError } from './errors.ts';
import { handler, nothing } from './handler.ts';
import { customFieldRecord } from './records.ts';

const create = handler(
  'customFields.create',
  { query: nothing, body: schemas['customFields.create'].body },
  ({ world, publication }, _query, { kind, display }) => {
    const { customFields } = world.store;
    if (customFields.byDisplay(publication.id, display)) {
      throw apiError(400, 'ALREADY_EXISTS', '"display" is the text of a custom field that exists already; subscriptions refer to fields by it.');
    }
    return world.write(() => {
      const seq = world.store.next('custom_field');
      const id = world.ids.uuid('custom_field', seq);
      const row = { seq, id, publication_id: publication.id, kind, display, options: '[]', created: world.clock.seconds() };
      customFields.insert(row);
      return { body: { data: customFieldRecord(row) } };
    });
  },
);

/** The whole list in one page: the operation takes no paging parameters, yet answers the fields of offset paging. */
const list = handler('customFields.list', { query: nothing, body: nothing }, ({ world, publication }) => {
  const data = world.store.customFields.ofPublication(publication.id).map(customFieldRecord);
  return { body: { data, limit: Math.max(10, data.length), page: 1, total_results: data.length, total_pages: 1 } };
});

export const customFieldHandlers = [create, list];
