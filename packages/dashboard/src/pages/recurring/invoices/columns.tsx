import type { Invoice } from '@switchyard/sdk'
import { PageLink } from '../../../ui/link.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Id, Money, Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'

export const reasonWords: { readonly [R in Invoice['reason']]: string } = {
  start: 'Beginning',
  cycle: 'Period',
  change: 'Change',
  resume: 'Resumption',
  cancel: 'End',
}

export const invoiceColumns: readonly Column<Invoice>[] = [
  {
    title: 'Number',
    cell: ({ id, number }) => <PageLink to={`/invoices/${id}`}>{number ?? <Id id={id} />}</PageLink>,
    phone: true,
  },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ total, currency }) => <Money amount={total} currency={currency} code />,
    phone: true,
  },
  { title: 'Status', cell: (row) => <InvoiceChips of={row} />, phone: true },
  { title: 'Bills', cell: ({ reason }) => reasonWords[reason], width: '110px' },
  { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} /> },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, width: '130px' },
]

export function InvoiceChips({ of }: { of: Invoice }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status of={of.status} />
      {of.overdue && <Chip tone="danger" text="Overdue" />}
      {of.payment_state === 'unknown' && <Chip tone="caution" mark="dashed" text="Payment unknown" />}
      {of.payment_state === 'in_flight' && <Chip tone="caution" mark="arrow" text="Being paid" />}
    </span>
  )
}
