// Events on their way to receivers: how late, how they end, who is down.

import type { Board } from './board.ts'

const waiting = (kind: string) => `max(switchyard_backlog{mode="$mode",kind="${kind}"})`
const delay = (share: number) =>
  `histogram_quantile(${share}, sum by (le) (rate(switchyard_delivery_first_attempt_seconds_bucket[$__rate_interval])))`

export const webhooks: Board = {
  uid: 'switchyard-webhooks',
  title: 'Webhooks',
  about: 'Events on their way to receivers: how late, how they end, who is down.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          ...{ title: 'Due deliveries', unit: 'short', single: true, width: 6, warn: 1000 },
          about:
            'Deliveries whose time has come, counted up to 10,000. Those of a receiver that rests are among them.',
          queries: [{ expr: waiting('deliveries_due'), legend: '' }],
          runbooks: ['webhooks-late'],
        },
        {
          ...{ title: 'Oldest that can be sent', unit: 's', single: true, width: 6, warn: 60, bad: 300 },
          about: 'How late the oldest delivery is whose receiver does not rest.',
          queries: [
            {
              expr: 'max(switchyard_work_oldest_due_seconds{work="webhook_endpoint.deliver"})',
              legend: '',
            },
          ],
          runbooks: ['webhooks-late'],
        },
        {
          ...{ title: 'Failing endpoints', unit: 'short', single: true, width: 6, warn: 1 },
          about:
            'Receivers that do not answer as they should. Nothing is lost: it is repeated for five days.',
          queries: [{ expr: waiting('endpoints_failing'), legend: '' }],
        },
        {
          ...{ title: 'Disabled endpoints', unit: 'short', single: true, width: 6, warn: 1 },
          about: 'Receivers that failed for days or answered 410. Their events are held for 30 days.',
          queries: [{ expr: waiting('endpoints_disabled'), legend: '' }],
          runbooks: ['webhooks-given-up'],
        },
      ],
    },
    {
      title: 'Attempts',
      panels: [
        {
          ...{ title: 'Attempts by outcome', unit: 'ops', width: 12 },
          about: 'Requests to receivers a second, by outcome.',
          queries: [
            {
              expr: 'sum by (outcome) (rate(switchyard_delivery_attempts_total[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
          runbooks: ['webhooks-failing'],
        },
        {
          ...{ title: 'From the commit to the first attempt', unit: 's', width: 12, warn: 1, bad: 30 },
          about: 'How long an event waits before it is sent for the first time.',
          queries: [
            { expr: delay(0.5), legend: 'median' },
            { expr: delay(0.99), legend: '99th percentile' },
          ],
          runbooks: ['webhooks-late'],
        },
        {
          ...{ title: 'Under way', unit: 'short', width: 12 },
          about: 'Requests to receivers that are under way, by process.',
          queries: [{ expr: 'switchyard_deliveries_under_way', legend: '{{instance}}' }],
        },
        {
          ...{ title: 'Given up', unit: 'short', width: 12, bad: 1 },
          about: 'Deliveries of an hour whose last attempt failed.',
          queries: [
            {
              expr: 'sum(increase(switchyard_deliveries_exhausted_total{mode="$mode"}[1h])) or vector(0)',
              legend: 'given up',
            },
          ],
          runbooks: ['webhooks-given-up'],
        },
      ],
    },
  ],
}
