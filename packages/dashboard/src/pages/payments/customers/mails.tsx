import { useRows } from '../../../api/queries.ts'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { customerMailColumns } from '../mails/columns.tsx'

export function CustomerMails({ customerId }: { customerId: string }) {
  const rows = useRows(['mail', 'customer', customerId], (api, page) =>
    api.mails.list({ customer_id: customerId, ...page }),
  )
  return (
    <DataTable
      label="Customer’s e-mails"
      columns={customerMailColumns}
      rows={rows}
      to={({ id }) => `/mails/${id}`}
      empty={<Empty title="No e-mails yet." />}
    />
  )
}
