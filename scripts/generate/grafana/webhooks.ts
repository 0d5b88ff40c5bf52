// Webhook deliveries: delay, outcomes, failing endpoints.

import type { Board } from './board.ts'

const backlog = (kind: string) => `max(switchyard_backlog{mode="$mode",kind="${kind}"})`
const delay = (quantile: number) =>
  `histogram_quantile(${quantile}, sum by (le) (rate(switchyard_delivery_first_attempt_seconds_bucket[$__rate_interval])))`

export const webhooks: Board = {
  uid: 'switchyard-webhooks',
  title: 'Webhooks',
  about: 'Delay, outcomes and failing endpoints.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Due deliveries',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1000,
          about: 'Deliveries that are due, counted up to 10,000, including those of paused endpoints.',
          queries: [{ expr: backlog('deliveries_due'), legend: '' }],
          runbooks: ['webhooks-late'],
        },
        {
          title: 'Oldest sendable delivery',
          unit: 's',
          single: true,
          width: 6,
          warn: 60,
          bad: 300,
          about: 'The delay of the oldest due delivery to an endpoint that is not paused.',
          queries: [
            {
              expr: 'max(switchyard_work_oldest_due_seconds{work="webhook_endpoint.deliver"})',
              legend: '',
            },
          ],
          runbooks: ['webhooks-late'],
        },
        {
          title: 'Failing endpoints',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about: 'Endpoints that do not respond with 2xx. Deliveries are retried for five days.',
          queries: [{ expr: backlog('endpoints_failing'), legend: '' }],
        },
        {
          title: 'Disabled endpoints',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about:
            'Endpoints that failed for days or responded with 410. Their deliveries are held for 30 days.',
          queries: [{ expr: backlog('endpoints_disabled'), legend: '' }],
          runbooks: ['webhook-deliveries-exhausted'],
        },
      ],
    },
    {
      title: 'Attempts',
      panels: [
        {
          title: 'Attempts by outcome',
          unit: 'ops',
          width: 12,
          about: 'Delivery attempts per second, by outcome.',
          queries: [
            {
              expr: 'sum by (outcome) (rate(switchyard_delivery_attempts_total[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
          runbooks: ['webhooks-failing'],
        },
        {
          title: 'Delay to the first attempt',
          unit: 's',
          width: 12,
          warn: 1,
          bad: 30,
          about: 'Time from the commit of an event to its first delivery attempt.',
          queries: [
            { expr: delay(0.5), legend: 'median' },
            { expr: delay(0.99), legend: '99th percentile' },
          ],
          runbooks: ['webhooks-late'],
        },
        {
          title: 'Deliveries in progress',
          unit: 'short',
          width: 12,
          about: 'Concurrent requests to receivers, by process.',
          queries: [{ expr: 'switchyard_deliveries_under_way', legend: '{{instance}}' }],
        },
        {
          title: 'Exhausted deliveries',
          unit: 'short',
          width: 12,
          bad: 1,
          about: 'Deliveries that used all their attempts, in one hour.',
          queries: [
            {
              expr: 'sum(increase(switchyard_deliveries_exhausted_total{mode="$mode"}[1h])) or vector(0)',
              legend: 'exhausted',
            },
          ],
          runbooks: ['webhook-deliveries-exhausted'],
        },
      ],
    },
  ],
}
