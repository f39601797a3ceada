/**
 * Writes what follows from the records: the tables of the contract, the types, the interfaces of the client, and the
 * index of its methods. A test fails where a file is not up to date.
 */
import { writeAnswerChecks } from './answer-checks.ts';
import { writeAnswerRecords } from './answer-records.ts';
import { writeApi } from './api.ts';
import { writeTable, writeWords } from './contract.ts';
import { format } from './format.ts';
import { writePageStyle } from './page-style.ts';
import { writeResources } from './resources.ts';
import { writeShapes } from './shapes.ts';
import { writeTypes } from './types.ts';

/** The text of each generated file, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  return {
    'packages/core/src/contract/table.ts': format('table.ts', writeTable()),
    'packages/core/src/contract/words.ts': format('words.ts', writeWords()),
    'packages/core/src/contract/answer-records.ts': format('answer-records.ts', writeAnswerRecords()),
    'packages/core/src/engine/answer-checks.ts': format('answer-checks.ts', writeAnswerChecks()),
    'packages/core/src/contract/shapes.ts': format('shapes.ts', writeShapes()),
    'packages/core/src/schema/types.ts': format('types.ts', writeTypes()),
    'packages/core/src/resources.ts': format('resources.ts', writeResources()),
    'packages/core/src/endpoint/page-style.ts': format('page-style.ts', writePageStyle()),
    'packages/core/api.md': writeApi(),
  };
}
