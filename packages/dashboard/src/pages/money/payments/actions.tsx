/** What can be done with a payment in its state. What the role does not allow stays visible and says why. */
import type { Operation, Payment } from '@switchyard/sdk'
import { type ComponentType, useState } from 'react'
import { useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { OutLink } from '../../../ui/link.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { CopyButton } from '../../../ui/values.tsx'
import { CancelPayment } from './cancel.tsx'
import { CapturePayment } from './capture.tsx'
import { CheckPayment } from './check.tsx'
import { EditPayment } from './edit.tsx'
import { RefundPayment } from './refund.tsx'
import { ResolvePayment } from './resolve.tsx'
import { actionsOf, type PaymentAction } from './state.ts'

export type ActProps = { payment: Payment; operations: readonly Operation[]; close: () => void }

type Act = {
  readonly text: string
  readonly operation: string
  readonly Dialog: ComponentType<ActProps>
}

const acts: { readonly [A in PaymentAction]: Act } = {
  capture: { text: 'Capture…', operation: 'payments.capture', Dialog: CapturePayment },
  refund: { text: 'Refund…', operation: 'refunds.create', Dialog: RefundPayment },
  check: { text: 'Check now…', operation: 'payments.check', Dialog: CheckPayment },
  resolve: { text: 'Resolve…', operation: 'payments.resolve_operation', Dialog: ResolvePayment },
  cancel: { text: 'Cancel payment…', operation: 'payments.cancel', Dialog: CancelPayment },
}

const onlyAdmins = 'Only admins can resolve a review.'

export function Actions({ payment, operations }: { payment: Payment; operations: readonly Operation[] }) {
  const may = useMay()
  const [open, setOpen] = useState<PaymentAction | 'edit' | null>(null)
  const legal = actionsOf(payment, operations)
  const close = () => setOpen(null)
  const Dialog = open === null || open === 'edit' ? null : acts[open].Dialog
  return (
    <>
      {payment.next_action !== null && (
        <>
          <OutLink href={payment.next_action.url}>Open the bank’s page</OutLink>
          <CopyButton text={payment.next_action.url} label="Copy the payer’s link" />
        </>
      )}
      {legal.map((action, index) => (
        <Button
          key={action}
          look={lookOf(action, index)}
          refused={may(acts[action].operation, action === 'resolve' ? onlyAdmins : undefined)}
          onClick={() => setOpen(action)}
        >
          {acts[action].text}
        </Button>
      ))}
      <Menu
        label="More about this payment"
        items={[
          { text: 'Edit description…', refused: may('payments.update'), onSelect: () => setOpen('edit') },
          { text: 'Copy id', onSelect: () => void navigator.clipboard.writeText(payment.id) },
        ]}
      />
      {Dialog !== null && <Dialog payment={payment} operations={operations} close={close} />}
      {open === 'edit' && <EditPayment payment={payment} close={close} />}
    </>
  )
}

function lookOf(action: PaymentAction, index: number): 'primary' | 'plain' | 'danger' {
  if (action === 'cancel') return 'danger'
  return index === 0 ? 'primary' : 'plain'
}
