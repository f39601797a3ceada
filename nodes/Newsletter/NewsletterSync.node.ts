/** The sync node: reads the contacts of any CRM, and returns the contacts to create and to update. */
import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { syncBuilderHint, syncHints } from './hints.ts';
import { publicationSearch } from './methods.ts';
import { authentication, credentials, publication } from './parameters/connection.ts';
import { outputNames } from './sync/output.ts';
import { afterPublication, beforePublication } from './sync/parameters.ts';
import { runSync } from './sync/run.ts';
import { loadOptions } from './sync/settings.ts';

export class NewsletterSync implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter Sync',
    name: 'newsletterSync',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle:
      '={{$parameter["mode"] + ": " + ($parameter["contacts"] === "incoming" ? "incoming contacts" : "all contacts")}}',
    description:
      'Keeps the contacts of a CRM and the subscriptions of a newsletter on beehiiv or a compatible service the same',
    defaults: { name: 'Newsletter Sync' },
    // n8n's linter asks every action node for this. The tool is not listed, and an execution by an agent is refused.
    usableAsTool: { replacements: { hidden: true } },
    builderHint: syncBuilderHint,
    hints: syncHints,
    inputs: [NodeConnectionTypes.Main],
    outputs: outputNames.map(() => NodeConnectionTypes.Main),
    outputNames,
    credentials,
    properties: [authentication, ...beforePublication, publication, ...afterPublication],
  };

  methods = { listSearch: publicationSearch, loadOptions };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return runSync(this);
  }
}
