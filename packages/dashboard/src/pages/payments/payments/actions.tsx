/** The actions that the state of a payment allows. Actions that the role does not permit are disabled, with a reason. */
import type { Operation, Payment } from '@switchyard/sdk'
import { type ComponentType, useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { ExternalLink } from '../../../ui/link.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { CopyButton } from '../../../ui/values.tsx'
import { CancelPayment } from './cancel.tsx'
import { CapturePayment } from './capture.tsx'
import { CheckPayment } from './check.tsx'
import { EditPayment } from './edit.tsx'
import { RefundPayment } from './refund.tsx'
import { ResolvePayment } from './resolve.tsx'
import { actionsOf, type PaymentAction } from './state.ts'

export type ActionProps = { payment: Payment; operations: readonly Operation[]; close: () => void }

type ActionInfo = {
  readonly text: string
  readonly operation: string
  readonly Dialog: ComponentType<ActionProps>
}

const actionInfos: { readonly [A in PaymentAction]: ActionInfo } = {
  capture: { text: 'Capture…', operation: 'payments.capture', Dialog: CapturePayment },
  refund: { text: 'Refund…', operation: 'refunds.create', Dialog: RefundPayment },
  check: { text: 'Check now…', operation: 'payments.check', Dialog: CheckPayment },
  resolve: { text: 'Resolve…', operation: 'payments.resolve_operation', Dialog: ResolvePayment },
  cancel: { text: 'Cancel payment…', operation: 'payments.cancel', Dialog: CancelPayment },
}

const onlyAdmins = 'Only admins can resolve a review.'

export function Actions({ payment, operations }: { payment: Payment; operations: readonly Operation[] }) {
  const disabledReasonFor = useDisabledReason()
  const [open, setOpen] = useState<PaymentAction | 'edit' | null>(null)
  const available = actionsOf(payment, operations)
  const close = () => setOpen(null)
  const Dialog = open === null || open === 'edit' ? null : actionInfos[open].Dialog
  return (
    <>
      {payment.next_action !== null && (
        <>
          <ExternalLink href={payment.next_action.url}>Open bank page</ExternalLink>
          <CopyButton text={payment.next_action.url} label="Copy payer’s link" />
        </>
      )}
      {available.map((action, index) => (
        <Button
          key={action}
          variant={variantOf(action, index)}
          disabledReason={disabledReasonFor(
            actionInfos[action].operation,
            action === 'resolve' ? onlyAdmins : undefined,
          )}
          onClick={() => setOpen(action)}
        >
          {actionInfos[action].text}
        </Button>
      ))}
      <Menu
        label="More actions"
        items={[
          {
            text: 'Edit description…',
            disabledReason: disabledReasonFor('payments.update'),
            onSelect: () => setOpen('edit'),
          },
          { text: 'Copy ID', onSelect: () => void navigator.clipboard.writeText(payment.id) },
        ]}
      />
      {Dialog !== null && <Dialog payment={payment} operations={operations} close={close} />}
      {open === 'edit' && <EditPayment payment={payment} close={close} />}
    </>
  )
}

function variantOf(action: PaymentAction, index: number): 'primary' | 'plain' | 'danger' {
  if (action === 'cancel') return 'danger'
  return index === 0 ? 'primary' : 'plain'
}
