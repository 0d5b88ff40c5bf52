// Renewals, invoices and dunning: delays and results.

import type { Board } from './board.ts'

const backlog = (kind: string) => `max(switchyard_backlog{mode="$mode",kind="${kind}"})`
const billingWork = 'work=~"(subscription|invoice|dunning_campaign)[.].*"'

export const billing: Board = {
  uid: 'switchyard-billing',
  title: 'Billing',
  about: 'Renewals, invoices and dunning: delays and results.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Renewal delay',
          unit: 's',
          single: true,
          width: 8,
          warn: 300,
          bad: 900,
          about: 'How late the oldest due renewal is.',
          queries: [
            { expr: 'max(switchyard_work_oldest_due_seconds{work="subscription.advance"})', legend: '' },
          ],
          runbooks: ['billing-late'],
        },
        {
          title: 'Subscriptions past due',
          unit: 'short',
          single: true,
          width: 8,
          about: 'Subscriptions with an invoice that could not be collected, counted up to 10,000.',
          queries: [{ expr: backlog('subscriptions_past_due'), legend: '' }],
          runbooks: ['past-due-surge'],
        },
        {
          title: 'Dunning campaigns',
          unit: 'short',
          single: true,
          width: 8,
          about: 'Invoices that are being retried, counted up to 10,000.',
          queries: [{ expr: backlog('dunning_running'), legend: '' }],
          runbooks: ['past-due-surge'],
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Due work',
          unit: 'short',
          width: 12,
          about: 'Due work of subscriptions, invoices and dunning campaigns.',
          queries: [{ expr: `max by (work) (switchyard_work_due{${billingWork}})`, legend: '{{work}}' }],
        },
        {
          title: 'Oldest due work',
          unit: 's',
          width: 12,
          warn: 300,
          bad: 900,
          about: 'How late each kind of work is.',
          queries: [
            {
              expr: `max by (work) (switchyard_work_oldest_due_seconds{${billingWork}})`,
              legend: '{{work}}',
            },
          ],
          runbooks: ['billing-late'],
        },
        {
          title: 'Handled',
          unit: 'ops',
          width: 12,
          about: 'Work items per second, by kind and outcome.',
          queries: [
            {
              expr: `sum by (work, outcome) (rate(switchyard_work_handled_total{${billingWork}}[$__rate_interval]))`,
              legend: '{{work}} {{outcome}}',
            },
          ],
          runbooks: ['work-parked'],
        },
        {
          title: 'Past due',
          unit: 'short',
          width: 12,
          about: 'A sudden rise is usually caused by a provider or a route, not by customers.',
          queries: [
            { expr: backlog('subscriptions_past_due'), legend: 'subscriptions' },
            { expr: backlog('dunning_running'), legend: 'campaigns' },
          ],
          runbooks: ['past-due-surge'],
        },
      ],
    },
  ],
}
