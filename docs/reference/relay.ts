/** The pages about the relay: its settings, its metrics and its alerts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '@newsletter-kit/relay';
import { parse } from 'yaml';
import { alertConditions } from '../../packages/relay/src/ops/alerts.ts';
import { metricRows } from '../../packages/relay/src/ops/metrics.ts';
import { root } from '../site.ts';
import { code, codes, table, type Page } from './page.ts';

export function settingsPage(): Page {
  const rows = (shown: 'forms' | 'webhooks' | null): string =>
    table(
      ['Variable, and its name in a file', 'Meaning', 'Default'],
      settings
        .filter(({ section }) => section === shown)
        .map(({ name, key, about, isRequired, default: preset }) => [
          `${code(name)}<br>${code(key)}`,
          `${about}.`,
          preset === null ? (isRequired ? '**required**' : '–') : code(preset),
        ]),
    );
  return {
    name: 'relay-settings',
    title: 'Every setting of the relay',
    description: 'Every environment variable of the relay, its name in a settings file, its meaning and its default.',
    source: 'packages/relay/src/config/settings.ts',
    body: `
The relay reads its settings from environment variables. A file in YAML or JSON may hold them too: \`RELAY_CONFIG\` names it, and each variable
then has a shorter name. \`npm run relay -- check\` checks them without starting the relay. A misspelt setting is an error.

## Of the relay

${rows(null)}

## Of a form

A relay with several forms has these settings once for each form, in its file.

${rows('forms')}

## Of webhooks

A relay with several destinations has these settings once for each, in its file below \`webhooks\`, where the names begin after \`webhook_\`. See
[webhooks](../relay/webhooks.md).

${rows('webhooks')}
`,
  };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export function metricsPage(): Page {
  const rules = (
    parse(readFileSync(join(root, 'packages/relay/deploy/prometheus/rules.yml'), 'utf8')) as {
      readonly groups: readonly { readonly rules: readonly Rule[] }[];
    }
  ).groups.flatMap((group) => group.rules);
  return {
    name: 'metrics',
    title: 'Metrics and alerts',
    description:
      'Every metric of the relay, the alerting rules for Prometheus, and the alerts that the relay sends itself.',
    isWide: true,
    source: 'packages/relay/src/ops/metrics.ts',
    body: `
\`GET /metrics\` answers in the text format of Prometheus, a program that collects figures of servers and raises alerts. The metrics of Node.js
(\`process_*\`, \`nodejs_*\`) are there too.

## Metrics

${table(
  ['Metric', 'Kind', 'Labels', 'Meaning'],
  metricRows.map(({ name, type, labels, help }) => [code(name), type, codes(labels), help]),
)}

## Alerting rules for Prometheus

The file [rules.yml](../../../../../packages/relay/deploy/prometheus/rules.yml) has these rules. \`critical\`: signups are lost, or none is delivered. \`warning\`: somebody
should look within the day.

${rules.map(describeRule).join('\n\n')}

## Alerts that the relay sends

\`RELAY_ALERT_WEBHOOK\` receives these events as JSON: \`event\`, \`message\`, \`forms\`, \`count\` and \`at\`. A condition that lasts is
reported once.

${table(
  ['Event', 'When', 'Event at the end'],
  [
    ...Object.values(alertConditions).map(({ begin, when, end }) => [code(begin), when, code(end)]),
    [
      code('dead_letters'),
      'The API refused `count` signups for good within a minute, or the mail server their confirmation mails; with the last reason.',
      '–',
    ],
  ],
)}
`,
  };
}

function describeRule({ alert, expr, for: lasting, labels, annotations }: Rule): string {
  return `### ${alert}

**${labels.severity}**${lasting ? `, after ${lasting}` : ''}. ${asText(annotations.summary)}

${asText(annotations.runbook)}

\`\`\`promql
${expr.trim()}
\`\`\``;
}

/** A template of Prometheus, with the name of what it fills in: `{{ $labels.form }}` as `‹form›`. */
const asText = (template: string): string =>
  template.replaceAll(/\{\{\s*\$(?:labels\.)?(\w+)[^}]*\}\}/g, '‹$1›').replaceAll(/</g, '&lt;');
