/** Generates the dashboard for Grafana from the table of metrics. */
import { metricRows } from '../src/ops/metrics.ts';
import { type Panel, rows } from './dashboard-panels.ts';

const datasource = { type: 'prometheus', uid: '${datasource}' };
const legend = { displayMode: 'list', placement: 'bottom', showLegend: true };

const options: Readonly<Record<Panel['type'], object>> = {
  stat: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    colorMode: 'background',
    graphMode: 'none',
    textMode: 'auto',
  },
  timeseries: { legend, tooltip: { mode: 'multi', sort: 'desc' } },
  'state-timeline': { showValue: 'never', mergeValues: true, legend },
};

function fieldConfig({ unit, range, states, steps, secondUnit }: Panel): object {
  const mapping = states?.map(([text, color], index) => ({ [index]: { text, color, index } }));
  return {
    defaults: {
      unit,
      ...range,
      mappings: mapping && [{ type: 'value', options: Object.assign({}, ...mapping) as object }],
      thresholds: steps && { mode: 'absolute', steps: steps.map(([color, value]) => ({ color, value })) },
    },
    overrides: secondUnit
      ? [
          {
            matcher: { id: 'byFrameRefID', options: 'B' },
            properties: [
              { id: 'unit', value: secondUnit },
              { id: 'custom.axisPlacement', value: 'right' },
            ],
          },
        ]
      : [],
  };
}

/** Places the panels below each other, each row from left to right. */
function place(): object[] {
  let id = 0;
  let y = 0;
  return rows.flatMap(({ title, panels }) => {
    const heading = {
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: 24, h: 1 },
      panels: [],
    };
    const height = panels.every(({ type }) => type === 'stat') ? 4 : 8;
    let x = 0;
    const placed = panels.map((panel) => {
      const { type, about, width: w = 8, queries } = panel;
      if (x + w > 24) {
        x = 0;
        y += height;
      }
      const gridPos = { x, y, w, h: height };
      x += w;
      return {
        id: ++id,
        type,
        title: panel.title,
        description: about,
        gridPos,
        datasource,
        targets: queries.map(([expr, legendFormat], index) => ({
          refId: String.fromCodePoint(65 + index),
          datasource,
          expr,
          legendFormat,
          [type === 'stat' ? 'instant' : 'range']: true,
        })),
        fieldConfig: fieldConfig(panel),
        options: options[type],
      };
    });
    y += height;
    return [heading, ...placed];
  });
}

const variable = (name: string, label: string, definition: string): object => ({
  name,
  label,
  type: 'query',
  datasource,
  query: { query: definition, refId: name },
  definition,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
});

/** The text of the file, by its path from the root of the repository. */
export function generate(): Readonly<Record<string, string>> {
  const source = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} };
  const dashboard = {
    title: 'Newsletter relay',
    uid: 'newsletter-relay',
    description: 'Signups through the relay of Newsletter Kit: kept, waiting, delivered.',
    tags: ['newsletter-kit'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    templating: {
      list: [
        { ...source, refresh: 1 },
        variable('job', 'Job', `label_values(${metricRows.storeUp.name}, job)`),
        variable('form', 'Form', `label_values(${metricRows.apiUp.name}{job=~"$job"}, form)`),
      ],
    },
    panels: place(),
  };
  return { 'packages/relay/deploy/grafana/dashboard.json': `${JSON.stringify(dashboard, null, 2)}\n` };
}
