/**
 * Calls every read operation of a service once, compares the answers with the contract, and writes the shapes with
 * which a sandbox answers likewise. Writes nothing at the service.
 */
import { UsageError } from '#command-line';
import { replaceFile } from '@newsletter-kit/core/files';
import { connectToPublication, type ConnectionOptions } from '../../connection.ts';
import { exitCodes, type ExitCode, type Session } from '../../context.ts';
import { CredentialError } from '../../user-facing-errors.ts';
import { count, type ReportedEvent, type Reporter } from '../../output.ts';
import { compare, isNotAllowed, type ComparedAnswer } from './differences.ts';
import { createRecordingHost, readEverything } from './read-everything.ts';
import { customerIdsIn, formatShapes, shapesOf, type AnswerShapes } from './shapes.ts';
import { checkAccess } from '../whoami.ts';

export interface ProbeOptions {
  readonly connection: ConnectionOptions;
  /** The file of shapes. */
  readonly out: string | undefined;
}

export async function probe(options: ProbeOptions, session: Session): Promise<ExitCode> {
  const { report } = session;
  const probed = await readService(options.connection, session);
  for (const answer of probed.compared) reportAnswer(answer, report);
  for (const { operation, reason } of probed.skipped)
    report.result(row('skipped', 'not read', `${operation}: ${reason}`, { operation, reason }));
  const fields = customerIdsIn(probed.shapes);
  const answeredIds = fields.join(' and ') || 'neither stripe_customer_id nor payments_customer_id is answered';
  report.result(row('customer-id', 'customer id', answeredIds, { fields }));

  if (options.out !== undefined) await replaceFile(options.out, formatShapes(probed.shapes), 0o644);
  const breaking = probed.compared.filter((answer) => verdictOf(answer) === 'breaks').length;
  reportSummary(probed, options.out, breaking, report);
  return breaking === 0 ? exitCodes.done : exitCodes.needsAttention;
}

/** What was seen at a service. */
type Probed = Awaited<ReturnType<typeof readService>>;

async function readService(connection: ConnectionOptions, session: Session) {
  const { report, interrupted } = session;
  const host = createRecordingHost();
  const { client, credential, apiUrl, publicationId } = await connectToPublication(connection, session, {
    host,
    validate: false,
  });
  requireAccess(await checkAccess(client, publicationId, interrupted));
  host.take();
  const { answers, skipped, rateLimited } = await readEverything({
    client,
    host,
    hasLogin: credential.kind === 'login',
    signal: interrupted,
    onCall: (operation, done, total) =>
      report.progress({
        type: 'progress',
        text: `Reading ${operation} (${done + 1} of ${total}) …`,
        data: { operation, done, total },
        share: done / total,
      }),
  });
  return { apiUrl, compared: answers.map(compare), skipped, shapes: shapesOf([...answers, ...rateLimited]) };
}

function reportSummary(
  { apiUrl, compared, skipped, shapes }: Probed,
  out: string | undefined,
  breaking: number,
  report: Reporter,
): void {
  report.result({
    type: 'probed',
    text: [
      '',
      `Compared ${count(compared.length, 'answer')} of ${apiUrl} with the contract: ${
        breaking === 0 ? 'the client understands all of them' : `the client does not understand ${breaking}`
      }.`,
      out === undefined
        ? '--out FILE writes the shapes of the answers, for a sandbox that answers so.'
        : shapesText(shapes, out),
    ].join('\n'),
    data: {
      api_url: apiUrl,
      answers: compared.length,
      breaking,
      skipped: skipped.length,
      customer_id: customerIdsIn(shapes),
      shapes: out ?? null,
    },
  });
}

/** What the file of shapes holds, so that a person can decide whether to show it. */
function shapesText({ operations }: AnswerShapes, file: string): string {
  const answered = count(Object.keys(operations).length, 'operation');
  return [
    `Wrote the shapes of ${answered} to ${file}: types, counts, statuses, names of headers and words of enumerations. No value, address, id or name of a custom field.`,
    `Nothing was sent anywhere. Read the file before you show it to others; start a sandbox that answers so with newsletter-sandbox --shape ${file}`,
  ].join('\n');
}

/** @throws UsageError where the service would refuse every call */
function requireAccess(reach: Awaited<ReturnType<typeof checkAccess>>): void {
  if (reach === 'refused-credential')
    throw new CredentialError(
      'The service refuses the key or login, so nothing can be compared. Check NEWSLETTER_API_KEY.',
    );
  if (reach === 'not-found')
    throw new UsageError(
      'The service does not know the publication, or the key may not use it. Check NEWSLETTER_PUBLICATION_ID.',
    );
}

type Verdict = 'as specified' | 'differs' | 'breaks' | 'not allowed';

function verdictOf(answer: ComparedAnswer): Verdict {
  if (isNotAllowed(answer)) return 'not allowed';
  if (answer.differences.length === 0) return 'as specified';
  return answer.differences.some(({ isBreaking }) => isBreaking) ? 'breaks' : 'differs';
}

function reportAnswer(answer: ComparedAnswer, report: Reporter): void {
  const { operation, variant, status, differences } = answer;
  if (operation === null) return;
  const verdict = verdictOf(answer);
  const name = variant === null ? operation : `${operation}, ${variant}`;
  const lines = differences.map((difference) => {
    const times = difference.count > 1 ? `, ${difference.count} times` : '';
    return `    ${difference.field} ${difference.text}${times}`;
  });
  report.result({
    type: 'compared',
    text: [`${verdict.padEnd(13)}${name}${verdict === 'not allowed' ? ` (${status})` : ''}`, ...lines].join('\n'),
    data: {
      operation,
      variant,
      status,
      verdict: verdict.replace(' ', '-'),
      differences: differences.map(({ isBreaking: breaks, ...difference }) => ({ ...difference, breaks })),
    },
  });
}

/** A line of the comparison: what it is about, and what was seen. */
function row(type: string, label: string, text: string, data: NonNullable<ReportedEvent['data']>): ReportedEvent {
  return { type, text: `${label.padEnd(13)}${text}`, data };
}
