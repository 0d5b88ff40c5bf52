// What an expression may ask for: the figures of the server, those of Node, what Prometheus itself adds, and what
// recording.yaml makes of them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { figures, nameOf } from '../../../src/platform/figures.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { readExpression } from './promql.ts'
import { root } from './repository.ts'

/** Added to every series by whoever scrapes it. */
const added = ['job', 'instance']

export type Rule = {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly [name: string]: string }
}

export function rulesOf(file: string): readonly Rule[] {
  const { groups } = parse(readFileSync(join(root, 'deploy/prometheus', file), 'utf8'))
  return groups.flatMap(({ rules }: { rules: readonly Rule[] }) => rules)
}

/** Name of a series -> its labels. */
export async function knownSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>([
    ['up', added],
    ['ALERTS', ['alertname', 'alertstate', 'severity']],
  ])
  for (const { name } of await createMetrics().registry.getMetricsAsJSON())
    if (!name.startsWith('switchyard_')) known.set(name, added)
  for (const figure of Object.values(figures)) {
    const labels = [...Object.keys(figure.labels), ...added]
    if (figure.type !== 'histogram') known.set(nameOf(figure), labels)
    else {
      known.set(`${nameOf(figure)}_bucket`, [...labels, 'le'])
      for (const end of ['_count', '_sum']) known.set(nameOf(figure) + end, labels)
    }
  }
  for (const { record, expr } of rulesOf('recording.yaml'))
    known.set(record ?? '', readExpression(expr).groupedBy)
  return known
}

/** What of an expression nobody exports. */
export function strangersIn(expr: string, known: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const { selectors, groupedBy } = readExpression(expr)
  const asked = selectors.flatMap(({ metric, labels }) => {
    const own = known.get(metric)
    if (own === undefined) return [metric]
    return labels.filter((label) => !own.includes(label)).map((label) => `${metric}{${label}}`)
  })
  const there = new Set(selectors.flatMap(({ metric }) => known.get(metric) ?? []))
  return [...asked, ...groupedBy.filter((label) => !there.has(label)).map((label) => `by (${label})`)]
}
