// docs/reference/metrics.md, from the table of our metrics and from the help strings of Node's default metrics.

import {
  type MetricDefinition,
  metricDefinitions,
  nameOf,
} from '../../packages/server/src/platform/metric-definitions.ts'
import { createMetrics } from '../../packages/server/src/platform/metrics.ts'

export async function renderMetricsPage(): Promise<string> {
  const ownNames = new Set(Object.values(metricDefinitions).map(nameOf))
  const nodeMetrics = (await createMetrics().registry.getMetricsAsJSON()).filter(
    ({ name }) => !ownNames.has(name),
  )
  const rows = nodeMetrics
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help.replace(/\.?$/, '.')} |`)
  return `# Metrics

\`GET /metrics\` on \`OPS_LISTEN\` returns metrics in the Prometheus text format. Every process has its own metrics: sum
counters over all processes, and use the maximum of a gauge. Three kinds of gauges are only reported by the process that
currently runs the reconciler: due work, parked work, and the backlog. Other processes report 0 or nothing for them.

No label contains an id or any other value chosen by a caller. These metrics describe the installation; problems of a
single workspace are at \`GET /attention\` and in the dashboard. The [alerts](../operations/alerts.md) use these metrics.

${Object.values(metricDefinitions).map(renderMetric).join('\n')}
## Node and the process

The default metrics of Node and of the process. If \`nodejs_eventloop_lag_p99_seconds\` is above 0.1 seconds, the process
is overloaded. If \`process_resident_memory_bytes\` never falls, there is a memory leak.

| Name | Type | Meaning |
|---|---|---|
${rows.join('\n')}
`
}

function renderMetric(definition: MetricDefinition): string {
  const { type, help, labels, bad, buckets } = definition
  const lines = Object.entries(labels).map(([label, meaning]) => `- \`${label}\`: ${meaning}.`)
  return [
    `## \`${nameOf(definition)}\`\n`,
    `A ${type}. ${help}\n`,
    ...(lines.length === 0 ? [] : [`${lines.join('\n')}\n`]),
    ...(buckets === undefined ? [] : [`Buckets, in seconds: ${buckets.join(', ')}.\n`]),
    `**When to act.** ${bad}\n`,
  ].join('\n')
}
