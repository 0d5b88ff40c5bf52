/** The subscriptions on a clock. */
import type { Subscription } from '@switchyard/sdk'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { SubscriptionStatus } from '../subscriptions/status.tsx'

export function ClockSubscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  if (subscriptions.length === 0) return null
  return (
    <Panel title="Customers on this clock" flush>
      <PlainTable
        label="Subscriptions on this clock"
        rows={subscriptions}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} />, phone: true },
          { title: 'Status', cell: (row) => <SubscriptionStatus subscription={row} />, phone: true },
          { title: 'Next period', cell: (row) => <Time at={row.current_period?.end_at ?? null} /> },
          {
            title: 'Subscription',
            cell: ({ id }) => <PageLink to={`/subscriptions/${id}`}>Open</PageLink>,
            phone: true,
          },
        ]}
      />
    </Panel>
  )
}
