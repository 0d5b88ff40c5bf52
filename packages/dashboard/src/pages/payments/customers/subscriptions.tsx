import type { Subscription } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { countText } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'

const columns: readonly Column<Subscription>[] = [
  {
    title: 'Subscription',
    phone: true,
    cell: ({ id, description }) => <ObjectLink id={id}>{description ?? undefined}</ObjectLink>,
  },
  { title: 'Status', width: '140px', phone: true, cell: ({ status }) => <Status status={status} /> },
  {
    title: 'Billed every',
    cell: ({ interval: { unit, count } }) => (count === 1 ? unit : countText(count, unit)),
  },
  {
    title: 'Period ends',
    align: 'right',
    width: '140px',
    cell: ({ current_period }) => <Time at={current_period?.end_at ?? null} />,
  },
]

export function CustomerSubscriptions({ customerId }: { customerId: string }) {
  const rows = useRows(['subscription', 'customer', customerId], (api, page) =>
    api.subscriptions.list({ customer_id: customerId, ...page }),
  )
  return (
    <DataTable
      label="Customer’s subscriptions"
      columns={columns}
      rows={rows}
      to={({ id }) => `/subscriptions/${id}`}
      empty={
        <Empty
          title="No subscriptions yet."
          action={<PageLink to="/subscriptions">Go to subscriptions</PageLink>}
        />
      }
    />
  )
}
