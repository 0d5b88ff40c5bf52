/**
 * The definitions of all exported metrics. The metrics themselves, docs/reference/metrics.md and the checks
 * of alerts and dashboards are generated from them. Label values are fixed words: no ids and no user input.
 */
export type MetricDefinition = {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The name without the `switchyard_` prefix. */
  readonly name: string
  readonly help: string
  /** The possible values of each label. */
  readonly labels: { readonly [label: string]: string }
  /** What a bad value means, for the engineer on call. */
  readonly bad: string
  readonly buckets?: readonly number[]
  /**
   * All values of each label of a counter. Each combination is initialized to 0, so that its first occurrence
   * counts as an increase.
   */
  readonly from0?: { readonly [label: string]: readonly string[] }
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const delayBuckets = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300]
const providerBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 65]
const workBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60]

const mode = '`live` or `test`'
const work = 'name of the job, such as `payment.resolve`'
const shard =
  'name in `SHARDS`; `control` for a control plane in a database of its own; `shard0` without `SHARDS`'
const moveState = '`copying`, `linking`, `comparing`, `fencing`, `flipped`, `watching` or `cleaning`'
const lane = '`authorize`: authorizations and verifications; `rest`: captures, voids, refunds'

const [counter, gauge, histogram] = ['counter', 'gauge', 'histogram'] as const

/** Event types `dispute.<change>` that are counted. */
export const disputeChanges = ['created', 'won', 'lost', 'closed'] as const

