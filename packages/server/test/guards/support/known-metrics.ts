// The metrics that an expression may use: those of the server, of Node.js, of Prometheus itself, and of
// recording.yaml.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { metricDefinitions, nameOf } from '../../../src/platform/metric-definitions.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { readExpression } from './promql.ts'
import { root } from './repository.ts'

/** Labels that Prometheus adds to every series. */
const scrapeLabels = ['job', 'instance']

export type Rule = {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly [name: string]: string }
}

export function readRules(file: string): readonly Rule[] {
  const { groups } = parse(readFileSync(join(root, 'deploy/prometheus', file), 'utf8'))
  return groups.flatMap(({ rules }: { rules: readonly Rule[] }) => rules)
}

/** The labels of each series, by the name of the series. */
export async function knownSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>([
    ['up', scrapeLabels],
    ['ALERTS', ['alertname', 'alertstate', 'severity']],
  ])
  for (const { name } of await createMetrics().registry.getMetricsAsJSON())
    if (!name.startsWith('switchyard_')) known.set(name, scrapeLabels)
  for (const definition of Object.values(metricDefinitions)) {
    const labels = [...Object.keys(definition.labels), ...scrapeLabels]
    if (definition.type !== 'histogram') known.set(nameOf(definition), labels)
    else {
      known.set(`${nameOf(definition)}_bucket`, [...labels, 'le'])
      for (const suffix of ['_count', '_sum']) known.set(nameOf(definition) + suffix, labels)
    }
  }
  for (const { record, expr } of readRules('recording.yaml'))
    known.set(record ?? '', readExpression(expr).groupedBy)
  return known
}

/** The series and labels of an expression that the server does not export. */
export function findUnknownSeries(
  expr: string,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { selectors, groupedBy } = readExpression(expr)
  const unknown = selectors.flatMap(({ metric, labels }) => {
    const knownLabels = known.get(metric)
    if (knownLabels === undefined) return [metric]
    return labels.filter((label) => !knownLabels.includes(label)).map((label) => `${metric}{${label}}`)
  })
  const availableLabels = new Set(selectors.flatMap(({ metric }) => known.get(metric) ?? []))
  return [
    ...unknown,
    ...groupedBy.filter((label) => !availableLabels.has(label)).map((label) => `by (${label})`),
  ]
}
