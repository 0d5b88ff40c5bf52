// What carries the rest: connections, NATS, work, the one process that reconciles, partitions.

import type { Board } from './board.ts'

export const engine: Board = {
  uid: 'switchyard-engine',
  title: 'Database and engine',
  about: 'Connections, NATS, work, the process that reconciles, partitions.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          ...{ title: 'Last look of the reconciler', unit: 's', single: true, width: 6, warn: 30, bad: 120 },
          about: 'How long ago any process reconciled. It looks every 5 seconds.',
          queries: [{ expr: 'time() - max(switchyard_reconciler_look_timestamp_seconds)', legend: '' }],
          runbooks: ['nobody-reconciles'],
        },
        {
          ...{ title: 'Last chores', unit: 's', single: true, width: 6, warn: 7200, bad: 10_800 },
          about: 'How long ago the hourly chores were done.',
          queries: [{ expr: 'time() - max(switchyard_chores_timestamp_seconds)', legend: '' }],
          runbooks: ['chores-overdue'],
        },
        {
          ...{ title: 'Last count of the backlog', unit: 's', single: true, width: 6, warn: 120, bad: 600 },
          about: 'How long ago the backlog was counted. It is counted every 30 seconds.',
          queries: [{ expr: 'time() - max(switchyard_backlog_look_timestamp_seconds)', legend: '' }],
          runbooks: ['backlog-not-counted'],
        },
        {
          ...{ title: 'Parked work', unit: 'short', single: true, width: 6, warn: 1 },
          about: 'Work that failed ten times and waits for a person.',
          queries: [{ expr: 'max(switchyard_work_parked)', legend: '' }],
          runbooks: ['work-parked'],
        },
      ],
    },
    {
      title: 'Database',
      panels: [
        {
          ...{ title: 'Connections in use', unit: 'short' },
          about: 'By process. The size of the pool is DATABASE_POOL.',
          queries: [
            {
              expr: 'switchyard_database_connections{state="total"} - ignoring(state) switchyard_database_connections{state="idle"}',
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'Waiting for a connection', unit: 'short', bad: 1 },
          about: 'Requests that wait for a connection, by process.',
          queries: [{ expr: 'switchyard_database_connections{state="waiting"}', legend: '{{instance}}' }],
          runbooks: ['pool-exhausted'],
        },
        {
          ...{ title: 'Partitions', unit: 'short', bad: 1 },
          about: 'Partitions that are missing, and tables with rows outside of all of them.',
          queries: [
            { expr: 'max by (stretch) (switchyard_partitions_missing)', legend: 'missing {{stretch}}' },
            { expr: 'sum(max by (table) (switchyard_partition_strays))', legend: 'tables with strays' },
          ],
          runbooks: ['partitions-missing'],
        },
        {
          ...{ title: 'Lines of the request log that were lost', unit: 'short', bad: 1 },
          about: 'In 15 minutes.',
          queries: [{ expr: 'sum(increase(switchyard_request_log_dropped_total[15m]))', legend: 'lost' }],
          runbooks: ['request-log-dropped'],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          ...{ title: 'NATS connected', unit: 'short' },
          about: 'By process: 1 while it is connected.',
          queries: [{ expr: 'switchyard_engine_connected', legend: '{{instance}}' }],
          runbooks: ['nats-away'],
        },
        {
          ...{ title: 'Hints lost', unit: 'ops' },
          about: 'Hints a second that NATS did not take. The reconciler finds the work all the same.',
          queries: [
            { expr: 'sum(rate(switchyard_engine_hints_lost_total[$__rate_interval]))', legend: 'lost' },
          ],
          runbooks: ['nats-away'],
        },
        {
          ...{ title: 'Handed out again', unit: 'ops' },
          about: 'A worker died, hangs, or takes longer than the engine waits.',
          queries: [
            {
              expr: 'sum by (work) (rate(switchyard_work_retried_total[$__rate_interval]))',
              legend: '{{work}}',
            },
          ],
        },
        {
          ...{ title: 'Handled, by outcome', unit: 'ops', width: 12 },
          about: 'Pieces of work a second, by outcome.',
          queries: [
            {
              expr: 'sum by (outcome) (rate(switchyard_work_handled_total[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
          runbooks: ['work-parked'],
        },
        {
          ...{ title: 'Time to handle', unit: 's', width: 12 },
          about: 'The 95th percentile of the ten slowest kinds of work.',
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (work, le) (rate(switchyard_work_seconds_bucket[$__rate_interval]))))',
              legend: '{{work}}',
            },
          ],
        },
        {
          ...{ title: 'Due work', unit: 'short', width: 12 },
          about: 'What is outstanding at the last look.',
          queries: [{ expr: 'max by (work) (switchyard_work_due)', legend: '{{work}}' }],
          runbooks: ['work-late'],
        },
        {
          ...{ title: 'Age of the oldest', unit: 's', width: 12, warn: 900, bad: 1800 },
          about: 'How late each kind of work is.',
          queries: [{ expr: 'max by (work) (switchyard_work_oldest_due_seconds)', legend: '{{work}}' }],
          runbooks: ['work-late', 'billing-late'],
        },
      ],
    },
  ],
}
