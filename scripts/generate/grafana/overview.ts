// The first look: does it serve, is anybody's money in doubt, is anything late.

import type { Board } from './board.ts'

export const overview: Board = {
  uid: 'switchyard-overview',
  title: 'Overview',
  about: 'The first look: does it serve, is money in doubt, is anything late.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          ...{ title: 'Processes that answer', unit: 'short', single: true },
          about: 'Processes that Prometheus reaches.',
          queries: [{ expr: 'sum(up{job="switchyard"})', legend: '' }],
          runbooks: ['down', 'process-down'],
        },
        {
          ...{ title: 'Requests', unit: 'reqps', single: true },
          about: 'Requests a second at the chosen address.',
          queries: [{ expr: 'switchyard:http_requests:rate5m{mode="$mode"}', legend: '' }],
        },
        {
          ...{ title: 'Errors of ours', unit: 'percentunit', single: true, warn: 0.001, bad: 0.01 },
          about: 'Answers with a status of 500 or above, of all.',
          queries: [{ expr: 'switchyard:http_errors:ratio5m{mode="$mode"}', legend: '' }],
          runbooks: ['api-errors'],
        },
        {
          ...{ title: 'Oldest unknown outcome', unit: 's', single: true, warn: 300, bad: 900 },
          about: 'For how long the oldest payment has had no known outcome.',
          queries: [
            {
              expr: 'max(switchyard_backlog_oldest_seconds{mode="$mode",kind="payments_unknown"})',
              legend: '',
            },
          ],
          runbooks: ['payments-unknown'],
        },
        {
          ...{ title: 'Waits for a person', unit: 'short', single: true, warn: 1 },
          about: 'Payments and refunds in review, and parked work.',
          queries: [
            {
              expr: 'sum(max by (kind) (switchyard_backlog{mode="$mode",kind=~"payments_in_review|refunds_in_review"})) + max(switchyard_work_parked)',
              legend: '',
            },
          ],
          runbooks: ['payments-in-review', 'work-parked'],
        },
        {
          ...{ title: 'Latest work', unit: 's', single: true, warn: 300, bad: 900 },
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
          ...{ title: 'Requests by status', unit: 'reqps' },
          about: 'Requests a second, by the class of their status.',
          queries: [
            {
              expr: 'sum by (status) (rate(switchyard_http_request_seconds_count{mode="$mode"}[$__rate_interval]))',
              legend: '{{status}}',
            },
          ],
        },
        {
          ...{ title: 'Time to answer', unit: 's', warn: 1 },
          about: 'Without requests that wait for providers.',
          queries: [
            { expr: 'switchyard:http_request_seconds:p99_5m{mode="$mode"}', legend: '99th percentile' },
          ],
          runbooks: ['api-slow'],
        },
        {
          ...{ title: 'Refusals by code', unit: 'reqps' },
          about:
            'The ten most frequent codes. Declined payments and faulty requests of clients are among them.',
          queries: [
            {
              expr: 'topk(10, sum by (code) (rate(switchyard_http_refusals_total{mode="$mode"}[$__rate_interval])))',
              legend: '{{code}}',
            },
          ],
          runbooks: ['overloaded', 'database-away', 'sign-in-attack'],
        },
        {
          ...{ title: 'Busiest operations', unit: 'reqps', width: 12 },
          about: 'The ten most frequent operations.',
          queries: [
            {
              expr: 'topk(10, sum by (operation) (rate(switchyard_http_request_seconds_count{mode="$mode"}[$__rate_interval])))',
              legend: '{{operation}}',
            },
          ],
        },
        {
          ...{ title: 'Slowest operations', unit: 's', width: 12 },
          about:
            'The 95th percentile of the ten slowest operations. Those that take payments wait for providers.',
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
          ...{ title: 'Event loop delay', unit: 's', warn: 0.1, bad: 0.25 },
          about:
            'The 99th percentile, by process. Above a tenth of a second it computes more than it answers.',
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{job="switchyard"}', legend: '{{instance}}' }],
          runbooks: ['overloaded'],
        },
        {
          ...{ title: 'Processor', unit: 'short', warn: 0.9 },
          about: 'Cores in use, by process. One process uses little more than one.',
          queries: [
            {
              expr: 'rate(process_cpu_seconds_total{job="switchyard"}[$__rate_interval])',
              legend: '{{instance}}',
            },
          ],
        },
        {
          ...{ title: 'Memory', unit: 'bytes' },
          about: 'Resident memory, by process.',
          queries: [{ expr: 'process_resident_memory_bytes{job="switchyard"}', legend: '{{instance}}' }],
        },
      ],
    },
  ],
}
