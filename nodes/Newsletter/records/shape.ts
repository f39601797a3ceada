/** How the records of a resource look: what the simplified form keeps, what can be chosen, which fields are times. */

export interface RecordShape {
  /** Fields of the simplified form, in its order: ten at most, and what the parameter Include adds to the record. */
  readonly simple: readonly string[];
  /** Every other field that the API names. */
  readonly others: readonly string[];
  /** Fields that say what became of the item; every form keeps them. */
  readonly outcome?: readonly string[];
  /** Fields that hold seconds since the Unix epoch. */
  readonly times: readonly string[];
}
