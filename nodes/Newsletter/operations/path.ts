/** The records in the path of an operation's address, each chosen by a resource locator. */
import type { INodeProperties } from 'n8n-workflow';
import { readParameter, type ItemParameters } from '../parameters/read.ts';

/** By the API's own name of the path parameter. */
export type Path = Readonly<Record<string, INodeProperties>>;

/** @throws ParameterMismatch where one was not chosen */
export function readPath(item: ItemParameters, path: Path): Record<string, string> {
  return Object.fromEntries(
    Object.entries(path).map(([name, property]) => [name, String(readParameter(item, property))]),
  );
}
