/** Builds the pages that are older than their sources: servers under test serve them as the build wrote them. */
import { buildStalePages } from '../../scripts/build.ts';

export async function setup(): Promise<void> {
  await buildStalePages();
}
