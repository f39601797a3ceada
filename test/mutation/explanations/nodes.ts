/** Why mutants of the n8n nodes may survive. */
export const nodes = {
  'nodes/Newsletter/operations/dispatch.ts': {
    'a shortcut: reading the name of no parameter fails for each item, and is caught': [
      ['recordParameter === undefined', 'false'],
    ],
    'the keys of groups are only compared with each other': [
      ['JSON.stringify([...values]).toLowerCase()', 'JSON.stringify([...values]).toUpperCase()'],
    ],
    'operations of the workspace have no publication in their path': [["''", '"Stryker was here!"']],
    'the resource exists, because its operation was found': [
      ['resources[resource]?.workspace', 'resources[resource].workspace'],
    ],
  },
  'nodes/Newsletter/trigger/events.ts': {
    'no two fields of the filter have the same name': [['a < b', 'a <= b']],
  },
  'nodes/Newsletter/trigger/limits.ts': {
    'a type guard: null is not above any number': [['size !== null', 'true']],
  },
  'nodes/Newsletter/trigger/poll.ts': {
    'narrows a type only: without the list of custom fields none counts as missing': [
      ['kinds?.keys', 'kinds.keys'],
      ['[]', '["Stryker was here"]'],
    ],
    'only matters for a list that is about as long as the capacity, of which the next poll reads the rest': [
      ['Math.ceil(capacity / pageLimit.max) + 2', 'Math.ceil(capacity / pageLimit.max) - 2'],
    ],
    'a list that takes more requests exceeds the capacity, and is refused': [
      ['capacity / pageLimit.max', 'capacity * pageLimit.max'],
    ],
    'a type guard: no event of the trigger reports removed subscriptions': [
      [
        "found.events .filter((one): one is Exclude<typeof one, { readonly type: 'removed' }> => one.type !== 'removed')",
        'found.events',
      ],
      ["one.type !== 'removed'", 'true'],
      ["'removed'", '""'],
      ["type === 'removed'", 'false'],
    ],
    'a type guard: the parameter Changes has these two values': [
      ["changes.filter((change) => change === 'tier' || change === 'custom_fields')", 'changes'],
      ["change === 'tier' || change === 'custom_fields'", 'true'],
    ],
    'the item of a new subscription shows no status before it, also where the event has one': [
      ["type === 'created' || type === 'removed'", 'false'],
      ["type === 'created' || type === 'removed'", "type === 'created' && type === 'removed'"],
      ["type === 'created'", 'false'],
      ["'created'", '""'],
    ],
    'a type guard: the table of events has it': [
      ["events['subscriptionCreated']?.name", "events['subscriptionCreated'].name"],
      ["events['subscriptionUnsubscribed']?.name", "events['subscriptionUnsubscribed'].name"],
    ],
    'a type guard: failures of these statuses have a description': [["''", '"Stryker was here!"']],
  },
  'nodes/Newsletter/trigger/settings.ts': {
    'a type guard: an option or filter with a condition has one for the event': [
      ["displayOptions?.show?.['/event']?.includes", "displayOptions?.show?.['/event'].includes"],
      ["displayOptions?.show?.['/event']", "displayOptions?.show['/event']"],
    ],
    'a type guard: the required parameter Changes is a list': [['[]', '["Stryker was here"]']],
    'V8 reads a day and Z without a time as midnight, too': [["'T'", '""']],
    'a type guard: the format names all of these parts': [
      ['parts.find((each) => each.type === type)?.value', 'parts.find(each => each.type === type).value'],
    ],
  },
  'nodes/Newsletter/trigger/state.ts': {
    'the text itself is refused as damaged, like a record without fields': [['{ return {}; }', '{}']],
  },
} as const;
