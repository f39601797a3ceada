/** Kind of a custom field, as the API names it. */
export type FieldKind = 'string' | 'integer' | 'boolean' | 'date' | 'datetime' | 'list' | 'double';
