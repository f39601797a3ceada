/** The sources of the comparison: the day on which each was read, and the cells that rest on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** By address; the first of the month where the day was not written down. */
export const readOn: Readonly<Partial<Record<string, string>>> = {
  'https://github.com/TryGhost/Ghost/tree/main/apps/signup-form': '2026-11-01',
  'https://github.com/TryGhost/Ghost/pull/29319': '2026-11-01',
  'https://github.com/beehiiv/wordpress': '2026-11-27',
  'https://github.com/knadh/listmonk/blob/master/static/public/templates/subscription-form.html': '2026-11-01',
  'https://github.com/knadh/listmonk/issues/541': '2026-11-27',
  'https://github.com/knadh/listmonk/issues/2038': '2026-11-01',
  'https://www.npmjs.com/package/@typeform/embed': '2026-11-01',
  'https://www.npmjs.com/package/@beehiiv/sdk': '2026-11-01',
  'https://github.com/stripe/stripe-node': '2026-11-01',
  'https://github.com/openapi-ts/openapi-typescript': '2026-11-01',
  'https://github.com/whybothercoding/n8n-nodes-beehiiv': '2026-11-01',
  'https://github.com/n8n-io/n8n/tree/master/packages/nodes-base/nodes/Mailchimp': '2026-11-01',
  'https://github.com/activepieces/activepieces/tree/main/packages/pieces/community/beehiiv': '2026-11-01',
  'https://pipedream.com/apps/beehiiv': '2026-11-01',
  'https://developers.cloudflare.com/queues/configuration/javascript-apis/': '2026-11-01',
  'https://hookdeck.com/docs': '2026-11-01',
  'https://docs.svix.com/retries': '2026-11-01',
  'https://github.com/stripe/stripe-mock': '2026-11-01',
  'https://www.mock-server.com/mock_server/chaos_testing.html': '2026-11-01',
  'https://www.mock-server.com/mock_server/clock_control.html': '2026-11-27',
  'https://wiremock.org/docs/simulating-faults/': '2026-11-01',
  'https://docs.localstack.cloud/user-guide/chaos-engineering/chaos-api': '2026-11-01',
  'https://mailpit.axllent.org/': '2026-11-01',
  'https://docs.airbyte.com/': '2026-11-01',
  'https://github.com/airbytehq/airbyte/blob/master/docs/integrations/destinations/hubspot.md': '2026-11-27',
  'https://hightouch.com/docs': '2026-11-01',
};

/** A cell about somebody else's product. */
export interface Cell {
  readonly row: string;
  readonly column: string;
  /** The link in the cell, else that of its column; undefined for a column without one. */
  readonly source: string | undefined;
}

const linkIn = (text: string): string | undefined => /\]\((https:[^)]+)\)/.exec(text)?.[1];
const nameIn = (text: string): string => text.replaceAll(/<!--.*?-->|\[|\]\([^)]*\)|`/g, '').trim();
const cellsIn = (line: string): string[] => line.split('|').slice(1, -1);

/** The cells of every table of the page, without the columns about Newsletter Kit. */
export function comparedCells(
  page = readFileSync(join(root, 'docs/src/content/docs/comparison.md'), 'utf8'),
): readonly Cell[] {
  const tables = page.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n');
    const columns = cellsIn(head);
    return rows.flatMap((line) => {
      const [row = '', , ...others] = cellsIn(line);
      return others.map((cell, index) => {
        const column = columns[index + 2] ?? '';
        return { row: nameIn(row), column: nameIn(column), source: linkIn(cell) ?? linkIn(column) };
      });
    });
  });
}

/** The cells whose source was read more than six months before the day. */
export function oldCells(today: Date, cells = comparedCells()): readonly Cell[] {
  const limit = new Date(today);
  limit.setUTCMonth(limit.getUTCMonth() - 6);
  return cells.filter(({ source }) => source !== undefined && new Date(readOn[source] ?? 0) < limit);
}
