/** Figures for Prometheus, made from the table in figures.ts. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Figure, figures, nameOf } from './figures.ts'

type LabelOf<F extends Figure> = Extract<keyof F['labels'], string>

type Made<F extends Figure> = F['type'] extends 'counter'
  ? Counter<LabelOf<F>>
  : F['type'] extends 'gauge'
    ? Gauge<LabelOf<F>>
    : Histogram<LabelOf<F>>

type Figures = { readonly [K in keyof typeof figures]: Made<(typeof figures)[K]> }

export type Metrics = Figures & {
  readonly registry: Registry
  /** Called before the figures are read, for those that would be old otherwise. */
  readonly readings: Set<() => void>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const made = Object.entries(figures).map(([key, figure]) => [key, make(figure, registry)])
  return { registry, readings: new Set(), ...(Object.fromEntries(made) as Figures) }
}

function make(figure: Figure, registry: Registry): Counter | Gauge | Histogram {
  const { type, help, labels, buckets, from0 = [] } = figure
  const common = { name: nameOf(figure), help, labelNames: Object.keys(labels), registers: [registry] }
  if (type === 'counter') {
    const counter = new Counter(common)
    for (const value of from0) counter.inc({ [Object.keys(labels)[0] as string]: value }, 0)
    return counter
  }
  if (type === 'gauge') return new Gauge(common)
  return new Histogram(buckets === undefined ? common : { ...common, buckets: [...buckets] })
}

/** All figures, as Prometheus reads them. */
export function readMetrics({ registry, readings }: Metrics): Promise<string> {
  for (const read of readings) read()
  return registry.metrics()
}

type PoolStats = { readonly total: number; readonly idle: number; readonly waiting: number }

/** Asked for when the figures are read, so that they are never old. */
export function watchConnections({ connections, readings }: Metrics, stats: () => PoolStats): void {
  readings.add(() => {
    for (const [state, count] of Object.entries(stats())) connections.set({ state }, count)
  })
}
