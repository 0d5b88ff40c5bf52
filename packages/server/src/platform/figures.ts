/**
 * Every figure the server exports, as data: from it come the figures themselves, docs/reference/metrics.md and the
 * checks of alerts and dashboards. Labels are words of ours: no id, nothing a caller chose.
 */
export type Figure = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** After `switchyard_`. */
  readonly name: string
  readonly help: string
  /** What each label may say. */
  readonly labels: { readonly [label: string]: string }
  /** What a bad value means, for whoever is woken by it. */
  readonly bad: string
  readonly buckets?: readonly number[]
  /** Values of the one label of a counter, which is 0 for each from the start: the first of a kind is an increase too. */
  readonly from0?: readonly string[]
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const delayBuckets = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300]
const providerBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 65]
const workBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60]

const mode = '`live` or `test`'
const work = 'the name of the work, such as `payment.resolve`'
const lane = '`authorize`: authorizations and verifications; `rest`: captures, voids, refunds'

const [counter, gauge, histogram] = ['counter', 'gauge', 'histogram'] as const

// biome-ignore format: a list, one figure after the other.
export const figures = {
  requests: { type: histogram, name: 'http_request_seconds', buckets: requestBuckets,
    help: 'Time to answer a request of the API.',
    labels: { mode, operation: 'the id of the operation; `none` for what is no operation', status: 'the status of the answer' },
    bad: 'Status 500 is a fault of ours, 503 an overload or a database that is away. Latency that grows on every operation is the database or the processor; on one that takes payments, the provider.' },
  refusals: { type: counter, name: 'http_refusals_total',
    help: 'Requests that were refused, by the code of the error.',
    labels: { mode, code: 'a code of the error catalogue' },
    bad: 'Many `sign_in_locked`: somebody guesses passwords. Many `idempotency_key_reused`: a client is wrong. Many `overloaded`: more processes are needed. `internal_error` is a fault of ours.' },
  requestLogDropped: { type: counter, name: 'request_log_dropped_total',
    help: 'Lines of the request log that could not be written.', labels: {},
    bad: 'Calls were answered, and the workspace cannot look them up. The database is slower than the load.' },
  workHandled: { type: counter, name: 'work_handled_total',
    help: 'Work handled, by outcome.',
    labels: { work, outcome: '`done`, `failed`: it is tried again; `parked`: a person has to look' },
    bad: '`failed` that does not fall back to none: the same thing fails again and again, and will be parked.' },
  workRetried: { type: counter, name: 'work_retried_total',
    help: 'Work that the engine handed out again.', labels: { work },
    bad: 'A worker died, hangs, or takes longer than the engine waits. Now and then after a restart is usual.' },
  workSeconds: { type: histogram, name: 'work_seconds', buckets: workBuckets,
    help: 'Time to handle one piece of work.', labels: { work },
    bad: 'Growth means a slow database or a slow provider, and work will be late.' },
  workDue: { type: gauge, name: 'work_due',
    help: 'Work outstanding at the last look of the reconciler, counted up to its limit.', labels: { work },
    bad: 'A rise that lasts: work arrives faster than it is done. Add workers, if the database has room.' },
  workOldestSeconds: { type: gauge, name: 'work_oldest_due_seconds',
    help: 'Age of the oldest outstanding work at the last look of the reconciler.', labels: { work },
    bad: 'Minutes: renewals, captures or webhooks are that late.' },
  workParked: { type: gauge, name: 'work_parked',
    help: 'Work that failed too often and waits for a person.', labels: {},
    bad: 'Anything above 0: it stays undone until somebody releases it.' },
  reconcilerLookedAt: { type: gauge, name: 'reconciler_look_timestamp_seconds',
    help: 'When this process last reconciled, in Unix time; 0 in a process that does not.', labels: {},
    bad: 'If the newest of all processes is older than a minute, nobody finds lost work.' },
  choresDoneAt: { type: gauge, name: 'chores_timestamp_seconds',
    help: 'When this process last finished the hourly chores, in Unix time; 0 if it has not.', labels: {},
    bad: 'If the newest of all processes is older than a few hours, partitions are neither made nor dropped.' },
  partitionsMissing: { type: gauge, name: 'partitions_missing',
    help: 'Partitions that are not there after the chores.',
    labels: { stretch: '`now`: today has none; `next`: the one after it is not made ahead' },
    bad: '`now` above 0: rows go to the default partition. `next` above 0: they will.' },
  strayRows: { type: gauge, name: 'partition_strays',
    help: '1 if rows lie in the default partition of a table.', labels: { table: 'a table that is cut by time' },
    bad: '1: a clock is wrong, or chores did not run. While rows lie there, their partition cannot be made.' },
  backlog: { type: gauge, name: 'backlog',
    help: 'What waits now, in all workspaces, counted up to 10,000; looked at by the process that reconciles.',
    labels: { mode, kind: '`payments_unknown`, `payments_in_review`, `refunds_in_review`, `deliveries_due`, `endpoints_failing`, `endpoints_disabled`, `subscriptions_past_due`, `dunning_running`' },
    bad: 'By kind: money whose fate nobody knows, money on which a person decides, webhooks that are late, receivers that are down, customers who have not paid.' },
  backlogOldestSeconds: { type: gauge, name: 'backlog_oldest_seconds',
    help: 'For how long the oldest of them has waited.',
    labels: { mode, kind: 'as in `switchyard_backlog`' },
    bad: 'For `payments_unknown` above 15 minutes: the provider does not say what became of money.' },
  backlogLookedAt: { type: gauge, name: 'backlog_look_timestamp_seconds',
    help: 'When this process last counted the backlog, in Unix time; 0 in a process that does not.', labels: {},
    bad: 'If the newest of all processes is older than some minutes, the backlog is old news.' },
  deliveryAttempts: { type: counter, name: 'delivery_attempts_total',
    help: 'Requests to webhook endpoints, by outcome.',
    labels: { outcome: '`ok`, `redirect`, `gone`, `throttled`, `http_error`, `timeout`, `dns_failed`, `connect_failed`, `tls_failed`, `blocked`; `ours`: not sent, for a reason of ours' },
    bad: 'One receiver that fails is its owner\'s matter. `dns_failed`, `connect_failed` or `timeout` for most of them: our own way out is broken.' },
  deliveryDelay: { type: histogram, name: 'delivery_first_attempt_seconds', buckets: delayBuckets,
    help: 'From the commit of an event to its first request to an endpoint.', labels: {},
    bad: 'Seconds: workers are too few, or one endpoint takes all of them.' },
  deliveriesUnderWay: { type: gauge, name: 'deliveries_under_way',
    help: 'Requests to webhook endpoints that are under way.', labels: {},
    bad: 'High for long: receivers are slow, and sockets are held for them.' },
  deliveriesExhausted: { type: counter, name: 'deliveries_exhausted_total',
    help: 'Deliveries that were given up after their last attempt.', labels: { mode }, from0: ['live', 'test'],
    bad: 'Each is an event that a receiver has not got. It can be resent for 30 days.' },
  providerResults: { type: counter, name: 'provider_results_total',
    help: 'Calls to providers, by what they came to.',
    labels: { mode, lane, result: '`approved`, `declined`, `answered`, `technical`, `refused_us`, `not_sent`, `unknown`' },
    bad: '`technical`, `not_sent` and `unknown` are failures of providers or of the way there; `refused_us`: our credentials. `declined` is an answer of a bank, and its share moves slowly.' },
  providerSeconds: { type: histogram, name: 'provider_seconds', buckets: providerBuckets,
    help: 'Time that calls to providers took.', labels: { mode, lane },
    bad: 'Payers wait as long. At 65 seconds a call is given up and its outcome unknown.' },
  providerBreakersOpen: { type: gauge, name: 'provider_breakers_open',
    help: 'Breakers of provider accounts that are open, of all workspaces, as every process sees them.', labels: { mode, lane },
    bad: 'Above 0: some account fails so often that payments go elsewhere first.' },
  checkoutTries: { type: counter, name: 'checkout_tries_total',
    help: 'Payers who pressed the button of a payment page, by what became of it.',
    labels: { result: '`taken`, or refused by the limit of the `network`, the `card` or the `session`' },
    bad: 'Refusals that outgrow `taken`: somebody tries out cards.' },
  checkoutAlarms: { type: counter, name: 'checkout_alarms_total',
    help: 'Tries at a link or workspace where more than 30 % of the last 50 were declined.', labels: {},
    bad: 'Any: somebody may be trying out stolen cards.' },
  engineConfigured: { type: gauge, name: 'engine_configured',
    help: '1 if NATS_URL is set.', labels: {}, bad: '0 in one process of several: its settings differ.' },
  engineConnected: { type: gauge, name: 'engine_connected',
    help: '1 while NATS is connected.', labels: {},
    bad: '0 where NATS_URL is set: work is slower, never stopped.' },
  hintsLost: { type: counter, name: 'engine_hints_lost_total',
    help: 'Hints that could not be published. The reconciler hands the work out instead.', labels: {},
    bad: 'A steady rate while NATS is connected: it takes less than it is given.' },
  databaseReachable: { type: gauge, name: 'database_reachable',
    help: '1 if PostgreSQL answered this process at its last look, which is every 10 seconds.', labels: {},
    bad: '0: this process is not ready. 0 in all of them: the database is away, and nothing is served.' },
  connections: { type: gauge, name: 'database_connections',
    help: 'Connections of the pool, at the moment of asking.',
    labels: { state: '`total`, `idle`; `waiting`: requests that wait for one' },
    bad: '`waiting` above 0 for long: the pool is too small, or statements are too slow.' },
} as const satisfies { readonly [key: string]: Figure }

export const nameOf = ({ name }: Figure): string => `switchyard_${name}`
