/** Answers the list of publications: those within the reach of the key or account. */
import { schemas } from '@newsletter-kit/core/schema';
import { atHand } from '../store/rows.ts';
import type { PublicationRow } from '../store/workspace.ts';
import { apiError } from './errors.ts';
import { nothing, workspaceHandler, type Handler } from './handler.ts';
import { offsetList } from './paging.ts';

const list = workspaceHandler(
  'publications.list',
  { query: schemas['publications.list'].query, body: nothing },
  ({ world, within }, query) =>
    offsetList(query, {
      list: 'publications',
      rows: atHand(world.store.workspace.publications().filter(({ id }) => within === null || within.includes(id))),
      record: publicationRecord,
    }),
  {
    wholeWorkspace: false,
    admit({ assumed }) {
      if (assumed('publication_list') === 'absent') throw apiError(404, 'NOT_FOUND', 'There is no such path.');
    },
  },
);

/** The sandbox has one organization and no referral program. */
function publicationRecord({ id, name, created }: PublicationRow) {
  return { id, name, organization_name: 'Sandbox', referral_program_enabled: false, created };
}

export const publicationHandlers: readonly Handler[] = [list];
