/** Permission of agents: operations that no AI agent carries out unless the owner of the node has allowed it. */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { filledInByAgent, usedByAgent } from '../execution.ts';
import { toggle } from './properties.ts';
import { ParameterMismatch } from './read.ts';

/** The permission for one operation. */
export interface AgentPermission {
  /** The switch in the node as a tool; off by default. */
  readonly property: INodeProperties;
  /** @throws ParameterMismatch where an agent runs the node, or fills in a parameter, and the switch is off */
  check(node: IExecuteFunctions): void;
}

/**
 * @param name - of the parameter. Each operation has its own: n8n keeps the value where another operation is chosen
 * @param deed - completes "An agent may not"
 */
export function agentPermission(name: string, displayName: string, deed: string): AgentPermission {
  return {
    property: toggle({
      displayName,
      name,
      // No expression, so that no agent can fill it in.
      noDataExpression: true,
      description: `Whether an AI agent that uses this node as a tool may ${deed}`,
      displayOptions: { show: { '@tool': [true] } },
    }),
    check(node) {
      const { parameters } = node.getNode();
      // As stored: the text of an expression is no permission.
      if (parameters[name] === true) return;
      if (usedByAgent(node))
        throw new ParameterMismatch(`An agent may not ${deed} unless "${displayName}" is on in the node`);
      if (filledInByAgent(parameters))
        throw new ParameterMismatch(
          `An agent may not ${deed}. Remove $fromAI from the parameters of the node, or use the node as a tool in which "${displayName}" is on`,
        );
    },
  };
}
