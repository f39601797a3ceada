/** Answers the custom field operations. */
import { schemas } from '@newsletter-kit/core/schema';
import { apiError } from './errors.ts';
import type { CustomFieldRow } from '../store/custom-fields.ts';
import type { World } from '../world/world.ts';
import { handler, nothing, type Call, type Handler } from './handler.ts';
import { plainList } from './paging.ts';
import { customFieldRecord } from './records.ts';

const create = handler(
  'customFields.create',
  { query: nothing, body: schemas['customFields.create'].body },
  ({ world, publication }, _query, { kind, display }) => {
    const { customFields } = world.store;
    refuseSecond(world, publication.id, display);
    return world.write(() => {
      const seq = world.store.next('custom_field');
      const id = world.ids.uuid('custom_field', seq);
      const row = {
        seq,
        id,
        publication_id: publication.id,
        kind,
        display,
        options: '[]',
        created: world.clock.seconds(),
      };
      customFields.insert(row);
      return { body: { data: customFieldRecord(row) } };
    });
  },
);

/** All of them in one page: the operation takes no paging parameters, yet answers the fields of offset paging. */
const list = handler('customFields.list', { query: nothing, body: nothing }, ({ world, publication }) =>
  plainList(world.store.customFields.ofPublication(publication.id).map(customFieldRecord), 'page'),
);

const get = handler('customFields.get', { query: nothing, body: nothing }, (call) => ({
  body: { data: customFieldRecord(findField(call)) },
}));

/** PUT and PATCH do the same. Values stay with the field, whatever it is called. */
const rename = (['customFields.update', 'customFields.updatePut'] as const).map((id) =>
  handler(id, { query: nothing, body: schemas[id].body }, (call, _query, { display }) => {
    const { world, publication } = call;
    const field = findField(call);
    if (display === undefined || display === field.display) return { body: { data: customFieldRecord(field) } };
    refuseSecond(world, publication.id, display);
    world.write(() => world.store.customFields.rename(field.seq, display));
    return { body: { data: customFieldRecord({ ...field, display }) } };
  }),
);

const remove = handler('customFields.delete', { query: nothing, body: nothing }, (call) => {
  const field = findField(call);
  call.world.write(() => call.world.store.customFields.remove(field.seq));
  return {};
});

function findField({ world, publication, params }: Call): CustomFieldRow {
  const field = world.store.customFields.byId(publication.id, params['id'] ?? '');
  if (!field) throw apiError(404, 'NOT_FOUND', 'There is no custom field with this id on this publication.');
  return field;
}

function refuseSecond(world: World, publicationId: string, display: string): void {
  if (world.store.customFields.byDisplay(publicationId, display)) {
    throw apiError(
      400,
      'ALREADY_EXISTS',
      '"display" is the text of a custom field that exists already; subscriptions refer to fields by it.',
    );
  }
}

export const customFieldHandlers: readonly Handler[] = [create, list, get, ...rename, remove];
