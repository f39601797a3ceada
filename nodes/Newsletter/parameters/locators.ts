/** Records that an operation works on: chosen from a searchable list, or named by their ID. */
import type { INodeProperties, INodePropertyMode } from 'n8n-workflow';

/** A mode, whose type follows from its name. */
type Mode = Omit<INodePropertyMode, 'type'>;
type Hints = Partial<Pick<INodePropertyMode, 'displayName' | 'placeholder' | 'hint' | 'validation'>>;

/** The mode with a searchable list. @param search - its name in `methods.ts` */
export const listMode = (search: string, more: Hints = {}): Mode => ({
  displayName: 'From List',
  name: 'list',
  placeholder: 'Choose…',
  typeOptions: { searchListMethod: search, searchable: true },
  ...more,
});

/** A mode for IDs without a specified form. */
export const anyIdMode = (more: Hints = {}): Mode => ({
  displayName: 'By ID',
  name: 'id',
  placeholder: 'e.g. 9c0d1e2f-3a4b-4c5d-8e6f-708192a3b4c5',
  ...more,
});

/** A mode for IDs that begin with a prefix, as most of the API do. */
export const idMode = (prefix: string): Mode => ({
  ...anyIdMode({ placeholder: `e.g. ${prefix}00000000-0000-4000-8000-000000000001` }),
  validation: [
    {
      type: 'regex',
      properties: {
        regex: `^${prefix}[0-9a-fA-F-]+$`,
        errorMessage: prefix === '' ? 'This ID is a UUID' : `This ID looks like ${prefix}<uuid>`,
      },
    },
  ],
});

export const modesOf = (modes: readonly Mode[]): INodePropertyMode[] =>
  modes.map((mode) => ({ ...mode, type: mode.name === 'list' ? 'list' : 'string' }));

/**
 * A parameter that names a record by one of these modes, the first by default.
 *
 * @param dependsOn - parameters that the list depends on, besides the publication
 */
export function located(
  described: Pick<INodeProperties, 'displayName' | 'name' | 'description'>,
  modes: readonly [Mode, ...Mode[]],
  dependsOn: readonly string[] = [],
): INodeProperties {
  return {
    ...described,
    type: 'resourceLocator',
    required: true,
    default: { mode: modes[0].name, value: '' },
    typeOptions: { loadOptionsDependsOn: ['publicationId.value', ...dependsOn] },
    modes: modesOf(modes),
  };
}

/** A record of a resource, by its list or its ID. @param name - of the parameter, such as `customFieldId` */
function locator(
  name: string,
  resource: string,
  by: Mode,
  {
    dependsOn,
    ...more
  }: Partial<Pick<INodeProperties, 'displayName' | 'description'>> & {
    readonly dependsOn?: readonly string[];
  } = {},
): INodeProperties {
  const noun = name.replace(/Id$/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const described = {
    displayName: noun.charAt(0).toUpperCase() + noun.slice(1),
    name,
    description: `The ${noun.toLowerCase()} to work on`,
    ...more,
  };
  return located(described, [listMode(searchOf(resource)), by], dependsOn);
}

export const automation = locator('automationId', 'automations', idMode('aut_'));

export const journey = locator('automationJourneyId', 'journeys', idMode('aj_'), {
  displayName: 'Journey',
  description: 'The journey of one subscriber through the automation',
  dependsOn: ['automationId.value'],
});

export const customField = locator('customFieldId', 'customFields', anyIdMode());

export const author = locator(
  'authorId',
  'authors',
  anyIdMode({
    displayName: 'By ID or Name',
    placeholder: 'e.g. Ada Lovelace',
    hint: 'The ID, the full name or the first name',
  }),
);

export const complimentaryAccess = locator('complimentaryAccessId', 'complimentaryAccess', idMode('comp_access_'), {
  description: 'The gift of a premium tier to work on',
});

export const conditionSet = locator('conditionSetId', 'conditionSets', idMode(''), {
  description: 'The reusable audience segment to work on',
});

export const bulkUpdateJob = locator('jobId', 'bulkSubscriptionUpdates', anyIdMode(), {
  displayName: 'Bulk Update Job',
  description: 'The job that Update, Bulk Update or Update Status began',
});

export const deletionRequest = locator('deletionRequestId', 'deletionRequests', anyIdMode(), {
  description: 'The data deletion request to work on',
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
  const prefix = /`(\w+_)<uuid>`/.exec(text)?.[1];
  return ofParameter[parameter] ?? locator(parameter, resource, prefix === undefined ? anyIdMode() : idMode(prefix));
}

/** Name of the list search of a resource: `searchAutomations`. */
export function searchOf(resource: string): string {
  return `search${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
}
