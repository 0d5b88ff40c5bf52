/** What a customer can pay with. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useHere, useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { AddTestCard } from '../payment-methods/add-test-card.tsx'
import { AttachMethod, DetachMethod } from '../payment-methods/attach.tsx'
import { methodColumns } from '../payment-methods/columns.tsx'

export function MethodsPanel({ customerId }: { customerId: string }) {
  const may = useMay()
  const { workspace } = useHere()
  const [open, setOpen] = useState<'attach' | 'add' | PaymentMethod | null>(null)
  const close = () => setOpen(null)
  const rows = useRows(['payment_method', 'customer', customerId], (api, page) =>
    api.paymentMethods.list({ customer_id: customerId, ...page }),
  )
  const detach: Column<PaymentMethod> = {
    title: 'Actions',
    align: 'right',
    width: '110px',
    phone: true,
    cell: (method) => (
      <Button compact refused={may('payment_methods.detach')} onClick={() => setOpen(method)}>
        Detach…
      </Button>
    ),
  }
  return (
    <Panel
      title="Payment methods"
      flush
      beside={
        <>
          {workspace.mode === 'test' && (
            <Button compact refused={may('payment_methods.create')} onClick={() => setOpen('add')}>
              Add a test card
            </Button>
          )}
          <Button compact refused={may('payment_methods.attach')} onClick={() => setOpen('attach')}>
            Attach…
          </Button>
        </>
      }
    >
      <DataTable
        label="Payment methods of this customer"
        columns={[...methodColumns, detach]}
        rows={rows}
        to={({ id }) => `/payment-methods/${id}`}
        empty={<Empty title="This customer has nothing to pay with yet." />}
      />
      {open === 'attach' && <AttachMethod customerId={customerId} close={close} />}
      {open === 'add' && <AddTestCard customerId={customerId} close={close} />}
      {open !== null && typeof open !== 'string' && <DetachMethod method={open} close={close} />}
    </Panel>
  )
}
