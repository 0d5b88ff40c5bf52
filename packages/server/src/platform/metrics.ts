/** Figures for Prometheus, all named here. Labels are words of ours: no id, nothing a caller chose. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const delayBuckets = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300]
const providerBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 65]
const workBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60]

// biome-ignore format: a list, one figure a line or two.
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Counter({ name: `switchyard_${name}`, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `switchyard_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]) =>
    new Histogram({ name: `switchyard_${name}`, help, buckets, labelNames, registers })

  return {
    registry,
    requests: histogram('http_request_seconds', 'Time to answer a request of the API.', requestBuckets, ['mode', 'operation', 'status']),
    requestLogDropped: counter('request_log_dropped_total', 'Lines of the request log that could not be written.'),
    workHandled: counter('work_handled_total', 'Work handled, by outcome: done, failed, parked.', ['work', 'outcome']),
    workRetried: counter('work_retried_total', 'Work that the engine handed out again.', ['work']),
    workSeconds: histogram('work_seconds', 'Time to handle one piece of work.', workBuckets, ['work']),
    workDue: gauge('work_due', 'Work outstanding at the last look of the reconciler, counted up to its limit.', ['work']),
    workOldestSeconds: gauge('work_oldest_due_seconds', 'Age of the oldest outstanding work at the last look of the reconciler.', ['work']),
    workParked: gauge('work_parked', 'Work that failed too often and waits for a person.'),
    deliveryAttempts: counter('delivery_attempts_total', 'Requests to webhook endpoints, by outcome; "ours" were not sent for a reason of ours.', ['outcome']),
    deliveryDelay: histogram('delivery_first_attempt_seconds', 'From the commit of an event to its first request to an endpoint.', delayBuckets, []),
    deliveriesUnderWay: gauge('deliveries_under_way', 'Requests to webhook endpoints that are under way.'),
    providerResults: counter('provider_results_total', 'Calls to providers, by what they came to.', ['lane', 'result']),
    providerSeconds: histogram('provider_seconds', 'Time that calls to providers took.', providerBuckets, ['lane']),
    providerBreakersOpen: gauge('provider_breakers_open', 'Breakers of provider accounts that are open, of all workspaces, as every process sees them.', ['lane']),
    checkoutTries: counter('checkout_tries_total', 'Payers who pressed the button of a payment page, by what became of it: taken, or refused by one of the limits.', ['result']),
    checkoutAlarms: counter('checkout_alarms_total', 'Tries at a link or workspace where more than 30 % of the last 50 were declined: somebody may be trying out stolen cards.'),
    engineConnected: gauge('engine_connected', '1 while NATS is connected. At 0 work is slower, never stopped.'),
    hintsLost: counter('engine_hints_lost_total', 'Hints that could not be published. The reconciler hands the work out instead.'),
    strayRows: gauge('partition_strays', '1 if rows lie in the default partition of a table: a clock is wrong, or chores do not run.', ['table']),
  }
}

type PoolStats = { readonly total: number; readonly idle: number; readonly waiting: number }

/** Asked for when the figures are read, so that they are never old. */
export function watchConnections({ registry }: Metrics, stats: () => PoolStats): void {
  new Gauge({
    name: 'switchyard_database_connections',
    help: 'Connections of the pool: total, idle, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(stats())) this.set({ state }, count)
    },
  })
}
