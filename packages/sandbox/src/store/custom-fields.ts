/** Store of custom fields: the fields of a publication and the values of subscriptions. */
import { type Database, statementsOf } from './database.ts';
import type { Row } from './tables.ts';

export type CustomFieldRow = Row<'custom_fields'>;

/** A value of a subscription with the field it belongs to; `value` is JSON. */
export interface FieldValueRow {
  readonly display: string;
  readonly kind: string;
  readonly value: string;
}

/** The queries about custom fields. */
export type CustomFields = ReturnType<typeof customFieldStore>;

export function customFieldStore(database: Database) {
  const { one, all, run } = statementsOf(database);
  const remove = run<[field: number]>('DELETE FROM custom_fields WHERE seq = ?');
  const removeValues = run<[field: number]>('DELETE FROM custom_field_values WHERE field = ?');
  return {
    ofPublication: all<CustomFieldRow, [publicationId: string]>(
      'SELECT * FROM custom_fields WHERE publication_id = ? ORDER BY seq',
    ),
    byDisplay: one<CustomFieldRow, [publicationId: string, display: string]>(
      'SELECT * FROM custom_fields WHERE publication_id = ? AND display = ?',
    ),
    byId: one<CustomFieldRow, [publicationId: string, id: string]>(
      'SELECT * FROM custom_fields WHERE publication_id = ?1 AND id = ?2',
    ),
    rename: run<[field: number, display: string]>('UPDATE custom_fields SET display = ?2 WHERE seq = ?1'),
    /** Deletes the field and its values. */
    remove(field: number): void {
      removeValues(field);
      remove(field);
    },
    /** Deletes every value of a subscription. */
    clearValues: run<[subscription: number]>('DELETE FROM custom_field_values WHERE subscription = ?'),
    setValue: run<[subscription: number, field: number, json: string]>(
      'INSERT OR REPLACE INTO custom_field_values (subscription, field, value) VALUES (?, ?, ?)',
    ),
    clearValue: run<[subscription: number, field: number]>(
      'DELETE FROM custom_field_values WHERE subscription = ? AND field = ?',
    ),
    valuesOf: all<FieldValueRow, [subscription: number]>(
      `SELECT display, kind, value FROM custom_field_values JOIN custom_fields ON custom_fields.seq = field
       WHERE subscription = ? ORDER BY field`,
    ),
  };
}
