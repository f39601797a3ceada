/** Reads the parameters of the sync node, and loads the options of Newsletter Field for the editor. */
import { isRecord } from '@newsletter-kit/core/engine';
import { listCustomFields } from '@newsletter-kit/core/import';
import { checkMapping, subscriptionProperties, type SyncMapping } from '@newsletter-kit/core/sync';
import type { IExecuteFunctions, INodePropertyOptions } from 'n8n-workflow';
import { publicationOf } from '../parameters/connection.ts';
import { byName, titleOf } from '../parameters/properties.ts';
import {
  type ItemParameters,
  ParameterMismatch,
  readCollection,
  readFields,
  readParameter,
} from '../parameters/read.ts';
import { forEditor } from '../methods.ts';
import * as parameters from './parameters.ts';

export interface SyncSettings {
  /** The node's publication; empty for the credential's. */
  readonly publication: string;
  readonly mode: 'apply' | 'preview';
  readonly scope: 'everything' | 'incoming';
  readonly mapping: SyncMapping;
  /** Whether to apply a plan that exceeds the limits of changes. */
  readonly accept: boolean;
  /** Whether Planned shows only the first letter and the domain of an address. */
  readonly shortAddresses: boolean;
}

/**
 * Reads every parameter once: all items of an execution belong to one run.
 *
 * @throws ParameterMismatch, MappingError
 */
export function readSettings(node: Pick<IExecuteFunctions, 'getNodeParameter'>): SyncSettings {
  const at: ItemParameters = { node, itemIndex: 0 };
  const options = readFields(at, 'options', parameters.options);
  const scope = readParameter(at, parameters.scope) === 'incoming' ? 'incoming' : 'everything';
  const optOut = readParameter(at, parameters.optOutField);
  const subscribe = scope === 'incoming' ? 'never' : readParameter(at, parameters.subscribe);
  const { heldShare, heldCount, mostWrites, furtherAddresses, mergedInto, notOptedOut, setOnUnsubscribe } = options;
  const mapping: unknown = {
    fields: readFieldRows(node.getNodeParameter('fields.field', 0, [])),
    contact: {
      id: readParameter(at, parameters.idField),
      email: readParameter(at, parameters.addressField),
      token: readParameter(at, parameters.tokenField),
      furtherAddresses,
      mergedInto,
    },
    optOut: optOut && {
      contact: optOut,
      setOnUnsubscribe,
      notOptedOut: typeof notOptedOut === 'string' ? membersOf(notOptedOut) : undefined,
    },
    subscribe,
    consent: subscribe === 'on_consent' ? readParameter(at, parameters.consentField) : undefined,
    situations: readCollection(parameters.situations, options),
    emptyValue: options['emptyValue'] === 'text' ? '' : null,
    breaker: { share: typeof heldShare === 'number' ? heldShare / 100 : undefined, atLeast: heldCount },
    mostWrites: mostWrites || undefined,
  };
  checkMapping(mapping);
  return {
    publication: publicationOf(at),
    mode: readParameter(at, parameters.mode) === 'apply' ? 'apply' : 'preview',
    scope,
    mapping,
    accept: options['accept'] === true,
    shortAddresses: options['shortAddresses'] === true,
  };
}

/** The members of a list with `;` between them. */
const membersOf = (text: string): readonly string[] => text.split(';').flatMap((member) => member.trim() || []);

/** @throws ParameterMismatch where a row is not filled in */
function readFieldRows(rows: unknown): readonly unknown[] {
  return (Array.isArray(rows) ? rows : []).map((row: unknown, index) => {
    const { newsletterField, contactField, direction, conflict } = parameters;
    const { newsletter, contact, ...rules } = readCollection([newsletterField, contactField, direction, conflict], row);
    if (newsletter === undefined) throw new ParameterMismatch(`"Newsletter Field" of field ${index + 1} is empty`);
    if (contact === undefined)
      throw new ParameterMismatch(`"${contactField.displayName}" of field ${index + 1} is empty`);
    // Not trimmed: a space can be part of it.
    const options = isRecord(row) && isRecord(row['options']) ? row['options'] : {};
    const { separator } = options;
    return {
      newsletter,
      contact,
      direction: rules['direction'] ?? direction.default,
      ...(rules['direction'] === 'both' && { conflict: rules['conflict'] ?? conflict.default }),
      ...(typeof separator === 'string' && separator !== '' && { separator }),
    };
  });
}

/** The fields a sync can map: the custom fields by their ids, then the properties of a subscription. */
const getSyncFields = forEditor(async (engine) => {
  const customFields = (await listCustomFields(engine)).map(({ id, display, kind }): INodePropertyOptions => ({
    name: `${display} (${kind})`,
    value: id,
  }));
  return [...byName(customFields), ...byName(syncProperties)];
});

/** The properties of a subscription that a sync can write to a contact. */
const syncProperties = Object.keys(subscriptionProperties).map((name): INodePropertyOptions => ({
  name: `Subscription: ${titleOf(name)}`,
  value: name,
  description: 'Only written to the contact',
}));

export const loadOptions = { getSyncFields };
