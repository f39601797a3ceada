/** What the node's parameters say of its form. */
import type { INodeProperties } from 'n8n-workflow';
import { isRecord } from '../isRecord.ts';
import { ParameterMismatch, readValue } from '../parameters/read.ts';
import { allowedFields, allowedOrigins, honeypot, quietMinutes, signupsPerMinute, thanksUrl } from './parameters.ts';

/** A form and its rules. */
export interface Form {
  /** Origins of the pages it may stand on, as browsers send them. */
  readonly origins: ReadonlySet<string>;
  /** Names of the custom fields a page may set; null lets all through. */
  readonly allowedFields: ReadonlySet<string> | null;
  /** Seconds in which an address starts one execution only. */
  readonly quietSeconds: number;
  /** Where visitors without JavaScript are sent; null means the page's own site. */
  readonly thanksUrl: string | null;
  /** Whether a signup that a robot seems to have made is passed on. */
  readonly passSuspected: boolean;
  /** Most executions started in a minute. */
  readonly signupsPerMinute: number;
}

/** Gives the value of a parameter. */
type Parameters = (name: string, fallback: unknown) => unknown;

/**
 * Reads the form.
 *
 * @throws ParameterMismatch which names the parameter and the remedy
 */
export function readForm(parameters: Parameters): Form {
  const read = ({ name, default: preset }: INodeProperties): unknown => parameters(name, preset);
  const options = parameters('settings', {});
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

/** As browsers write an origin, so that comparing texts is enough. */
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
