/** The example workflows that sync a vendor's CRM, and what fills them in for a fake of it. */
import { createHubspot } from './crmHubspot.ts';
import type { Crm } from './crms.ts';
import { createSalesforce, createSheet, salesforceHost } from './crmsWithJwt.ts';
import { createAirtable, createPipedrive } from './crmsWithToken.ts';
import type { ExampleFile, ExampleNode } from './syncExample.ts';

/** An example workflow that syncs a CRM, and the fake of that CRM. */
export interface CrmExample {
  readonly name: string;
  readonly file: string;
  /** @param key - a private key of the account, where it signs in with one; a new one where it is left out */
  readonly create: (file: ExampleFile, key?: string) => Crm;
  /** The ends of the types of the nodes that read and write contacts. */
  readonly contactNodes: readonly string[];
  /** What creating a contact does whose address is there already: writes that one, is refused, or creates another. */
  readonly twin: 'written' | 'refused' | 'created';
  /** Whether it has an opt-out besides the one of the example. */
  readonly hasOtherOptOut?: boolean;
  /** Parameters to fill in at these nodes besides the credential. */
  readonly fillIn?: (parameters: ExampleNode['parameters']) => ExampleNode['parameters'];
}

/** The base and the table that the nodes of the example name, with the fields of its note. */
function airtableOf({ nodes }: ExampleFile): Crm {
  const parameters = nodes.find(({ type }) => type.endsWith('.airtable'))?.parameters ?? {};
  const idOf = (name: string): string => {
    const locator = parameters[name];
    return typeof locator === 'object' && locator !== null && 'value' in locator ? String(locator.value) : '';
  };
  const note = nodes.find(({ name }) => name === 'Set up: the fields')?.parameters['content'];
  const [, emailType = ''] = /\| Email \| ([^|]+) \|/.exec(String(note)) ?? [];
  return createAirtable({ base: idOf('base'), table: idOf('table'), emailType });
}

/** As long as Google's IDs: n8n finds no shorter one in an address. */
const documentId = '1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ-_document';

export const crmExamples = {
  hubspot: {
    name: 'HubSpot',
    file: 'contact-sync-hubspot',
    create: createHubspot,
    contactNodes: ['.httpRequest'],
    twin: 'written',
    hasOtherOptOut: true,
  },
  salesforce: {
    name: 'Salesforce',
    file: 'contact-sync-salesforce',
    create: (_file, key) => createSalesforce(key),
    contactNodes: ['.salesforce', '.httpRequest'],
    twin: 'refused',
    hasOtherOptOut: true,
    fillIn: ({ url, ...parameters }) =>
      url === undefined
        ? { ...parameters, authentication: 'jwt' }
        : {
            ...parameters,
            url: String(url).replace('YOUR-DOMAIN.my.salesforce.com', salesforceHost),
            nodeCredentialType: 'salesforceJwtApi',
          },
  },
  sheets: {
    name: 'Google Sheets',
    file: 'contact-sync-google-sheets',
    create: (_file, key) => createSheet(documentId, key),
    contactNodes: ['.googleSheets'],
    // It appends by what it has read before.
    twin: 'created',
    fillIn: ({ documentId: named, ...parameters }) => ({
      ...parameters,
      authentication: 'serviceAccount',
      documentId: {
        ...(typeof named === 'object' && named),
        value: `https://docs.google.com/spreadsheets/d/${documentId}/edit`,
      },
    }),
  },
  airtable: {
    name: 'Airtable',
    file: 'contact-sync-airtable',
    create: airtableOf,
    contactNodes: ['.airtable', '.httpRequest'],
    twin: 'written',
  },
  pipedrive: {
    name: 'Pipedrive',
    file: 'contact-sync-pipedrive',
    create: createPipedrive,
    contactNodes: ['.pipedrive'],
    twin: 'created',
  },
} satisfies Readonly<Record<string, CrmExample>>;
