/**
 * Plans the imports of `npm run n8n`: credentials for the sandbox and the example workflows, without overwriting the
 * user's changes.
 */
import { createHash } from 'node:crypto';
import { sandboxAccount, serverUrl } from '../servers.ts';

/** A credential as `n8n import:credentials` reads it; n8n encrypts it on import. */
export interface CredentialFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** When it was last changed, in ISO 8601; the import by default. A new node takes the credential changed last. */
  readonly updatedAt?: string;
  readonly data: Readonly<Record<string, string | number | boolean>>;
}

/** A workflow as n8n exports it. */
export interface WorkflowFile {
  readonly id: string;
  readonly name: string;
  readonly nodes: readonly { readonly name: string }[];
}

/** Earlier imports: a fingerprint by id. */
export type ImportRecord = Readonly<Record<string, string>>;

/** What stands in on this machine for services that the example workflows reach besides the newsletter. */
export interface StandIns {
  /** Variables of an n8n that finds them. */
  readonly env: Readonly<Record<string, string>>;
  readonly credentials: readonly CredentialFile[];
  /** Credentials and parameters that fill in a node, by the id of the workflow and its name. */
  readonly nodes: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface Imports {
  readonly credentials: readonly CredentialFile[];
  readonly workflows: readonly WorkflowFile[];
}

/** The service of a credential: the sandbox where it usually is, otherwise its addresses. */
function sandboxService(url: string, addresses: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return url === serverUrl(4010) ? { service: 'sandbox' } : { service: 'other', ...addresses };
}

/** The credential that the example workflows name, for a sandbox at this address. */
export function sandboxCredential(sandboxUrl: string) {
  const { key, publicationId } = sandboxAccount;
  return {
    id: 'newsletterSandbox',
    name: 'Newsletter sandbox',
    type: 'newsletterApi',
    data: { ...sandboxService(sandboxUrl, { baseUrl: `${sandboxUrl}/v2` }), apiKey: key, publicationId },
  } satisfies CredentialFile;
}

/**
 * The OAuth2 credential. It works once the user has pressed "Connect", which is also when new nodes begin to take it:
 * until then it is older than the other one.
 */
export function sandboxOAuth2Credential(sandboxUrl: string): CredentialFile {
  const { publicApp, publicationId } = sandboxAccount;
  return {
    id: 'newsletterSandboxOAuth2',
    name: 'Newsletter sandbox (OAuth2)',
    type: 'newsletterOAuth2Api',
    updatedAt: '2020-01-01T00:00:00.000Z',
    data: {
      ...sandboxService(sandboxUrl, { appUrl: sandboxUrl, baseUrl: `${sandboxUrl}/v2` }),
      publicationId,
      clientId: publicApp,
    },
  };
}

/** A workflow as its file has it, with the addresses of this machine, and filled in for what stands in there. */
export function readWorkflow(
  text: string,
  { demo, sandbox }: { readonly demo: number; readonly sandbox: number },
  { nodes: filled }: Pick<StandIns, 'nodes'>,
): WorkflowFile {
  const workflow = JSON.parse(
    text.replaceAll(serverUrl(4000), serverUrl(demo)).replaceAll(serverUrl(4010), serverUrl(sandbox)),
  ) as WorkflowFile;
  return { ...workflow, nodes: workflow.nodes.map((node) => ({ ...node, ...filled[workflow.id]?.[node.name] })) };
}

/**
 * What of it is to be imported now. A workflow is imported once: later it belongs to the person, who may have changed
 * or deleted it. A credential is imported anew where what it is to hold has changed, as with another port; without that
 * nothing works.
 *
 * @returns also the record to keep once that is done
 */
export function planImports(
  { credentials, workflows }: Imports,
  before: ImportRecord,
): Imports & { readonly record: ImportRecord } {
  const now = Object.fromEntries(
    [...credentials, ...workflows].map((each) => [
      each.id,
      createHash('sha256').update(JSON.stringify(each)).digest('hex'),
    ]),
  );
  return {
    credentials: credentials.filter(({ id }) => before[id] !== now[id]),
    workflows: workflows.filter(({ id }) => before[id] === undefined),
    record: { ...before, ...now },
  };
}
