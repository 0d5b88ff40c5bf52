// Database connections, NATS, work, the reconciler, partitions.

import type { Board } from './board.ts'

export const engine: Board = {
  uid: 'switchyard-engine',
  title: 'Database and engine',
  about: 'Database connections, NATS, work, the reconciler, partitions.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Time since the last reconciler run',
          unit: 's',
          single: true,
          width: 6,
          warn: 30,
          bad: 120,
          about: 'The reconciler runs every 5 seconds, in one process.',
          queries: [
            {
              expr: 'max(time() - max by (shard) (switchyard_reconciler_look_timestamp_seconds))',
              legend: '',
            },
          ],
          runbooks: ['reconciler-stopped'],
        },
        {
          title: 'Time since the last maintenance',
          unit: 's',
          single: true,
          width: 6,
          warn: 7200,
          bad: 10_800,
          about: 'Maintenance runs every hour.',
          queries: [
            { expr: 'max(time() - max by (shard) (switchyard_maintenance_timestamp_seconds))', legend: '' },
          ],
          runbooks: ['maintenance-overdue'],
        },
        {
          title: 'Time since the last backlog count',
          unit: 's',
          single: true,
          width: 6,
          warn: 120,
          bad: 600,
          about: 'The backlog is counted every 30 seconds.',
          queries: [{ expr: 'time() - max(switchyard_backlog_look_timestamp_seconds)', legend: '' }],
          runbooks: ['backlog-not-counted'],
        },
        {
          title: 'Parked work',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about: 'Work that failed ten times. It is not retried until an operator releases it.',
          queries: [{ expr: 'sum(max by (shard) (switchyard_work_parked))', legend: '' }],
          runbooks: ['work-parked'],
        },
      ],
    },
    {
      title: 'Database',
      panels: [
        {
          title: 'Connections in use',
          unit: 'short',
          about: 'By process. The size of the pool is DATABASE_POOL.',
          queries: [
            {
              expr: 'switchyard_database_connections{state="total"} - ignoring(state) switchyard_database_connections{state="idle"}',
              legend: '{{instance}} {{shard}}',
            },
          ],
        },
        {
          title: 'Waiting for a connection',
          unit: 'short',
          bad: 1,
          about: 'Requests that wait for a connection, by process.',
          queries: [
            { expr: 'switchyard_database_connections{state="waiting"}', legend: '{{instance}} {{shard}}' },
          ],
          runbooks: ['pool-exhausted'],
        },
        {
          title: 'Standbys',
          unit: 'short',
          about:
            'Standbys that receive changes, by state. "Writes refused" is 1 while none of the synchronous ones responds.',
          queries: [
            { expr: 'max by (shard, state) (switchyard_database_standbys)', legend: '{{shard}} {{state}}' },
            { expr: 'max by (shard) (switchyard_database_read_only)', legend: '{{shard}} writes refused' },
          ],
          runbooks: ['standby-missing', 'writes-refused'],
        },
        {
          title: 'Replication lag',
          unit: 'bytes',
          bad: 268_435_456,
          about: 'Changes that the slowest standby has not applied yet.',
          queries: [
            { expr: 'max by (shard) (switchyard_database_replication_lag_bytes)', legend: '{{shard}}' },
          ],
          runbooks: ['replication-lag'],
        },
        {
          title: 'Moves between shards',
          unit: 's',
          bad: 30,
          about:
            'How long the writes of a workspace that is being moved have been waiting, and how long moves have been in their state.',
          queries: [
            { expr: 'max by (shard) (switchyard_fence_oldest_seconds)', legend: 'fence on {{shard}}' },
            {
              expr: 'max by (state) (switchyard_move_unchanged_seconds) and max by (state) (switchyard_moves) > 0',
              legend: '{{state}}',
            },
          ],
          runbooks: ['fence-stuck', 'move-stuck'],
        },
        {
          title: 'Partitions',
          unit: 'short',
          bad: 1,
          about: 'Missing partitions, and tables with rows in the default partition.',
          queries: [
            { expr: 'max by (stretch) (switchyard_partitions_missing)', legend: 'missing {{stretch}}' },
            { expr: 'sum(max by (table) (switchyard_partition_strays))', legend: 'tables with strays' },
          ],
          runbooks: ['partitions-missing'],
        },
        {
          title: 'Lost request log lines',
          unit: 'short',
          bad: 1,
          about: 'Request log lines that were not stored, in 15 minutes.',
          queries: [{ expr: 'sum(increase(switchyard_request_log_dropped_total[15m]))', legend: 'lost' }],
          runbooks: ['request-log-dropped'],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'NATS connected',
          unit: 'short',
          about: 'By process: 1 while it is connected.',
          queries: [{ expr: 'switchyard_engine_connected', legend: '{{instance}}' }],
          runbooks: ['nats-unreachable'],
        },
        {
          title: 'Messages lost',
          unit: 'ops',
          about: 'Messages per second that NATS did not accept. The reconciler finds the work later.',
          queries: [
            { expr: 'sum(rate(switchyard_engine_hints_lost_total[$__rate_interval]))', legend: 'lost' },
          ],
          runbooks: ['nats-unreachable'],
        },
        {
          title: 'Redelivered work',
          unit: 'ops',
          about: 'A worker crashed, hangs, or took longer than the acknowledgement timeout.',
          queries: [
            {
              expr: 'sum by (work) (rate(switchyard_work_retried_total[$__rate_interval]))',
              legend: '{{work}}',
            },
          ],
        },
        {
          title: 'Handled by outcome',
          unit: 'ops',
          width: 12,
          about: 'Work items per second, by outcome.',
          queries: [
            {
              expr: 'sum by (outcome) (rate(switchyard_work_handled_total[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
          runbooks: ['work-parked'],
        },
        {
          title: 'Work duration',
          unit: 's',
          width: 12,
          about: 'The 95th percentile of the ten slowest kinds of work.',
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (work, le) (rate(switchyard_work_seconds_bucket[$__rate_interval]))))',
              legend: '{{work}}',
            },
          ],
        },
        {
          title: 'Due work',
          unit: 'short',
          width: 12,
          about: 'Due work at the last run of the reconciler.',
          queries: [{ expr: 'max by (work) (switchyard_work_due)', legend: '{{work}}' }],
          runbooks: ['work-late'],
        },
        {
          title: 'Oldest due work',
          unit: 's',
          width: 12,
          warn: 900,
          bad: 1800,
          about: 'How late each kind of work is.',
          queries: [{ expr: 'max by (work) (switchyard_work_oldest_due_seconds)', legend: '{{work}}' }],
          runbooks: ['work-late', 'billing-late'],
        },
      ],
    },
  ],
}
