/** Store of custom fields: the fields of a publication and the values of subscriptions. */
import type { Database } from './database.ts';

/** A custom field as stored; `options` is a JSON list. */
export interface CustomFieldRow {
  readonly seq: number;
  readonly id: string;
  readonly publication_id: string;
  readonly kind: string;
  readonly display: string;
  readonly options: string;
  readonly created: number;
}

/** A value of a subscription with the field it belongs to; `value` is JSON. */
export interface FieldValueRow {
  readonly display: string;
  readonly kind: string;
  readonly value: string;
}

/** The queries about custom fields. */
export type CustomFields = ReturnType<typeof customFieldStore>;

export function customFieldStore(database: Database) {
  const insert = database.prepare(
    'INSERT INTO custom_fields (seq, id, publication_id, kind, display, options, created) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const ofPublication = database.prepare<CustomFieldRow>(
    'SELECT * FROM custom_fields WHERE publication_id = ? ORDER BY seq',
  );
  const byDisplay = database.prepare<CustomFieldRow>(
    'SELECT * FROM custom_fields WHERE publication_id = ? AND display = ?',
  );
  const byId = database.prepare<CustomFieldRow>('SELECT * FROM custom_fields WHERE id = ? AND publication_id = ?');
  const rename = database.prepare('UPDATE custom_fields SET display = ? WHERE seq = ?');
  const remove = database.prepare('DELETE FROM custom_fields WHERE seq = ?');
  const removeValues = database.prepare('DELETE FROM custom_field_values WHERE field = ?');
  const clearValues = database.prepare('DELETE FROM custom_field_values WHERE subscription = ?');
  const setValue = database.prepare(
    'INSERT OR REPLACE INTO custom_field_values (subscription, field, value) VALUES (?, ?, ?)',
  );
  const clearValue = database.prepare('DELETE FROM custom_field_values WHERE subscription = ? AND field = ?');
  const valuesOf = database.prepare<FieldValueRow>(
    `SELECT display, kind, value FROM custom_field_values JOIN custom_fields ON custom_fields.seq = field
     WHERE subscription = ? ORDER BY field`,
  );
  return {
    insert: (row: CustomFieldRow): void =>
      insert.run(row.seq, row.id, row.publication_id, row.kind, row.display, row.options, row.created),
    ofPublication: (publicationId: string) => ofPublication.all(publicationId),
    byDisplay: (publicationId: string, display: string) => byDisplay.get(publicationId, display),
    byId: (publicationId: string, id: string) => byId.get(id, publicationId),
    rename: (field: number, display: string): void => rename.run(display, field),
    /** Deletes the field and its values. */
    remove(field: number): void {
      removeValues.run(field);
      remove.run(field);
    },
    /** Deletes every value of a subscription. */
    clearValues: (subscription: number): void => clearValues.run(subscription),
    setValue: (subscription: number, field: number, json: string): void => setValue.run(subscription, field, json),
    clearValue: (subscription: number, field: number): void => clearValue.run(subscription, field),
    valuesOf: (subscription: number) => valuesOf.all(subscription),
  };
}
