/** Records that an operation works on: chosen from a searchable list, or named by their ID. */
import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

interface Locator {
  readonly displayName: string;
  /** Named as the path parameter of the API where it has a name of its own. */
  readonly name: string;
  /** In `methods/listSearch.ts`. */
  readonly search: string;
  readonly description: string;
  /** By its ID, or by whatever else names it. */
  readonly by: Pick<INodePropertyMode, 'displayName' | 'name' | 'placeholder' | 'hint' | 'validation'>;
  /** Parameters that the list depends on, besides the publication. */
  readonly dependsOn?: readonly string[];
}

function locator({ displayName, name, search, description, by, dependsOn = [] }: Locator): INodeProperties {
  return {
    displayName,
    name,
    type: 'resourceLocator',
    required: true,
    default: { mode: 'list', value: '' },
    description,
    typeOptions: { loadOptionsDependsOn: ['publicationId.value', ...dependsOn] },
    modes: [
      {
        displayName: 'From List',
        name: 'list',
        type: 'list',
        placeholder: 'Choose…',
        typeOptions: { searchListMethod: search, searchable: true },
      },
      { ...by, type: 'string' },
    ],
  };
}

const uuid = '[0-9a-fA-F-]+';

/** A mode for IDs that begin with a prefix, as most of the API do. */
function byId(prefix: string): Locator['by'] {
  const errorMessage = prefix === '' ? 'This ID is a UUID' : `This ID looks like ${prefix}<uuid>`;
  return {
    displayName: 'By ID',
    name: 'id',
    placeholder: `e.g. ${prefix}00000000-0000-4000-8000-000000000001`,
    validation: [{ type: 'regex', properties: { regex: `^${prefix}${uuid}$`, errorMessage } }],
  };
}

/** For IDs of no promised form. */
const byAnyId: Locator['by'] = {
  displayName: 'By ID',
  name: 'id',
  placeholder: 'e.g. 9c0d1e2f-3a4b-4c5d-8e6f-708192a3b4c5',
};

export const automation = locator({
  displayName: 'Automation',
  name: 'automationId',
  search: 'searchAutomations',
  description: 'The automation to work on',
  by: byId('aut_'),
});

export const journey = locator({
  displayName: 'Journey',
  name: 'automationJourneyId',
  search: 'searchJourneys',
  description: 'The way of one subscriber through the automation',
  by: byId('aj_'),
  dependsOn: ['automationId.value'],
});

export const customField = locator({
  displayName: 'Custom Field',
  name: 'customFieldId',
  search: 'searchCustomFields',
  description: 'The custom field to work on',
  by: byAnyId,
});

export const author = locator({
  displayName: 'Author',
  name: 'authorId',
  search: 'searchAuthors',
  description: 'The author to work on',
  by: {
    displayName: 'By ID or Name',
    name: 'id',
    placeholder: 'e.g. Ada Lovelace',
    hint: 'The ID, the full name or the first name',
  },
});

export const complimentaryAccess = locator({
  displayName: 'Complimentary Access',
  name: 'complimentaryAccessId',
  search: 'searchComplimentaryAccess',
  description: 'The gift of a premium tier to work on',
  by: byId('comp_access_'),
});

export const conditionSet = locator({
  displayName: 'Condition Set',
  name: 'conditionSetId',
  search: 'searchConditionSets',
  description: 'The reusable audience segment to work on',
  by: byId(''),
});

export const bulkUpdateJob = locator({
  displayName: 'Bulk Update Job',
  name: 'jobId',
  search: 'searchBulkUpdateJobs',
  description: 'The job that Update, Bulk Update or Update Status began',
  by: byAnyId,
});

export const deletionRequest = locator({
  displayName: 'Deletion Request',
  name: 'deletionRequestId',
  search: 'searchDeletionRequests',
  description: 'The data deletion request to work on',
  by: byAnyId,
});
