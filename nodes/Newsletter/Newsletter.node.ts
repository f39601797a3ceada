/** The action node. Its operations are in the registry, operations/resources.ts. */
import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { newsletterBuilderHint, newsletterHints, toolDescription } from './hints.ts';
import { getCustomFields, listSearch } from './methods.ts';
import { dispatch } from './operations/dispatch.ts';
import { nodeProperties, resources } from './operations/resources.ts';
import { credentials } from './parameters/connection.ts';
import { withParameterCache } from './parameters/parameterCache.ts';

export class Newsletter implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Newsletter',
    name: 'newsletter',
    icon: { light: 'file:newsletter.svg', dark: 'file:newsletter.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{($parameter["operation"] + ": " + $parameter["resource"]).replace(/([A-Z])/g, " $1").toLowerCase()}}',
    description:
      'Work with the subscriptions, automations and custom fields of a newsletter on beehiiv or a compatible service',
    defaults: { name: 'Newsletter' },
    usableAsTool: { replacements: { description: toolDescription } },
    builderHint: newsletterBuilderHint,
    hints: newsletterHints,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials,
    properties: nodeProperties(),
  };

  methods = { listSearch, resourceMapping: { getCustomFields } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [await dispatch(withParameterCache(this), resources)];
  }
}
