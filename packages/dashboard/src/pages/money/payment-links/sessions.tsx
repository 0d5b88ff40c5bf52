/** Who came by a link, and what became of it: each session is one payer. */
import type { CheckoutSession } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'

const columns: readonly Column<CheckoutSession>[] = [
  {
    title: 'Amount',
    align: 'right',
    width: '130px',
    phone: true,
    cell: ({ amount, currency }) =>
      amount === null ? '–' : <Money amount={amount} currency={currency} code />,
  },
  { title: 'Status', width: '140px', phone: true, cell: ({ status }) => <Status of={status} /> },
  { title: 'Payment', phone: true, cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
  { title: 'Payer', cell: ({ payer }) => payer?.name ?? payer?.email },
  {
    title: 'Opened',
    align: 'right',
    width: '130px',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

export function Sessions({ linkId }: { linkId: string }) {
  const rows = useRows(['checkout_session', linkId], (api, page) =>
    api.checkoutSessions.list({ payment_link_id: linkId, ...page }),
  )
  return (
    <DataTable
      label="Payers of this link"
      columns={columns}
      rows={rows}
      empty={<Empty title="Nobody has opened it to pay yet." />}
    />
  )
}
