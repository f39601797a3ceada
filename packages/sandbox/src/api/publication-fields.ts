/** Answers the list of publication fields, a list of the workspace. */
import { schemas } from '@newsletter-kit/core/schema';
import type { PublicationFieldRow } from '../store/content.ts';
import { nothing, workspaceHandler, type Handler } from './handler.ts';
import { cursorOrOffsetList } from './paging.ts';

const list = workspaceHandler(
  'publicationFields.list',
  { query: schemas['publicationFields.list'].query, body: nothing },
  ({ world }, query) =>
    cursorOrOffsetList(query, {
      list: 'publication_fields',
      rows: world.store.content.publicationFields(query.status === 'all' ? undefined : (query.status ?? 'active')),
      record: publicationFieldRecord,
      total: true,
    }),
);

function publicationFieldRecord({ seq: _seq, response_keys, ...record }: PublicationFieldRow) {
  return { ...record, response_keys: JSON.parse(response_keys) as unknown };
}

export const publicationFieldHandlers: readonly Handler[] = [list];
