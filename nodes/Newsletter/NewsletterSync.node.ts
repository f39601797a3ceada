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
import { answerOutputNames, checkAnswers } from './sync/answers.ts';
import { outputNames } from './sync/output.ts';
import { properties, syncCredentials } from './sync/parameters.ts';
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
      '={{$parameter["operation"] === "checkAnswers" ? "check CRM answers" : $parameter["mode"] + ": " + ($parameter["contacts"] === "incoming" ? "incoming contacts" : "all contacts")}}',
    description:
      'Keeps the contacts of a CRM and the subscriptions of a newsletter on beehiiv or a compatible service the same',
    defaults: { name: 'Newsletter Sync' },
    // n8n's linter asks every action node for this. The tool is not listed, and an execution by an agent is refused.
    usableAsTool: { replacements: { hidden: true } },
    builderHint: syncBuilderHint,
    hints: syncHints,
    inputs: [NodeConnectionTypes.Main],
    // Each operation has outputs of its own.
    outputs: `={{ $parameter["operation"] === "checkAnswers" ? ${named(answerOutputNames)} : ${named(outputNames)} }}`,
    credentials: syncCredentials,
    properties,
  };

  methods = { listSearch: publicationSearch, loadOptions };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return this.getNodeParameter('operation', 0, 'sync') === 'checkAnswers' ? checkAnswers(this) : runSync(this);
  }
}

function named(names: readonly string[]): string {
  return JSON.stringify(names.map((displayName) => ({ type: NodeConnectionTypes.Main, displayName })));
}
