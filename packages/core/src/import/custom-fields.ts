/** Reads the custom fields of a publication as the programs of this package need them. */
import type { CallOptions, Engine } from '../engine/index.ts';

/** A custom field of the publication. */
export interface KnownCustomField {
  readonly id: string;
  /** Its name; subscriptions refer to it by this text. */
  readonly display: string;
  /** Type of its values: see `customFieldKinds`. `string` where the service does not say. */
  readonly kind: string;
}

/** The custom fields of the publication. Those without `id` or `display` are left out, which the engine tells. */
export async function listCustomFields(
  engine: Pick<Engine, 'list'>,
  {
    publicationId,
    call,
  }: { readonly publicationId?: string | undefined; readonly call?: CallOptions | undefined } = {},
): Promise<KnownCustomField[]> {
  const fields: KnownCustomField[] = [];
  const list = engine.list('customFields.list', { publicationId }, { ...call, reader: 'customFields' });
  for await (const { id, display, kind } of list)
    fields.push({ id, display: String(display), kind: typeof kind === 'string' ? kind : 'string' });
  return fields;
}
