/** The checkout sessions of a link: who paid, or tried to. */
import type { CheckoutSession } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { payerText, sessionStatus } from './link-text.ts'

const columns: readonly Column<CheckoutSession>[] = [
  {
    title: 'Amount',
    align: 'right',
    width: '130px',
    phone: true,
    cell: ({ amount, currency }) =>
      amount === null ? '–' : <Money amount={amount} currency={currency} showCode />,
  },
  { title: 'Status', width: '140px', phone: true, cell: (row) => <Status status={sessionStatus(row)} /> },
  { title: 'Payment', phone: true, cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
  { title: 'Subscription', cell: ({ subscription_id }) => <ObjectLink id={subscription_id} /> },
  { title: 'Payer', phone: true, cell: ({ payer }) => payerText(payer) ?? '–' },
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
      label="Checkout sessions of this link"
      columns={columns}
      rows={rows}
      empty={<Empty title="No payments yet." />}
    />
  )
}
