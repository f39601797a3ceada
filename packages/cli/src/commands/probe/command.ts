/**
 * `newsletter probe`: calls every read operation of a service once, compares the answers with the contract, and writes
 * the assumptions that a sandbox needs to answer likewise. Writes nothing at the service.
 */
import type { Command } from '@commander-js/extra-typings';
import { notes, UsageError } from '#command-line';
import { replaceFile } from '@newsletter-kit/core/node';
import { apiUrlOption, connectToPublication, profileOption, publicationOption } from '../../connection.ts';
import { type Context, exitCodes } from '../../context.ts';
import { count, jsonOption } from '../../output.ts';
import {
  compare,
  findAssumptions,
  type ComparedAnswer,
  type ExplainedDifference,
  type Finding,
} from './assumptions.ts';
import { createRecordingHost, readEverything, type SkippedOperation } from './read-everything.ts';
import { customerIdsIn, formatShapes, shapesOf, type AnswerShapes } from './shapes.ts';
import { checkAccess } from '../whoami.ts';

export function define(command: Command, context: Context) {
  return command
    .option('--assumptions <file>', 'write the assumptions that were seen to this file, for newsletter-sandbox')
    .option('--out <file>', 'write the shapes of the answers to this file, for newsletter-sandbox and for a report')
    .addOption(profileOption())
    .addOption(apiUrlOption())
    .addOption(publicationOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      notes(
        'It sends about 30 GET requests and changes nothing. What it prints holds no address, no key and no value of a subscriber. newsletter-sandbox --assumptions FILE starts a sandbox that answers as the service does.',
        '--out FILE writes shapes: for each field in how many records it was and of which types, besides statuses, names of headers and words of enumerations. newsletter-sandbox --shape FILE answers in these shapes. Nothing is sent anywhere.',
        'Exit code 0: the client understands every answer, also where the service differs from the specification. 2: it does not understand some; they are marked "breaks".',
      ),
    )
    .action(async (options, self) => {
      const { report, interrupted } = context;
      const host = createRecordingHost();
      const { client, credential, apiUrl, publicationId } = await connectToPublication(self, context, {
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
      const compared = answers.map(compare);
      const findings = findAssumptions({ answers: compared, rateLimited });
      for (const answer of compared) reportAnswer(answer, context);
      for (const { operation, reason } of skipped) reportSkipped({ operation, reason }, context);
      for (const finding of findings) reportFinding(finding, context);

      const shapes = shapesOf(answers);
      const customerIds = customerIdsIn(shapes);
      const answeredIds =
        customerIds.join(' and ') || 'neither stripe_customer_id nor payments_customer_id is answered';
      report.result({
        type: 'customer-id',
        text: `${'customer id'.padEnd(13)}${answeredIds}`,
        data: { fields: customerIds },
      });
      if (options.out !== undefined) await replaceFile(options.out, formatShapes(shapes), 0o644);

      const seen = findings.filter(({ value }) => value !== undefined);
      if (options.assumptions !== undefined) {
        const values = Object.fromEntries(seen.map(({ assumption, value }) => [assumption, value]));
        await replaceFile(options.assumptions, `${JSON.stringify(values, null, 2)}\n`, 0o644);
      }
      const breaking = compared.filter((answer) => verdictOf(answer) === 'breaks').length;
      report.result({
        type: 'probed',
        text: [
          '',
          `Compared ${count(compared.length, 'answer')} of ${apiUrl} with the contract: ${
            breaking === 0 ? 'the client understands all of them' : `the client does not understand ${breaking}`
          }.`,
          options.assumptions === undefined
            ? `${seen.length} of ${count(findings.length, 'assumption')} seen; --assumptions FILE writes them for the sandbox.`
            : `Wrote ${count(seen.length, 'assumption')} to ${options.assumptions}; start a sandbox with newsletter-sandbox --assumptions ${options.assumptions}`,
          ...(options.out === undefined ? [] : [shapesText(shapes, options.out)]),
        ].join('\n'),
        data: {
          api_url: apiUrl,
          answers: compared.length,
          breaking,
          skipped: skipped.length,
          assumptions: Object.fromEntries(seen.map(({ assumption, value }) => [assumption, value])),
          file: options.assumptions ?? null,
          customer_id: customerIds,
          shapes: options.out ?? null,
        },
      });
      context.end(breaking === 0 ? exitCodes.done : exitCodes.needsAttention);
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
    throw new UsageError('The service refuses the key or login, so nothing can be compared. Check NEWSLETTER_API_KEY.');
  if (reach === 'not-found')
    throw new UsageError(
      'The service does not know the publication, or the key may not use it. Check NEWSLETTER_PUBLICATION_ID.',
    );
}

type Verdict = 'as specified' | 'differs' | 'breaks' | 'not allowed';

/** A difference that an assumption explains is one the client expects. */
const isUnexpected = ({ isBreaking, assumption }: ExplainedDifference): boolean =>
  isBreaking && assumption === undefined;

function verdictOf(answer: ComparedAnswer): Verdict {
  if (answer.status === 401 || answer.status === 403) return 'not allowed';
  if (answer.differences.length === 0) return 'as specified';
  return answer.differences.some(isUnexpected) ? 'breaks' : 'differs';
}

function reportAnswer(answer: ComparedAnswer, { report }: Context): void {
  const { operation, variant, status, differences } = answer;
  if (operation === null) return;
  const verdict = verdictOf(answer);
  const name = variant === null ? operation : `${operation}, ${variant}`;
  const lines = differences.map((difference) => {
    const times = difference.count > 1 ? `, ${difference.count} times` : '';
    const assumption = difference.assumption === undefined ? '' : ` (assumption ${difference.assumption})`;
    return `    ${difference.field} ${difference.text}${times}${assumption}`;
  });
  report.result({
    type: 'compared',
    text: [`${verdict.padEnd(13)}${name}${verdict === 'not allowed' ? ` (${status})` : ''}`, ...lines].join('\n'),
    data: {
      operation,
      variant,
      status,
      verdict: verdict.replace(' ', '-'),
      differences: differences.map((difference) => ({
        field: difference.field,
        kind: difference.kind,
        text: difference.text,
        count: difference.count,
        breaks: isUnexpected(difference),
        assumption: difference.assumption ?? null,
      })),
    },
  });
}

function reportSkipped({ operation, reason }: SkippedOperation, { report }: Context): void {
  report.result({
    type: 'skipped',
    text: `${'not read'.padEnd(13)}${operation}: ${reason}`,
    data: { operation, reason },
  });
}

function reportFinding({ assumption, value, reason }: Finding, { report }: Context): void {
  report.result({
    type: 'assumption',
    text: `${'assumption'.padEnd(13)}${assumption}: ${value ?? reason}`,
    data: { assumption, value: value ?? null, reason },
  });
}
