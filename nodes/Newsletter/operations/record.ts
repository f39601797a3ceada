/** Records of the API as n8n wants them. */
import type { IDataObject } from 'n8n-workflow';

/** What was read from JSON is JSON: n8n's own name for it, without a copy. */
export function toRecord(answer: object): IDataObject {
  return answer as IDataObject;
}
