import type { Invoice, Subscription } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { invoiceColumns } from '../invoices/columns.tsx'

export function SubscriptionInvoices({ subscription: { id } }: { subscription: Subscription }) {
  const rows = useRows<Invoice>(['invoice', { subscription_id: id }], (api, page) =>
    api.invoices.list({ subscription_id: id, ...page }),
  )
  return (
    <DataTable
      label="Subscription invoices"
      columns={invoiceColumns.filter(({ title }) => title !== 'Customer')}
      rows={rows}
      to={(invoice) => `/invoices/${invoice.id}`}
      empty={<Empty title="No invoices yet." />}
    />
  )
}
