/** Templates of the documentation: the overview, and one operation with its address, parameters, body and answers. */
import { button, copyButton, facts } from '@newsletter-kit/pages';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { lastPart, type Description, type Operation, type Parameter, type ResponseObject } from './description.ts';
import { prose, schemaView, typeLine } from './docs-schema.ts';
import './docs-try.ts';
import { codeBadge } from './format.ts';

const retryTexts = {
  safe: 'reads only: may be repeated',
  upsert: 'ends in the same state however often it arrives',
  once: 'a second arrival does harm: repeat only when the first did not happen',
} as const;

export function operationView(operation: Operation, description: Description): TemplateResult {
  const { method, path, server, object } = operation;
  const [type, content] = Object.entries(object.requestBody?.content ?? {})[0] ?? [];
  const scopes = object.security.flatMap(({ oauth2 = [] }) => oauth2);
  const authorization =
    object.security.length === 0
      ? 'no bearer token'
      : scopes.length > 0
        ? `scope ${scopes.join(', ')}`
        : 'no scope named';
  const assumed = object['x-assumed'] ?? [];
  return html`<article>
    <header>
      <h2>${object.summary}</h2>
      <p class="address">
        <span class="method" data-method=${method}>${method.toUpperCase()}</span>
        <code>${server + path}</code>
        ${button({ label: 'Try it', kind: 'quiet', onClick: scrollToForm })}
      </p>
      <p class="facts-line">
        <span><code>${object.operationId}</code></span>
        <span>${authorization}</span>
        <span>${retryTexts[object['x-retry']]}</span>
      </p>
      ${object.description.split('\n\n').map(prose)}
      <p class="soft"><small>Specification: ${object['x-specification']}</small></p>
    </header>
    ${
      assumed.length === 0
        ? nothing
        : html`<section class="assumed">
          <h3>Assumptions where the specification leaves something open</h3>
          <ul>
            ${assumed.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>
        </section>`
    }
    ${
      object.parameters.length === 0
        ? nothing
        : html`<section>
          <h3>Parameters</h3>
          <ul class="schema">
            ${object.parameters.map(parameterItem)}
          </ul>
        </section>`
    }
    ${
      content
        ? html`<section>
          <h3>Body <small>${type}</small></h3>
          ${schemaView(content.schema, description)}
        </section>`
        : nothing
    }
    <section>
      <h3>Answers</h3>
      <ul class="responses">
        ${Object.entries(object.responses).map(([status, response]) => responseItem(Number(status), response, description))}
      </ul>
    </section>
    ${keyed(object.operationId, html`<try-operation .operation=${operation}></try-operation>`)}
  </article>`;
}

/** A button instead of a link, because the fragment of the address names the operation. */
function scrollToForm(): void {
  const form = document.querySelector('#try');
  form?.scrollIntoView({ behavior: 'smooth', block: 'start' });
  form?.querySelector<HTMLElement>('button.primary')?.focus({ preventScroll: true });
}

function parameterItem({
  name,
  in: place,
  required = false,
  schema,
  description,
  deprecated,
}: Parameter): TemplateResult {
  const aside = html`<small>in the ${place}${deprecated ? ', deprecated' : ''}</small>`;
  return html`<li>${typeLine(name, schema, required, aside)}${prose(description)}</li>`;
}

function responseItem(status: number, response: ResponseObject, description: Description): TemplateResult {
  const shared = response.$ref === undefined ? undefined : description.components.responses[lastPart(response.$ref)];
  const { description: meaning, content, headers = {} } = shared ?? response;
  const schema = content?.['application/json']?.schema;
  return html`<li>
    ${codeBadge(status)}
    <div>
      ${prose(meaning)}
      ${Object.entries(headers).map(
        ([name, header]) => html`<div><code>${name}</code><small> ${header.description}</small></div>`,
      )}
      ${
        schema
          ? html`<details ?open=${status < 400}><summary>Body</summary>${schemaView(schema, description)}</details>`
          : nothing
      }
    </div>
  </li>`;
}

/** The page before an operation is chosen: the address, the authentication, the errors. */
export function overview(description: Description): TemplateResult {
  const { info, servers, components } = description;
  const { authorizationUrl, tokenUrl, scopes } = components.securitySchemes.oauth2.flows.authorizationCode;
  const baseUrl = servers[0]?.url ?? '';
  return html`<article class="intro">
    <header>
      <h2>${info.title}</h2>
      <p>
        Every operation can be read and tried here; what you send goes to this sandbox and changes it. Where the
        specification leaves something open, the operation says what is assumed.
      </p>
    </header>
    <section>
      <h3>Address</h3>
      <p><code>${baseUrl}</code> ${copyButton(baseUrl, 'base URL')}</p>
    </section>
    <section>
      <h3>Authentication</h3>
      <p>
        Send <code>Authorization: Bearer sandbox-key</code>, or an OAuth access token with the scope that the operation
        names.
      </p>
      ${facts([
        ['Authorize', html`<code>${authorizationUrl}</code>`],
        ['Token', html`<code>${tokenUrl}</code>`],
        ['Scopes', html`<ul>${Object.keys(scopes).map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`],
      ])}
    </section>
    <section>
      <h3>Errors</h3>
      <p>Every error of the API has this body.</p>
      ${schemaView({ $ref: '#/components/schemas/ErrorBody' }, description)}
    </section>
  </article>`;
}
