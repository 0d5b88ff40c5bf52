/** Cancels a payment: voids its authorization, or requests a reversal while the outcome is unknown. */
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import type { ActionProps } from './actions.tsx'

export function CancelPayment({ payment, close }: ActionProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id } = payment
  return (
    <ActionDialog
      title="Cancel payment"
      danger
      intro={effectOf(payment)}
      submit="Cancel payment"
      cancelLabel="Keep payment"
      call={{
        method: 'POST',
        path: `/payments/${id}/cancel`,
        sdk: { method: 'payments.cancel', args: [id] },
      }}
      run={(key) => api.payments.cancel(id, key)}
      successMessage="Cancellation requested"
      onDone={() => {
        close()
        void invalidate('payment')
      }}
      onCancel={close}
    />
  )
}

function effectOf({
  status,
  amount_capturable: capturable,
  amount_captured: captured,
  currency,
}: ActionProps['payment']): string {
  if (status === 'requires_capture') {
    const capturedText =
      captured === 0 ? '' : ` ${moneyText(captured, currency)} was already captured and stays captured.`
    return `The authorization of ${moneyText(capturable, currency)} is voided, and the payer is not charged.${capturedText} This cannot be undone.`
  }
  if (status === 'requires_action')
    return 'The payer can no longer authenticate, and nothing is charged. This cannot be undone.'
  return 'The outcome of this payment is not known yet. We check with the provider, then void or refund anything it charged.'
}
