/** The subscriptions that live on a clock. */
import type { Subscription } from '@switchyard/sdk'
import { PageLink } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { SubscriptionChips } from '../subscriptions/chips.tsx'

export function OnClock({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  if (subscriptions.length === 0) return null
  return (
    <Panel title="Who lives on it" flush>
      <PlainTable
        label="Subscriptions on this clock"
        rows={subscriptions}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} />, phone: true },
          { title: 'Status', cell: (row) => <SubscriptionChips of={row} />, phone: true },
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
