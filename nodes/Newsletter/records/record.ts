/** Records of the API as n8n wants them. */
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';

/** What was read from JSON is JSON: n8n's own name for it, without a copy. */
export function toRecord(answer: object): IDataObject {
  return answer as IDataObject;
}

/** The record in the envelope of an answer; empty where the service sent none. */
export function recordIn(answer: unknown): IDataObject {
  const data = isRecord(answer) ? answer['data'] : undefined;
  return isRecord(data) ? toRecord(data) : {};
}
