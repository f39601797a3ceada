/** Templates of JSON Schema: names, types in words, allowed values, and nested objects that unfold. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Renderable } from '@newsletter-kit/pages';
import { lastPart, resolveSchema, type Description, type Schema } from './description.ts';

/** Nested objects are shown to this depth. */
const deepest = 4;

/** The properties of a schema as a list; a schema without properties as one line. */
export function schemaView(schema: Schema, description: Description, depth = 0): TemplateResult {
  const { oneOf, properties, required = [], ...plain } = resolveSchema(schema, description);
  if (oneOf)
    return html`<div>
      ${oneOf.map(
        (one, index) =>
          html`${index > 0 ? html`<p class="soft">or</p>` : nothing}${schemaView(one, description, depth)}`,
      )}
    </div>`;
  if (!properties) return html`<p class="type">${typeName(plain)}</p>`;
  const entries = Object.entries(properties);
  if (entries.length === 0) return html`<p class="type">an object</p>`;
  return html`<ul class="schema">
    ${entries.map(([name, property]) => {
      const inner = innerObject(property, description);
      return html`<li>
        ${typeLine(name, property, required.includes(name))}${prose(property.description)}
        ${
          inner && depth < deepest
            ? html`<details><summary>Fields</summary>${schemaView(inner, description, depth + 1)}</details>`
            : nothing
        }
      </li>`;
    })}
  </ul>`;
}

/** Name, type, whether it is required, the default, and the allowed values. */
export function typeLine(name: string, schema: Schema, required: boolean, aside: Renderable = nothing): TemplateResult {
  const values = allowedValues(schema);
  return html`<span class="name">${name}</span><span class="type">${typeName(schema)}</span>${
    required ? html`<span class="required">required</span>` : nothing
  }${
    schema.default === undefined ? nothing : html`<small>default <code>${JSON.stringify(schema.default)}</code></small>`
  }${aside}${
    values
      ? html`<div class="values">
          ${values.words.map((word) => html`<code>${word === '' ? '(empty)' : word}</code> `)}${
            values.open ? 'or another' : nothing
          }
        </div>`
      : nothing
  }`;
}

/** A description, with the names between backticks as code. */
export function prose(text: string | undefined): TemplateResult | typeof nothing {
  if (text === undefined) return nothing;
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
  return html`<div class="soft">${parts}</div>`;
}

function typeName(schema: Schema): string {
  const { $ref, anyOf, type, items, const: only, minimum, maximum, format } = schema;
  if ($ref !== undefined) return lastPart($ref);
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(' or ');
  if (type === 'array') return `list of ${typeName(items ?? {})}`;
  if (only !== undefined) return `“${only}”`;
  const bounds = minimum !== undefined && maximum !== undefined ? ` ${minimum}–${maximum}` : '';
  const formatName = format === 'idn-email' ? 'e-mail address' : format;
  const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything');
  return `${name}${bounds}${formatName === undefined ? '' : ` (${formatName})`}`;
}

/** The words that a schema lists; `open` where it allows others. */
function allowedValues(schema: Schema): { readonly words: readonly string[]; readonly open: boolean } | null {
  if (schema.enum) return { words: schema.enum, open: false };
  if (schema.items) return allowedValues(schema.items);
  const listed = schema.anyOf?.find((one) => one.enum)?.enum;
  return listed
    ? { words: listed, open: schema.anyOf?.some((one) => one.type === 'string' && !one.enum) ?? false }
    : null;
}

/** The object that a property holds: by itself, in a list, or as one of several choices. */
function innerObject(schema: Schema, description: Description): Schema | null {
  const plain = resolveSchema(schema, description);
  if (plain.properties) return plain;
  if (plain.items) return innerObject(plain.items, description);
  return plain.anyOf?.map((one) => innerObject(one, description)).find((one) => one !== null) ?? null;
}
