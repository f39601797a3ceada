/** The stored form: what a side answered to a write, or shows when it is read back. Pure. */
import { readValue } from './canonical-value.ts';
import { readPath, textOf } from './contact.ts';
import { readSubscription, type ReadyMapping, type SyncSubscription, valueFingerprint } from './prepare-mapping.ts';
import { contactFingerprint, decodeToken, encodeToken, type FieldBase } from './token.ts';

/** Records as they are after a write. */
export interface Stored {
  /** The contact's record, by the paths of the mapping. */
  readonly contact?: unknown;
  readonly subscription?: SyncSubscription | undefined;
}

/**
 * The token of a write, once it is known what was stored: with the id of a contact that was created, and with the form
 * in which a side stores a value. Any other reading is an edit from then on.
 */
export function withStored(token: string, { contact, subscription }: Stored, mapping: ReadyMapping): string {
  const base = decodeToken(token, mapping);
  if (!base) return token;
  const fields = mapping.fields.map((field): FieldBase | undefined => {
    const known = base.fields[field.index];
    const { kind, contact: path, separator } = field;
    const shown =
      known?.awaits === 'crm'
        ? readValue(kind, readPath(contact, path), separator)
        : known?.awaits && subscription && readSubscription(field, subscription);
    if (!known?.awaits || typeof shown !== 'string') return known;
    const { awaits: side, ...settled } = known;
    const fingerprint = valueFingerprint(mapping, shown);
    return fingerprint === known.agreed ? settled : { ...settled, shows: { side, fingerprint } };
  });
  const id = textOf(readPath(contact, mapping.paths.id));
  return encodeToken({ ...base, fields, ...(id !== '' && { contact: contactFingerprint(id) }) }, mapping);
}
