/** Rules of custom fields. */
import type { CustomFieldRow } from '../store/custom-fields.ts';
import { identify } from '../world/new-record.ts';
import type { World } from '../world/world.ts';
import { apiError } from '../http/errors.ts';
import { type RuleCall, listOf, listRule, oneRecord, orNotFound, rule, type Rule } from './rule.ts';

export const customFieldRules: readonly Rule[] = [
  rule('customFields.create', ({ world, publication }, _query, { kind, display }) => {
    refuseDuplicate(world, publication.id, display);
    return world.write(() => {
      const identity = identify(world, 'custom_field');
      const created = world.clock.seconds();
      const row = { ...identity, publication_id: publication.id, kind, display, options: '[]', created };
      world.store.insert('custom_fields', row);
      return oneRecord(customFieldRecord(row));
    });
  }),

  /**
   * Returns all of them in one page: the operation has no paging parameters, but its answer has those of offset paging.
   */
  listRule('customFields.list', ({ world, publication }) =>
    listOf(world.store.customFields.ofPublication(publication.id), customFieldRecord),
  ),

  rule('customFields.get', (call) => oneRecord(customFieldRecord(findField(call)))),

  /** PUT and PATCH do the same. Values stay with the field when its display text changes. */
  ...(['customFields.update', 'customFields.updatePut'] as const).map((id) =>
    rule(id, (call, _query, { display }) => {
      const { world, publication } = call;
      const field = findField(call);
      if (display === undefined || display === field.display) return oneRecord(customFieldRecord(field));
      refuseDuplicate(world, publication.id, display);
      world.write(() => world.store.customFields.rename(field.seq, display));
      return oneRecord(customFieldRecord({ ...field, display }));
    }),
  ),

  rule('customFields.delete', (call) => {
    const field = findField(call);
    call.world.write(() => call.world.store.customFields.remove(field.seq));
    return {};
  }),
];

function findField({ world, publication, params }: RuleCall): CustomFieldRow {
  const field = world.store.customFields.byId(publication.id, params['id'] ?? '');
  return orNotFound(field, 'custom field with this id on this publication');
}

function refuseDuplicate(world: World, publicationId: string, display: string): void {
  if (world.store.customFields.byDisplay(publicationId, display)) {
    throw apiError(
      400,
      'ALREADY_EXISTS',
      'A custom field with this "display" exists already. It must be unique, because subscriptions refer to fields by it.',
    );
  }
}

/** A custom field as the API answers it; `options` belongs to lists alone. */
function customFieldRecord({ id, kind, display, created, options }: CustomFieldRow) {
  return { id, kind, display, created, ...(kind === 'list' && { options: JSON.parse(options) as unknown }) };
}
