/** Prometheus metrics, created from the definitions in metric-definitions.ts. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricDefinition, metricDefinitions, nameOf } from './metric-definitions.ts'

type LabelOf<F extends MetricDefinition> = Extract<keyof F['labels'], string>

type MetricOf<F extends MetricDefinition> = F['type'] extends 'counter'
  ? Counter<LabelOf<F>>
  : F['type'] extends 'gauge'
    ? Gauge<LabelOf<F>>
    : Histogram<LabelOf<F>>

type DefinedMetrics = {
  readonly [K in keyof typeof metricDefinitions]: MetricOf<(typeof metricDefinitions)[K]>
}

export type Metrics = DefinedMetrics & {
  readonly registry: Registry
  /** Called before each scrape, to update gauges that would otherwise be out of date. */
  readonly beforeScrape: Set<() => void>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = Object.entries(metricDefinitions).map(([key, definition]) => [
    key,
    createMetric(definition, registry),
  ])
  return { registry, beforeScrape: new Set(), ...(Object.fromEntries(metrics) as DefinedMetrics) }
}

function createMetric(definition: MetricDefinition, registry: Registry): Counter | Gauge | Histogram {
  const { type, help, labels, buckets, from0 } = definition
  const common = { name: nameOf(definition), help, labelNames: Object.keys(labels), registers: [registry] }
  if (type === 'counter') {
    const counter = new Counter(common)
    for (const values of from0 === undefined ? [] : combinationsOf(from0)) counter.inc(values, 0)
    return counter
  }
  if (type === 'gauge') return new Gauge(common)
  return new Histogram(buckets === undefined ? common : { ...common, buckets: [...buckets] })
}

type LabelValues = { readonly [label: string]: string }

function combinationsOf(values: NonNullable<MetricDefinition['from0']>): readonly LabelValues[] {
  return Object.entries(values).reduce<readonly LabelValues[]>(
    (combinations, [label, ofLabel]) =>
      combinations.flatMap((combination) => ofLabel.map((value) => ({ ...combination, [label]: value }))),
    [{}],
  )
}

/** All metrics in the Prometheus text format. */
export function readMetrics({ registry, beforeScrape }: Metrics): Promise<string> {
  for (const update of beforeScrape) update()
  return registry.metrics()
}

type PoolStats = { readonly total: number; readonly idle: number; readonly waiting: number }

type WatchedDatabase = { readonly name: string; stats(): PoolStats }

/** Reads the pool statistics at each scrape, so that they are current. */
export function watchConnections(
  { connections, beforeScrape }: Metrics,
  databases: readonly WatchedDatabase[],
): void {
  beforeScrape.add(() => {
    for (const { name: shard, stats } of databases)
      for (const [state, count] of Object.entries(stats())) connections.set({ shard, state }, count)
  })
}

type DatabaseNames = {
  readonly control: { readonly name: string }
  readonly shards: readonly { readonly name: string }[]
}

/** Alerts compare these times with the current time, so they must also exist if no process sets them. */
export function initializeTimes(metrics: Metrics, { control, shards }: DatabaseNames): void {
  const { reconcilerLookedAt, workParked, maintenanceDoneAt } = metrics
  for (const { name: shard } of shards)
    for (const gauge of [reconcilerLookedAt, workParked]) gauge.set({ shard }, 0)
  for (const { name: shard } of [control, ...shards]) maintenanceDoneAt.set({ shard }, 0)
}