// biome-ignore format: a list, one figure after the other.
export const metricDefinitions = {
  requests: { type: histogram, name: 'http_request_seconds', buckets: requestBuckets,
    help: 'Response time of API requests.',
    labels: { mode, operation: 'ID of the operation; `none` for other requests', status: 'HTTP status of the response' },
    bad: 'Status 500 is an internal error; 503 means overload or an unavailable database. If latency grows on all operations, check the database and the CPU; if it grows on operations that call providers, check the provider.' },
  refusals: { type: counter, name: 'http_refusals_total',
    help: 'Rejected requests, by error code.',
    labels: { mode, code: 'error code' },
    bad: 'Many `sign_in_locked`: someone may be guessing passwords. Many `idempotency_key_reused`: a client has a bug. Many `overloaded`: add processes. Many `wrong_cell`: a client uses the address of another cell. `internal_error`: a bug in Switchyard.' },
  requestLogDropped: { type: counter, name: 'request_log_dropped_total',
    help: 'Request log entries that could not be written.', labels: {},
    bad: 'The requests were served, but the workspace cannot look them up. The database is too slow for the load.' },
  workHandled: { type: counter, name: 'work_handled_total',
    help: 'Jobs handled, by outcome.',
    labels: { work, outcome: '`done`; `failed`: it is retried; `parked`: it needs manual review' },
    bad: 'If `failed` does not return to zero, the same job keeps failing and will be parked.' },
  workRetried: { type: counter, name: 'work_retried_total',
    help: 'Jobs that the engine redelivered.', labels: { work },
    bad: 'A worker crashed, hangs, or takes longer than the engine waits. Occasional redeliveries after a restart are normal.' },
  workSeconds: { type: histogram, name: 'work_seconds', buckets: workBuckets,
    help: 'Time to handle one job.', labels: { work },
    bad: 'Growth means a slow database or a slow provider, and jobs will be late.' },
  workDue: { type: gauge, name: 'work_due',
    help: 'Due jobs at the last run of the reconciler, counted up to its limit.', labels: { shard, work },
    bad: 'A lasting rise means that jobs arrive faster than they are done. Add workers if the database has capacity.' },
  workOldestSeconds: { type: gauge, name: 'work_oldest_due_seconds',
    help: 'Age of the oldest due job at the last run of the reconciler.', labels: { shard, work },
    bad: 'Minutes mean that renewals, captures or webhooks are late by that much.' },
  workParked: { type: gauge, name: 'work_parked',
    help: 'Jobs that failed too often and need manual review.', labels: { shard },
    bad: 'Any value above 0: the job is not done until someone releases it.' },
  reconcilerLookedAt: { type: gauge, name: 'reconciler_look_timestamp_seconds',
    help: 'Unix time of the last reconciliation by this process; 0 in a process that does not reconcile.', labels: { shard },
    bad: 'If the newest value of all processes is older than a minute, lost jobs are not recovered.' },
  maintenanceDoneAt: { type: gauge, name: 'maintenance_timestamp_seconds',
    help: 'Unix time at which this process last finished the hourly maintenance; 0 if it has not.', labels: { shard },
    bad: 'If the newest value of all processes is older than a few hours, partitions are neither created nor dropped.' },
  partitionsMissing: { type: gauge, name: 'partitions_missing',
    help: 'Partitions that are missing after maintenance.',
    labels: { shard, stretch: '`now`: the partition for today; `next`: the partition after it' },
    bad: '`now` above 0: rows are written to the default partition. `next` above 0: they soon will be.' },
  strayRows: { type: gauge, name: 'partition_strays',
    help: '1 if the default partition of a table contains rows.', labels: { shard, table: 'a table that is partitioned by time' },
    bad: '1 means that a clock is wrong or maintenance did not run. While the default partition contains these rows, their own partition cannot be created.' },
  backlog: { type: gauge, name: 'backlog',
    help: 'Objects that are waiting, in all workspaces, counted up to 10,000. Measured by the process that runs the reconciler.',
    labels: { mode, kind: '`payments_unknown`, `payments_in_review`, `refunds_in_review`, `disputes_open`, `disputes_due`, `disputes_overdue`, `disputes_responding`, `deliveries_due`, `endpoints_failing`, `endpoints_disabled`, `subscriptions_past_due`, `dunning_running`' },
    bad: 'By kind: payments with an unknown outcome, payments and refunds that need manual review, disputes that need a response (all; those with a deadline within 72 hours; those after their deadline), responses to disputes without a known result, late webhooks, failing endpoints, and customers who have not paid.' },
  backlogOldestSeconds: { type: gauge, name: 'backlog_oldest_seconds',
    help: 'Age of the oldest object in `switchyard_backlog`.',
    labels: { mode, kind: 'as in `switchyard_backlog`' },
    bad: 'For `payments_unknown`, more than 15 minutes: the provider does not report the outcome. For `disputes_responding`, more than an hour: it is not known whether the provider has received the response.' },
  backlogLookedAt: { type: gauge, name: 'backlog_look_timestamp_seconds',
    help: 'Unix time at which this process last counted the backlog; 0 in a process that does not count it.', labels: {},
    bad: 'If the newest value of all processes is older than a few minutes, the backlog is out of date.' },
  auditOutboxOldestSeconds: { type: gauge, name: 'audit_outbox_oldest_seconds',
    help: 'Age of the oldest audit entry of a change to people or organizations that is not in the audit log of its workspace yet; 0 if there is none.', labels: {},
    bad: 'More than a few minutes: the database of a workspace is unavailable, or entries cannot be appended. See the log.' },
  moves: { type: gauge, name: 'moves',
    help: 'Workspaces that are being moved between data shards, by state. Measured by the process that runs the reconciler of the first shard.',
    labels: { state: moveState },
    bad: 'Any value in a state other than `watching` while no one moves a workspace: a move was interrupted.' },
  moveUnchangedSeconds: { type: gauge, name: 'move_unchanged_seconds',
    help: 'Time since the state of a move changed, of the move that has been in the state for longest; 0 if there is none.',
    labels: { state: moveState },
    bad: 'More than half an hour in `linking`, `comparing`, `fencing` or `flipped`: the command has stopped. Until the move ends, PostgreSQL may keep WAL for it.' },
  moveOldestSeconds: { type: gauge, name: 'move_oldest_seconds',
    help: 'Time since the oldest move began; 0 if there is none.', labels: {},
    bad: 'More than a few days: the clean-up after a move was forgotten.' },
  fenceOldestSeconds: { type: gauge, name: 'fence_oldest_seconds',
    help: 'How long the writes of a workspace have been waiting because it is being moved, of the workspace that has waited for longest; 0 if there is none.',
    labels: { shard },
    bad: 'More than 30 seconds: the fence is not lifted, and writes of the workspace get 503.' },
  deliveryAttempts: { type: counter, name: 'delivery_attempts_total',
    help: 'Requests to webhook endpoints, by outcome.',
    labels: { outcome: '`ok`, `redirect`, `gone`, `throttled`, `http_error`, `timeout`, `dns_failed`, `connect_failed`, `tls_failed`, `blocked`; `ours`: not sent because of an internal problem' },
    bad: 'A single failing endpoint is a problem of its owner. If most endpoints fail with `dns_failed`, `connect_failed` or `timeout`, check your own outbound network.' },
  deliveryDelay: { type: histogram, name: 'delivery_first_attempt_seconds', buckets: delayBuckets,
    help: 'Time from the commit of an event to its first request to an endpoint.', labels: {},
    bad: 'Seconds mean that there are too few workers, or that one endpoint occupies all of them.' },
  deliveriesUnderWay: { type: gauge, name: 'deliveries_under_way',
    help: 'Requests to webhook endpoints in progress.', labels: {},
    bad: 'A lasting high value means that endpoints are slow and occupy connections.' },
  deliveriesExhausted: { type: counter, name: 'deliveries_exhausted_total',
    help: 'Deliveries that were abandoned after their last attempt.', labels: { mode }, from0: { mode: ['live', 'test'] },
    bad: 'Each one is an event that an endpoint has not received. It can be resent for 30 days.' },
  providerResults: { type: counter, name: 'provider_results_total',
    help: 'Calls to providers, by result.',
    labels: { mode, lane, result: '`approved`, `declined`, `answered`, `technical`, `refused_us`, `not_sent`, `unknown`' },
    bad: '`technical`, `not_sent` and `unknown` are failures of providers or of the network; `refused_us` means rejected credentials. `declined` is the decision of a bank, and its share changes slowly.' },
  providerSeconds: { type: histogram, name: 'provider_seconds', buckets: providerBuckets,
    help: 'Duration of calls to providers.', labels: { mode, lane },
    bad: 'Payers wait that long. A call times out after 65 seconds, and its outcome is unknown.' },
  providerBreakersOpen: { type: gauge, name: 'provider_breakers_open',
    help: 'Open circuit breakers of provider accounts in all workspaces, as seen by every process.', labels: { mode, lane },
    bad: 'Any value above 0: an account fails so often that other accounts are tried first.' },
  providerCredentialsRefused: { type: gauge, name: 'provider_credentials_refused',
    help: 'Provider accounts whose credentials the provider rejects (401 or 403), in all workspaces, as seen by every process.', labels: { mode },
    bad: 'Above 0: no payment can succeed at that account until its credentials are corrected.' },
  checkoutTries: { type: counter, name: 'checkout_tries_total',
    help: 'Payments submitted on payment pages, by result.',
    labels: { result: '`taken`, or rejected by the limit of the `network`, the `card`, the `session`, the `link` or the `workspace`' },
    bad: 'If rejections outnumber `taken`, someone may be testing cards.' },
  checkoutAlarms: { type: counter, name: 'checkout_alarms_total',
    help: 'Payments submitted to a link or workspace that has used up its limit of declined payments.', labels: {},
    bad: 'Any value: someone may be testing stolen cards.' },
  disputes: { type: counter, name: 'disputes_total',
    help: 'Disputes that were opened, won, lost or closed. A dispute that is contested again after a decision is counted for each decision.',
    labels: { mode, change: '`created`, `won`, `lost`, or `closed`: an inquiry ended without a chargeback' },
    from0: { mode: ['live', 'test'], change: disputeChanges },
    bad: 'A sudden rise of `created`: stolen cards may have been used, or a delivery has failed. Card networks fine merchants with many disputes.' },
  ledgerContradictions: { type: counter, name: 'ledger_contradictions_total',
    help: 'Payments, invoices and credit entries that the backfill of the ledger did not post, because their amounts contradict each other. Each pass counts them again.', labels: {},
    bad: 'Above 0: the log names the objects, and `verify-ledger` prints their amounts. They must be corrected by hand.' },
  settlementImports: { type: counter, name: 'settlement_imports_total',
    help: 'Settlement reports that were imported, by result.', labels: { result: '`completed`, or `failed`: the file could not be read' },
    bad: 'If `bounced` or `complained` increases, addresses are wrong, or the domain of the sender is blocked. If `failed` increases, a provider may have changed the columns of its report. `GET /settlement-imports` shows the reason.' },
  exportsEnded: { type: counter, name: 'exports_ended_total',
    help: 'Exports that ended, by status.', labels: { status: '`completed` or `failed`' }, from0: { status: ['completed', 'failed'] },
    bad: '`failed`: the files of a workspace occupy more than 1 GB. Shorter periods are needed, or fewer exports.' },
  exportedRows: { type: counter, name: 'exported_rows_total',
    help: 'Rows that were written to files of exports.', labels: {},
    bad: 'No increase while exports are running: check the jobs `export.run` that fail.' },
  exportUploads: { type: counter, name: 'export_uploads_total',
    help: 'Attempts to upload the files of daily exports to their destinations, by result.',
    labels: { result: '`uploaded` or `failed`' }, from0: { result: ['uploaded', 'failed'] },
    bad: 'If `failed` increases and `uploaded` does not, the destinations cannot be reached from here. If both increase, one destination has a wrong key or bucket: `GET /attention` names it.' },
  mailsEnded: { type: counter, name: 'mails_total',
    help: 'E-mails to payers that were sent or that are no longer retried, by kind and status.',
    labels: { kind: 'such as `receipt` or `payment_failed`', status: '`sent`, `not_sent` or `failed`' },
    bad: 'If `failed` increases, the mail server rejects e-mails or has been unavailable for three days: `GET /mails` shows the reasons.' },
  taxDocuments: { type: counter, name: 'tax_documents_total',
    help: 'Calls that record sales and reversals at tax providers, by kind and result.',
    labels: { kind: '`sale` or `reversal`', result: '`recorded`, `rejected` or `unknown`' }, from0: { kind: ['sale', 'reversal'], result: ['recorded', 'rejected', 'unknown'] },
    bad: 'If `unknown` increases and `recorded` does not, tax providers cannot be reached. If `rejected` increases, `GET /attention` shows the workspace, and its `GET /tax-provider` shows how long documents have waited.' },
  vaultCalls: { type: counter, name: 'card_vault_calls_total',
    help: 'Calls to providers through a card vault, by vault and result.',
    labels: { vault: '`basis_theory` or `vgs`', result: '`answered` (by the provider), `rejected` (by the vault), `unknown`, `not_sent` or `breaker_open`' },
    bad: 'If `not_sent`, `unknown` or `breaker_open` increases, the vault is down: check its status page. If only `rejected` increases, its credentials or routes are wrong.' },
  engineConfigured: { type: gauge, name: 'engine_configured',
    help: '1 if NATS_URL is set.', labels: {}, bad: '0 in one of several processes: its settings differ.' },
  engineConnected: { type: gauge, name: 'engine_connected',
    help: '1 while NATS is connected.', labels: {},
    bad: '0 although NATS_URL is set: jobs start later, but none are lost.' },
  hintsLost: { type: counter, name: 'engine_hints_lost_total',
    help: 'Messages about due jobs that could not be published. The reconciler starts these jobs instead.', labels: {},
    bad: 'A steady rate while NATS is connected: NATS cannot keep up.' },
  databaseReachable: { type: gauge, name: 'database_reachable',
    help: '1 if PostgreSQL responded to this process at the last check, every 10 seconds.', labels: { shard },
    bad: '0: this process cannot serve the workspaces of this shard. 0 in all processes: the database is unavailable. A process that reaches no shard is not ready.' },
  databaseIsStandby: { type: gauge, name: 'database_is_standby',
    help: '1 if the server behind the URL of the database was a standby at the last check, every 10 seconds.', labels: { shard },
    bad: '1: every change on this shard fails with 503 `unavailable`. Without another shard, this process is not ready.' },
  databaseStandbys: { type: gauge, name: 'database_standbys',
    help: 'Standbys that receive changes from the primary, by state.',
    labels: { shard, state: '`sync`, `quorum`, `potential` or `async`; `unknown`: the database user may not see it' },
    bad: 'A lower value than before: a standby is down or disconnected. If none is left, the loss of the primary loses data.' },
  databaseIsSynchronous: { type: gauge, name: 'database_is_synchronous',
    help: '1 if the primary waits for a standby before it confirms a commit.', labels: { shard },
    bad: '0 although synchronous replication is required: a failover can lose confirmed changes.' },
  databaseLagBytes: { type: gauge, name: 'database_replication_lag_bytes',
    help: 'Changes that the slowest standby has not applied yet. 0 if the database user may not see it.', labels: { shard },
    bad: 'Growth: the standby or its network is too slow. A failover to it takes longer, and without synchronous replication these changes are lost.' },
  databaseLagSeconds: { type: gauge, name: 'database_replication_lag_seconds',
    help: 'Time that the slowest standby takes to apply a change.', labels: { shard },
    bad: 'Seconds: the standby is overloaded. A failover to it takes longer.' },
  databaseCommitsWaiting: { type: gauge, name: 'database_commits_waiting',
    help: 'Commits that waited for a standby at the last check.', labels: { shard },
    bad: 'Above 0 at several checks: standbys respond slowly, or not at all. After 2 seconds, writes are refused.' },
  databaseReadOnly: { type: gauge, name: 'database_read_only',
    help: '1 while this process refuses writes, because commits wait for a synchronous standby.', labels: { shard },
    bad: '1: no synchronous standby responds. Reads work, every change on this shard gets 503 `read_only`. It ends automatically once a standby responds.' },
  connections: { type: gauge, name: 'database_connections',
    help: 'Connections of the pool of a database at the time of the scrape.',
    labels: { shard, state: '`total`, `idle`; `waiting`: requests waiting for a connection' },
    bad: '`waiting` above 0 for a long time: the pool is too small, or statements are too slow.' },
} as const satisfies { readonly [key: string]: MetricDefinition }

export const nameOf = ({ name }: MetricDefinition): string => `switchyard_${name}`
