/** The credit notes of an invoice or a customer, with their PDFs. */
import type { CreditNote } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { PdfButton } from './pdf.tsx'

const reasonTexts: { readonly [R in CreditNote['reason']]: string } = {
  duplicate: 'Duplicate',
  product_unsatisfactory: 'Product unsatisfactory',
  order_change: 'Order changed',
  order_cancelled: 'Order cancelled',
  other: 'Other',
  void: 'Invoice voided',
}

const columns: readonly Column<CreditNote>[] = [
  { title: 'Number', cell: ({ number }) => number, phone: true },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ total, currency }) => <Money amount={total} currency={currency} showCode />,
    phone: true,
  },
  { title: 'Reason', cell: ({ reason }) => reasonTexts[reason] },
  { title: 'Status', cell: ({ status }) => <Status status={status} />, phone: true },
  {
    title: 'Issued',
    cell: ({ created_at, test_clock_id }) => <Time at={created_at} clock={test_clock_id} />,
  },
  { title: 'PDF', cell: (note) => <CreditNotePdf note={note} /> },
]

type Props = { readonly of: 'invoice' | 'customer'; readonly id: string }

export function CreditNotes({ of, id }: Props) {
  const rows = useRows(['credit_note', of, id], (api, page) =>
    api.creditNotes.list({ ...(of === 'invoice' ? { invoice_id: id } : { customer_id: id }), ...page }),
  )
  return (
    <DataTable
      label="Credit notes"
      columns={columns}
      rows={rows}
      {...(of === 'invoice' ? {} : { to: ({ invoice_id }: CreditNote) => `/invoices/${invoice_id}` })}
      empty={<Empty title="No credit notes yet." />}
    />
  )
}

function CreditNotePdf({ note: { id, number } }: { note: CreditNote }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  return (
    <PdfButton
      name={number}
      load={() => api.creditNotes.pdf(id)}
      disabledReason={disabledReasonFor('credit_notes.pdf')}
    />
  )
}
