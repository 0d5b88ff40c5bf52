// Overview of an installation: availability, unknown outcomes, late work.

import type { Board } from './board.ts'

export const overview: Board = {
  uid: 'switchyard-overview',
  title: 'Overview',
  about: 'Overview of an installation: availability, unknown outcomes, late work.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Processes up',
          unit: 'short',
          single: true,
          about: 'Processes that Prometheus reaches.',
          queries: [{ expr: 'sum(up{job="switchyard"})', legend: '' }],
          runbooks: ['down', 'process-down'],
        },
        {
          title: 'Requests',
          unit: 'reqps',
          single: true,
          about: 'Requests per second in the selected environment.',
          queries: [{ expr: 'switchyard:http_requests:rate5m{mode="$mode"}', legend: '' }],
        },
        {
          title: 'Error rate',
          unit: 'percentunit',
          single: true,
          warn: 0.001,
          bad: 0.01,
          about: 'Responses with a 5xx status, divided by all responses.',
          queries: [{ expr: 'switchyard:http_errors:ratio5m{mode="$mode"}', legend: '' }],
          runbooks: ['api-errors'],
        },
        {
          title: 'Oldest unknown outcome',
          unit: 's',
          single: true,
          warn: 300,
          bad: 900,
          about: 'How long the outcome of the oldest unresolved payment has been unknown.',
          queries: [
            {
              expr: 'max(switchyard_backlog_oldest_seconds{mode="$mode",kind="payments_unknown"})',
              legend: '',
            },
          ],
          runbooks: ['payments-unknown'],
        },
        {
          title: 'Needs review',
          unit: 'short',
          single: true,
          warn: 1,
          about: 'Payments and refunds in review, and parked work.',
          queries: [
            {
              expr: 'sum(max by (kind) (switchyard_backlog{mode="$mode",kind=~"payments_in_review|refunds_in_review"})) + sum(max by (shard) (switchyard_work_parked))',
              legend: '',
            },
          ],
          runbooks: ['payments-in-review', 'work-parked'],
        },
        {
          title: 'Oldest due work',
          unit: 's',
          single: true,
          warn: 300,
          bad: 900,
          about: 'How late the oldest due work of any kind is.',
          queries: [{ expr: 'max(switchyard_work_oldest_due_seconds)', legend: '' }],
          runbooks: ['billing-late', 'work-late'],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by status',
          unit: 'reqps',
          about: 'Requests per second, by status.',
          queries: [
            {
              expr: 'sum by (status) (rate(switchyard_http_request_seconds_count{mode="$mode"}[$__rate_interval]))',
              legend: '{{status}}',
            },
          ],
        },
        {
          title: 'Response time',
          unit: 's',
          warn: 1,
          about: 'Excludes requests that wait for providers.',
          queries: [
            { expr: 'switchyard:http_request_seconds:p99_5m{mode="$mode"}', legend: '99th percentile' },
          ],
          runbooks: ['api-slow'],
        },
        {
          title: 'Errors by code',
          unit: 'reqps',
          about: 'The ten most frequent error codes, including declined payments and invalid requests.',
          queries: [
            {
              expr: 'topk(10, sum by (code) (rate(switchyard_http_refusals_total{mode="$mode"}[$__rate_interval])))',
              legend: '{{code}}',
            },
          ],
          runbooks: ['overloaded', 'database-unreachable', 'sign-in-attack'],
        },
        {
          title: 'Busiest operations',
          unit: 'reqps',
          width: 12,
          about: 'The ten most frequent operations.',
          queries: [
            {
              expr: 'topk(10, sum by (operation) (rate(switchyard_http_request_seconds_count{mode="$mode"}[$__rate_interval])))',
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Slowest operations',
          unit: 's',
          width: 12,
          about: 'The 95th percentile of the ten slowest operations. Payment operations wait for providers.',
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (operation, le) (rate(switchyard_http_request_seconds_bucket{mode="$mode"}[$__rate_interval]))))',
              legend: '{{operation}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Event loop delay',
          unit: 's',
          warn: 0.1,
          bad: 0.25,
          about: 'The 99th percentile, by process. Above 0.1 seconds the process is CPU-bound.',
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="switchyard"}', legend: '{{instance}}' }],
          runbooks: ['overloaded'],
        },
        {
          title: 'CPU',
          unit: 'short',
          warn: 0.9,
          about: 'CPU cores in use, by process. A process uses little more than one core.',
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{job="switchyard"}[$__rate_interval])',
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Memory',
          unit: 'bytes',
          about: 'Resident memory, by process.',
          queries: [{ expr: 'process_resident_memory_bytes{job="switchyard"}', legend: '{{instance}}' }],
        },
      ],
    },
  ],
}
