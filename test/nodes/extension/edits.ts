/**
 * The hand-written part of a new endpoint: the list of premium tiers and one tier, which the specification does not
 * have. CONTRIBUTING.md, "Add an endpoint", describes these steps.
 */

/** Text to insert into a file of the repository. */
export interface Edit {
  readonly path: string;
  /** The unique text before which to insert; left out for a new file. */
  readonly before?: string;
  readonly text: string;
}

const record: readonly Edit[] = [
  {
    path: 'packages/core/src/records/tiers.ts',
    text: `import * as z from 'zod/mini';
import { tier } from './complimentary-access.ts';
import type { ResourceRecord } from './operation.ts';
import * as shape from './shapes.ts';

export const tiers = {
  title: 'Tiers',
  description: 'The premium tiers of a publication. An extension.',
  section: 'None',
  scope: 'publications',
  errors: [400, 401, 403, 404, 429, 500],
  operations: {
    list: {
      request: 'GET /publications/{publicationId}/tiers',
      extension: true,
      doc: 'List premium tiers',
      description: 'Lists the premium tiers of a publication. An extension: a service may lack it and answer 404.',
      open: ['The operation is not in the specification; taken from the API reference of a service.'],
      query: z.strictObject({ limit: shape.limit, page: shape.page }),
      answer: shape.offsetList(tier),
    },
    get: {
      request: 'GET /publications/{publicationId}/tiers/{tierId}',
      extension: true,
      doc: 'Read one premium tier',
      description: 'Reads one premium tier. An extension: a service may lack it and answer 404.',
      example: "{ tierId: 'tier_00000000-0000-4000-8000-000000000001' }",
      open: ['The operation is not in the specification; as tiers.list.'],
      path: { tierId: 'Prefixed ID of the premium tier, \`tier_<uuid>\`.' },
      answer: shape.enveloped(tier, 'The premium tier.'),
    },
  },
} satisfies ResourceRecord;
`,
  },
  // The schema of the record, which a gift has already.
  { path: 'packages/core/src/records/complimentary-access.ts', before: 'const tier = ', text: 'export ' },
];

const resource: readonly Edit[] = [
  {
    path: 'packages/core/src/records/index.ts',
    before: 'export { fieldOf',
    text: "import { tiers } from './tiers.ts';\n",
  },
  { path: 'packages/core/src/records/index.ts', before: '  customFields,\n', text: '  tiers,\n' },
];

const sandbox: readonly Edit[] = [
  {
    path: 'packages/sandbox/src/api/content.ts',
    before: 'export const contentRules: readonly Rule[] = [',
    text: `const tierRecord = ({ id, name, status, description }: ReturnType<Store['workspace']['tiers']>[number]) => ({
  id,
  name,
  status,
  description,
});

`,
  },
  {
    path: 'packages/sandbox/src/api/content.ts',
    before: "  listRule('authors.list'",
    text: `  listRule('tiers.list', ({ world, publication }) =>
    listOf(
      world.store.workspace.tiers(publication.id).map((tier) => ({ ...tier, created: 0 })),
      tierRecord,
    ),
  ),

  rule('tiers.get', ({ world, publication, params }) => {
    const tier = world.store.workspace.tiers(publication.id).find(({ id }) => id === params['tierId']);
    return oneRecord(tierRecord(orNotFound(tier, 'tier with this id on this publication')));
  }),

`,
  },
];

/** In the order of the instructions. The n8n node and the tests need no edit. */
export const edits: readonly Edit[] = [...record, ...resource, ...sandbox];
