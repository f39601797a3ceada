/** The publication a node works on: its own, or the credential's. */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

export const publication: INodeProperties = {
  displayName: 'Publication',
  name: 'publicationId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'The publication to work on. Leave empty to use the one of the credential.',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      hint: 'Empty: the publication of the credential',
      placeholder: 'Choose…',
      typeOptions: { searchListMethod: 'searchPublications', searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      hint: 'Empty: the publication of the credential',
      placeholder: 'e.g. pub_00000000-0000-4000-8000-000000000001',
      validation: [
        {
          type: 'regex',
          properties: { regex: '^(pub_[0-9a-zA-Z-]+)?$', errorMessage: 'A publication ID looks like pub_<uuid>' },
        },
      ],
    },
  ],
};

/** Where the locator is read from: a trigger or the editor, which have no input items. */
interface WithoutItems {
  getNodeParameter(name: string, fallback?: unknown, options?: { readonly extractValue?: boolean }): unknown;
}

/** The publication that the node names; empty for the credential's. */
export function publicationIn(context: WithoutItems): string {
  return String(context.getNodeParameter(publication.name, '', { extractValue: true }) ?? '');
}

/** As {@link publicationIn}, for an input item. */
export function publicationOf(node: Pick<IExecuteFunctions, 'getNodeParameter'>, itemIndex: number): string {
  return String(node.getNodeParameter(publication.name, itemIndex, '', { extractValue: true }) ?? '');
}
