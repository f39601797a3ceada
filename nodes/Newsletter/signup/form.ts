/** Reads the rules of a form from the node's parameters. */
import type { INodeProperties } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { ParameterMismatch, readValue } from '../parameters/read.ts';
import { allowedFields, allowedOrigins, honeypot, quietMinutes, signupsPerMinute, thanksUrl } from './parameters.ts';

/** The rules of a form. */
export interface Form {
  /** Allowed origins of the pages with the form, in the spelling of browsers. */
  readonly origins: ReadonlySet<string>;
  /** Names of the custom fields a page may set; null accepts all. */
  readonly allowedFields: ReadonlySet<string> | null;
  /** Quiet period: seconds in which an address starts one execution only. */
  readonly quietSeconds: number;
  /** Redirect for visitors without JavaScript; null for the front page of the website. */
  readonly thanksUrl: string | null;
  /** Whether a signup with a filled honeypot starts an execution. */
  readonly passSuspected: boolean;
  /** Maximum number of executions started in a minute. */
  readonly signupsPerMinute: number;
}

/** Returns the value of a parameter. */
type GetParameter = (name: string, fallback: unknown) => unknown;

/**
 * Reads the form.
 *
 * @throws ParameterMismatch which names the parameter and the remedy
 */
export function readForm(getParameter: GetParameter): Form {
  const read = ({ name, default: preset }: INodeProperties): unknown => getParameter(name, preset);
  const options = getParameter('settings', {});
  const option = (property: INodeProperties): unknown =>
    readValue(property, isRecord(options) ? options[property.name] : undefined) ?? property.default;

  const list = (property: INodeProperties): readonly string[] => {
    const entries = readValue({ ...property, typeOptions: { multipleValues: true } }, read(property));
    return Array.isArray(entries) ? entries.map(String) : [];
  };

  const origins = list(allowedOrigins).map(readOrigin);
  if (origins.length === 0) {
    throw new ParameterMismatch(
      '"Allowed Origins" is empty, so nobody could sign up. Add the website the form stands on, for example https://www.example.com',
    );
  }
  const fields = list(allowedFields);
  return {
    origins: new Set(origins),
    allowedFields: fields.length > 0 ? new Set(fields) : null,
    quietSeconds: Number(readValue(quietMinutes, read(quietMinutes)) ?? quietMinutes.default) * 60,
    thanksUrl: readPage(readValue(thanksUrl, read(thanksUrl))),
    passSuspected: option(honeypot) === 'pass',
    signupsPerMinute: Number(option(signupsPerMinute)),
  };
}

/** Normalizes an origin to the spelling of browsers, so that origins can be compared as texts. */
function readOrigin(entered: string): string {
  const url = webAddress(entered);
  if (url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '')
    return url.origin;
  throw new ParameterMismatch(
    `"Allowed Origins" has "${entered}", which is no origin. Enter scheme and host alone, for example https://www.example.com`,
  );
}

function readPage(entered: unknown): string | null {
  if (entered === undefined) return null;
  const url = webAddress(String(entered));
  if (url !== null) return url.href;
  throw new ParameterMismatch(
    '"Redirect Without JavaScript" must be a whole address such as https://www.example.com/thank-you',
  );
}

function webAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
