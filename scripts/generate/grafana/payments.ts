// Money on its way: what providers answer, how fast, and what is in doubt.

import type { Board } from './board.ts'

const results = (lane: string) =>
  `sum by (result) (rate(switchyard_provider_results_total{mode="$mode",lane="${lane}"}[$__rate_interval]))`
const slowest = (share: number, lane: string) =>
  `histogram_quantile(${share}, sum by (le) (rate(switchyard_provider_seconds_bucket{mode="$mode",lane="${lane}"}[$__rate_interval])))`
const waiting = (kind: string) => `max(switchyard_backlog{mode="$mode",kind="${kind}"})`

export const payments: Board = {
  uid: 'switchyard-payments',
  title: 'Payments and providers',
  about: 'Money on its way: what providers answer, how fast, and what is in doubt.',
  rows: [
    {
      title: 'In doubt',
      panels: [
        {
          ...{ title: 'Unknown outcomes', unit: 'short', single: true, width: 6, warn: 1, bad: 10 },
          about:
            'Payments of which nobody knows yet whether they were charged. A few for a minute are usual.',
          queries: [{ expr: waiting('payments_unknown'), legend: '' }],
          runbooks: ['payments-unknown'],
        },
        {
          ...{ title: 'Oldest unknown outcome', unit: 's', single: true, width: 6, warn: 300, bad: 900 },
          about: 'Since when the oldest of them is unknown.',
          queries: [
            {
              expr: 'max(switchyard_backlog_oldest_seconds{mode="$mode",kind="payments_unknown"})',
              legend: '',
            },
          ],
          runbooks: ['payments-unknown'],
        },
        {
          ...{ title: 'Payments in review', unit: 'short', single: true, width: 6, warn: 1 },
          about: 'A provider contradicts our books: a person decides.',
          queries: [{ expr: waiting('payments_in_review'), legend: '' }],
          runbooks: ['payments-in-review'],
        },
        {
          ...{ title: 'Refunds in review', unit: 'short', single: true, width: 6, warn: 1 },
          about: 'A provider never said what became of a refund: a person decides.',
          queries: [{ expr: waiting('refunds_in_review'), legend: '' }],
          runbooks: ['payments-in-review'],
        },
      ],
    },
    {
      title: 'Providers',
      panels: [
        {
          ...{ title: 'Approvals', unit: 'percentunit' },
          about: 'Approved, of those that a bank has answered, over 30 minutes.',
          queries: [{ expr: 'switchyard:provider_approvals:ratio30m{mode="$mode"}', legend: 'approved' }],
          runbooks: ['approvals-dropped'],
        },
        {
          ...{ title: 'Failures', unit: 'percentunit', warn: 0.05, bad: 0.2 },
          about:
            'Technical failures, refusals of us, not sent and unknown, of all calls. Declines are not among them.',
          queries: [{ expr: 'switchyard:provider_failures:ratio10m{mode="$mode"}', legend: '{{lane}}' }],
          runbooks: ['provider-failing'],
        },
        {
          ...{ title: 'Open breakers', unit: 'short', bad: 1 },
          about: 'Accounts that fail so often that payments go elsewhere first.',
          queries: [
            { expr: 'max by (lane) (switchyard_provider_breakers_open{mode="$mode"})', legend: '{{lane}}' },
          ],
          runbooks: ['breaker-open'],
        },
        {
          ...{ title: 'Authorizations by result', unit: 'ops', width: 12 },
          about: 'Authorizations and verifications a second, by what they came to.',
          queries: [{ expr: results('authorize'), legend: '{{result}}' }],
        },
        {
          ...{ title: 'Captures, voids and refunds by result', unit: 'ops', width: 12 },
          about: 'What is done after an authorization, by what it came to.',
          queries: [{ expr: results('rest'), legend: '{{result}}' }],
        },
        {
          ...{ title: 'Time of authorizations', unit: 's', width: 12, warn: 10 },
          about: 'How long providers take. Payers wait that long.',
          queries: [
            { expr: slowest(0.5, 'authorize'), legend: 'median' },
            { expr: slowest(0.95, 'authorize'), legend: '95th percentile' },
          ],
          runbooks: ['provider-slow'],
        },
        {
          ...{ title: 'Time of captures, voids and refunds', unit: 's', width: 12 },
          about: 'How long providers take for the rest.',
          queries: [
            { expr: slowest(0.5, 'rest'), legend: 'median' },
            { expr: slowest(0.95, 'rest'), legend: '95th percentile' },
          ],
        },
      ],
    },
    {
      title: 'Payment pages',
      panels: [
        {
          ...{ title: 'Tries by result', unit: 'ops', width: 12 },
          about: 'Payers who pressed the button: taken, or refused by a limit.',
          queries: [
            {
              expr: 'sum by (result) (rate(switchyard_checkout_tries_total[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          ...{ title: 'Alarms', unit: 'short', width: 12, bad: 5 },
          about: 'Tries of 15 minutes at a link where more than 30 % of the last 50 were declined.',
          queries: [{ expr: 'sum(increase(switchyard_checkout_alarms_total[15m]))', legend: 'alarms' }],
          runbooks: ['card-testing'],
        },
      ],
    },
  ],
}
