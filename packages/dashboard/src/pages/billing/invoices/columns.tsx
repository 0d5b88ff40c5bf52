import type { Invoice } from '@switchyard/sdk'
import { PageLink } from '../../../ui/link.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Id, Money, Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'

export const reasonLabels: { readonly [R in Invoice['reason']]: string } = {
  start: 'Start',
  cycle: 'Period',
  change: 'Change',
  resume: 'Resume',
  cancel: 'Cancellation',
  one_off: 'One-off',
  usage: 'Usage',
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
    cell: ({ total, currency }) => <Money amount={total} currency={currency} showCode />,
    phone: true,
  },
  { title: 'Status', cell: (row) => <InvoiceStatus invoice={row} />, phone: true },
  { title: 'Billing reason', cell: ({ reason }) => reasonLabels[reason], width: '110px' },
  { title: 'Customer', cell: ({ customer_id }) => <CustomerName id={customer_id} /> },
  {
    title: 'Created',
    cell: ({ created_at, test_clock_id }) => <Time at={created_at} clock={test_clock_id} />,
    width: '130px',
  },
]

export function InvoiceStatus({ invoice }: { invoice: Invoice }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status status={invoice.status} />
      {invoice.overdue && <Chip tone="danger" text="Overdue" />}
      {invoice.payment_state === 'unknown' && <Chip tone="warning" mark="dashed" text="Payment unknown" />}
      {invoice.payment_state === 'in_flight' && (
        <Chip tone="warning" mark="arrow" text="Payment in progress" />
      )}
    </span>
  )
}
