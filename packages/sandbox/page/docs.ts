/** Shows `/openapi.json` in Swagger UI, with the sandbox's key filled in. */
import type { openApiDocument } from '../src/openapi/document.ts';

/** The script `swagger-ui-bundle.js` defines this. */
declare function SwaggerUIBundle(options: Readonly<Record<string, unknown>>): {
  readonly preauthorizeApiKey: (scheme: string, key: string) => void;
};

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

const description = (await (await fetch('/openapi.json')).json()) as ReturnType<typeof openApiDocument>;
const { components } = description;
// Swagger UI would sign in with a redirect URI that no client has registered. An access token is entered like a key.
const oauth2 = { type: 'http', scheme: 'bearer', description: 'An access token.' };

const ui = SwaggerUIBundle({
  spec: { ...description, components: { ...components, securitySchemes: { ...components.securitySchemes, oauth2 } } },
  dom_id: '#operations',
  tryItOutEnabled: true,
  displayOperationId: true,
  // Each operation shows its schemas; no list of all below.
  defaultModelsExpandDepth: -1,
  // It asks a server of its makers otherwise.
  validatorUrl: null,
  onComplete: () => ui.preauthorizeApiKey('apiKey', 'sandbox-key'),
});
