/** Records that an operation works on: chosen from a searchable list, or named by their ID. */
import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

interface Locator {
  readonly displayName: string;
  /** Named as the path parameter of the API where it has a name of its own. */
  readonly name: string;
  /** Name of the search in `methods.ts`. */
  readonly search: string;
  readonly description: string;
  /** The mode besides the list: by ID, or by another name. */
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

/** For IDs without a specified form. */
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
  description: 'The journey of one subscriber through the automation',
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
  search: 'searchBulkSubscriptionUpdates',
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

/** By the name of the path parameter, as the API has it. */
const ofParameter: Readonly<Record<string, INodeProperties>> = Object.fromEntries(
  [automation, journey, author, complimentaryAccess, conditionSet].map((each) => [each.name, each]),
);

/**
 * The locator of a path parameter: one of those above, or one that searches the list of the operation's resource.
 *
 * @param parameter - such as `automationId`
 * @param operationId - whose path has the parameter, `resource.verb`
 * @param text - what the contract says of the parameter; it names the prefix of the IDs
 */
export function locatorOf(parameter: string, operationId: string, text = ''): INodeProperties {
  const [resource = ''] = operationId.split('.');
  const noun = parameter.replace(/Id$/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const prefix = /`(\w+_)<uuid>`/.exec(text)?.[1];
  return (
    ofParameter[parameter] ??
    locator({
      displayName: noun.charAt(0).toUpperCase() + noun.slice(1),
      name: parameter,
      search: searchOf(resource),
      description: `The ${noun.toLowerCase()} to work on`,
      by: prefix === undefined ? byAnyId : byId(prefix),
    })
  );
}

/** Name of the list search of a resource: `searchAutomations`. */
export function searchOf(resource: string): string {
  return `search${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
}
