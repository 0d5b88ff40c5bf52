/** The payment methods of a customer. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { AddTestCard } from '../payment-methods/add-test-card.tsx'
import { AttachMethod, DetachMethod } from '../payment-methods/attach.tsx'
import { methodColumns } from '../payment-methods/columns.tsx'

export function MethodsPanel({ customerId }: { customerId: string }) {
  const disabledReasonFor = useDisabledReason()
  const { workspace } = useWorkspace()
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
      <Button
        compact
        disabledReason={disabledReasonFor('payment_methods.detach')}
        onClick={() => setOpen(method)}
      >
        Detach card…
      </Button>
    ),
  }
  return (
    <Panel
      title="Payment methods"
      flush
      titleExtra={
        <>
          {workspace.mode === 'test' && (
            <Button
              compact
              disabledReason={disabledReasonFor('payment_methods.create')}
              onClick={() => setOpen('add')}
            >
              Add test card
            </Button>
          )}
          <Button
            compact
            disabledReason={disabledReasonFor('payment_methods.attach')}
            onClick={() => setOpen('attach')}
          >
            Attach payment method…
          </Button>
        </>
      }
    >
      <DataTable
        label="Customer’s payment methods"
        columns={[...methodColumns, detach]}
        rows={rows}
        to={({ id }) => `/payment-methods/${id}`}
        empty={<Empty title="No payment methods yet." />}
      />
      {open === 'attach' && <AttachMethod customerId={customerId} close={close} />}
      {open === 'add' && <AddTestCard customerId={customerId} close={close} />}
      {open !== null && typeof open !== 'string' && <DetachMethod method={open} close={close} />}
    </Panel>
  )
}
