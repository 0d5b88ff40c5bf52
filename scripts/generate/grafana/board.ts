// The parts of a Grafana dashboard that Switchyard uses, and their conversion to the JSON that Grafana imports. Panels
// are placed in order in a grid of 24 columns, so that they cannot overlap.

export type Query = { readonly expr: string; readonly legend: string }

export type Panel = {
  readonly title: string
  /** What it shows, and what a bad value means. */
  readonly about: string
  readonly unit: 's' | 'short' | 'percentunit' | 'reqps' | 'ops' | 'bytes' | 'dateTimeFromNow'
  readonly queries: readonly Query[]
  /** A single value instead of a time series. */
  readonly single?: boolean
  readonly width?: 4 | 6 | 8 | 12 | 24
  /** The thresholds for yellow and red. */
  readonly warn?: number
  readonly bad?: number
  /** The related pages in docs/operations/runbooks. */
  readonly runbooks?: readonly string[]
}

export type Row = { readonly title: string; readonly panels: readonly Panel[] }

export type Board = {
  readonly uid: string
  readonly title: string
  readonly about: string
  readonly rows: readonly Row[]
}

const columns = 24
const heightOf = (panel: Panel) => (panel.single ? 4 : 8)
const widthOf = (panel: Panel) => panel.width ?? (panel.single ? 4 : 8)
const datasource = { type: 'prometheus', uid: '$datasource' }

/** The version that Grafana 12 writes. Newer versions of Grafana migrate it. */
const schemaVersion = 41

export function renderBoard({ uid, title, about, rows }: Board): string {
  const board = {
    uid,
    title: `Switchyard / ${title}`,
    description: about,
    tags: ['switchyard'],
    schemaVersion,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasourceVariable, modeVariable] },
    annotations: { list: [firingAlerts] },
    links: [
      {
        type: 'dashboards',
        title: 'Switchyard',
        tags: ['switchyard'],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    panels: layOutPanels(rows),
  }
  return `${JSON.stringify(board, null, 2)}\n`
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
}

const modeVariable = {
  name: 'mode',
  label: 'Environment',
  type: 'custom',
  query: 'live,test',
  current: { text: 'live', value: 'live' },
  options: ['live', 'test'].map((mode) => ({ text: mode, value: mode, selected: mode === 'live' })),
}

const firingAlerts = {
  name: 'Alerts',
  datasource,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertname=~"Switchyard.*",alertstate="firing"}',
  titleFormat: '{{alertname}}',
}

function layOutPanels(rows: readonly Row[]): object[] {
  const panels: object[] = []
  let y = 0
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    })
    y += 1
    let [x, lineHeight] = [0, 0]
    for (const panel of row.panels) {
      if (x + widthOf(panel) > columns) [x, y, lineHeight] = [0, y + lineHeight, 0]
      const gridPos = { x, y, w: widthOf(panel), h: heightOf(panel) }
      panels.push(renderPanel(panel, panels.length + 1, gridPos))
      x += gridPos.w
      lineHeight = Math.max(lineHeight, gridPos.h)
    }
    y += lineHeight
  }
  return panels
}

function renderPanel(panel: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: panel.single ? 'stat' : 'timeseries',
    title: panel.title,
    description: describe(panel),
    datasource,
    gridPos,
    fieldConfig: { defaults: defaultsOf(panel), overrides: [] },
    options: panel.single ? singleOptions : lineOptions,
    targets: panel.queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat: legend,
    })),
  }
}

function describe({ about, runbooks = [] }: Panel): string {
  return [about, ...runbooks.map((name) => `Runbook: docs/operations/runbooks/${name}.md`)].join('\n\n')
}

function defaultsOf({ unit, warn, bad, single }: Panel): object {
  const steps = [
    { color: 'green', value: null },
    ...(warn === undefined ? [] : [{ color: 'yellow', value: warn }]),
    ...(bad === undefined ? [] : [{ color: 'red', value: bad }]),
  ]
  const line = { drawStyle: 'line', lineWidth: 1, fillOpacity: 10, showPoints: 'never' }
  const limits = { thresholdsStyle: { mode: steps.length > 1 ? 'dashed' : 'off' } }
  return {
    unit,
    min: 0,
    color: { mode: single ? 'thresholds' : 'palette-classic' },
    thresholds: { mode: 'absolute', steps },
    ...(single ? {} : { custom: { ...line, ...limits } }),
  }
}

const singleOptions = {
  colorMode: 'value',
  graphMode: 'area',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
}
const lineOptions = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
  tooltip: { mode: 'multi', sort: 'desc' },
}
