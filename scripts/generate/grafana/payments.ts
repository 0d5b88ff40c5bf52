// Payments: provider results, latency and unknown outcomes.

import type { Board } from './board.ts'

const results = (lane: string) =>
  `sum by (result) (rate(switchyard_provider_results_total{mode="$mode",lane="${lane}"}[$__rate_interval]))`
const latency = (quantile: number, lane: string) =>
  `histogram_quantile(${quantile}, sum by (le) (rate(switchyard_provider_seconds_bucket{mode="$mode",lane="${lane}"}[$__rate_interval])))`
const backlog = (kind: string) => `max(switchyard_backlog{mode="$mode",kind="${kind}"})`

export const payments: Board = {
  uid: 'switchyard-payments',
  title: 'Payments and providers',
  about: 'Provider results, latency and unknown outcomes.',
  rows: [
    {
      title: 'Unresolved',
      panels: [
        {
          title: 'Unknown outcomes',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          bad: 10,
          about: 'Payments that may or may not have been charged. A few, for up to a minute, are normal.',
          queries: [{ expr: backlog('payments_unknown'), legend: '' }],
          runbooks: ['payments-unknown'],
        },
        {
          title: 'Oldest unknown outcome',
          unit: 's',
          single: true,
          width: 6,
          warn: 300,
          bad: 900,
          about: 'How long the oldest outcome has been unknown.',
          queries: [
            {
              expr: 'max(switchyard_backlog_oldest_seconds{mode="$mode",kind="payments_unknown"})',
              legend: '',
            },
          ],
          runbooks: ['payments-unknown'],
        },
        {
          title: 'Payments in review',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about:
            'A provider contradicts the recorded outcome, or never reported one. A person has to decide.',
          queries: [{ expr: backlog('payments_in_review'), legend: '' }],
          runbooks: ['payments-in-review'],
        },
        {
          title: 'Refunds in review',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about: 'A provider never reported the outcome of a refund. A person has to decide.',
          queries: [{ expr: backlog('refunds_in_review'), legend: '' }],
          runbooks: ['payments-in-review'],
        },
      ],
    },
    {
      title: 'Disputes',
      panels: [
        {
          title: 'Disputes that need a response',
          unit: 'short',
          single: true,
          width: 6,
          about: 'All disputes that wait for evidence, or for the decision to accept them.',
          queries: [{ expr: backlog('disputes_open'), legend: '' }],
        },
        {
          title: 'Due within 72 hours',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about: 'Disputes with a deadline within 72 hours and no submitted evidence.',
          queries: [{ expr: backlog('disputes_due'), legend: '' }],
          runbooks: ['disputes-due'],
        },
        {
          title: 'Overdue disputes',
          unit: 'short',
          single: true,
          width: 6,
          warn: 1,
          about: 'The deadline has passed without a response, and the provider has not decided yet.',
          queries: [{ expr: backlog('disputes_overdue'), legend: '' }],
        },
        {
          title: 'Oldest response without a result',
          unit: 's',
          single: true,
          width: 6,
          warn: 3600,
          about: 'How long it has been unknown whether the provider received the oldest response.',
          queries: [
            {
              expr: 'max(switchyard_backlog_oldest_seconds{mode="$mode",kind="disputes_responding"})',
              legend: '',
            },
          ],
          runbooks: ['dispute-response-stuck'],
        },
        {
          title: 'Disputes opened and decided',
          unit: 'short',
          width: 24,
          about: 'Disputes of the last 24 hours that were opened, won, lost or closed.',
          queries: [
            {
              expr: 'sum by (change) (increase(switchyard_disputes_total{mode="$mode"}[1d]))',
              legend: '{{change}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Providers',
      panels: [
        {
          title: 'Approval rate',
          unit: 'percentunit',
          about: 'Approvals divided by approvals and declines, over 30 minutes.',
          queries: [{ expr: 'switchyard:provider_approvals:ratio30m{mode="$mode"}', legend: 'approved' }],
          runbooks: ['approvals-dropped'],
        },
        {
          title: 'Failure rate',
          unit: 'percentunit',
          warn: 0.05,
          bad: 0.2,
          about:
            'Technical failures, rejected credentials, calls not sent and unknown outcomes, divided by all calls. Declines are not counted.',
          queries: [{ expr: 'switchyard:provider_failures:ratio10m{mode="$mode"}', legend: '{{lane}}' }],
          runbooks: ['provider-failing'],
        },
        {
          title: 'Open circuit breakers',
          unit: 'short',
          bad: 1,
          about: 'Failing accounts. Payments try other accounts first.',
          queries: [
            { expr: 'max by (lane) (switchyard_provider_breakers_open{mode="$mode"})', legend: '{{lane}}' },
          ],
          runbooks: ['breaker-open'],
        },
        {
          title: 'Authorizations by result',
          unit: 'ops',
          width: 12,
          about: 'Authorizations and verifications per second, by result.',
          queries: [{ expr: results('authorize'), legend: '{{result}}' }],
        },
        {
          title: 'Captures, voids and refunds by result',
          unit: 'ops',
          width: 12,
          about: 'Operations after the authorization per second, by result.',
          queries: [{ expr: results('rest'), legend: '{{result}}' }],
        },
        {
          title: 'Authorization latency',
          unit: 's',
          width: 12,
          warn: 10,
          about: 'How long providers take to respond. Payers wait that long.',
          queries: [
            { expr: latency(0.5, 'authorize'), legend: 'median' },
            { expr: latency(0.95, 'authorize'), legend: '95th percentile' },
          ],
          runbooks: ['provider-slow'],
        },
        {
          title: 'Latency of captures, voids and refunds',
          unit: 's',
          width: 12,
          about: 'How long providers take to respond.',
          queries: [
            { expr: latency(0.5, 'rest'), legend: 'median' },
            { expr: latency(0.95, 'rest'), legend: '95th percentile' },
          ],
        },
      ],
    },
    {
      title: 'Payment pages',
      panels: [
        {
          title: 'Checkout attempts by result',
          unit: 'ops',
          width: 12,
          about: 'Payment attempts on payment pages: accepted, or rejected by a limit.',
          queries: [
            {
              expr: 'sum by (result) (rate(switchyard_checkout_tries_total[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Card-testing alarms',
          unit: 'short',
          width: 12,
          bad: 5,
          about:
            'Payments attempted in 15 minutes at links or workspaces that have used up their budget of declined payments.',
          queries: [{ expr: 'sum(increase(switchyard_checkout_alarms_total[15m]))', legend: 'alarms' }],
          runbooks: ['card-testing'],
        },
      ],
    },
  ],
}
