import { useRows } from '../../../api/queries.ts'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { shortPaymentColumns } from '../payments/columns.tsx'

export function CustomerPayments({ customerId }: { customerId: string }) {
  const rows = useRows(['payment', 'customer', customerId], (api, page) =>
    api.payments.list({ customer_id: customerId, ...page }),
  )
  return (
    <DataTable
      label="Customer’s payments"
      columns={shortPaymentColumns}
      rows={rows}
      to={({ id }) => `/payments/${id}`}
      empty={<Empty title="No payments yet." />}
    />
  )
}
