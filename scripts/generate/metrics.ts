// docs/reference/metrics.md, from the table of figures, and from what Node's own figures say of themselves.

import { type Figure, figures, nameOf } from '../../packages/server/src/platform/figures.ts'
import { createMetrics } from '../../packages/server/src/platform/metrics.ts'

export async function renderMetricsPage(): Promise<string> {
  const ours = new Set(Object.values(figures).map(nameOf))
  const others = (await createMetrics().registry.getMetricsAsJSON()).filter(({ name }) => !ours.has(name))
  const rows = others
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help.replace(/\.?$/, '.')} |`)
  return `# Metrics

\`GET /metrics\` on \`OPS_LISTEN\` answers in the text format of Prometheus. Every process has figures of its own: add up
counters over all of them, and take the highest of a gauge. Three kinds of gauges belong to one process at a time, the
one that reconciles: due and parked work, and the backlog. The others report 0 or nothing there.

No label holds an id, or anything that a caller chose. What goes wrong for one workspace stands at \`GET /attention\`
and in the dashboard; the figures here are about the installation. [Alerts](../operations/alerts.md) are made of them.

${Object.values(figures).map(renderFigure).join('\n')}
## Node and the process

The usual ones of Node and of the process. \`nodejs_eventloop_lag_p99_seconds\` above a tenth of a second means that the
process computes more than it answers; \`process_resident_memory_bytes\` that never falls is a leak.

| Name | Type | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

function renderFigure(figure: Figure): string {
  const { type, help, labels, bad, buckets } = figure
  const lines = Object.entries(labels).map(([label, meaning]) => `- \`${label}\`: ${meaning}.`)
  return [
    `## \`${nameOf(figure)}\`\n`,
    `A ${type}. ${help}\n`,
    ...(lines.length === 0 ? [] : [`${lines.join('\n')}\n`]),
    ...(buckets === undefined ? [] : [`Buckets, in seconds: ${buckets.join(', ')}.\n`]),
    `**If it is bad.** ${bad}\n`,
  ].join('\n')
}
