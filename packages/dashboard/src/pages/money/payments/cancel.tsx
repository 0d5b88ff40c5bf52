/** Lets go of what is held, or asks to undo what is not known. */
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import type { ActProps } from './actions.tsx'

export function CancelPayment({ payment, close }: ActProps) {
  const api = useApi()
  const reread = useReread()
  const { id } = payment
  return (
    <ActionDialog
      title="Cancel payment"
      danger
      intro={effectOf(payment)}
      submit={`Cancel ${moneyText(payment.amount, payment.currency)}`}
      call={{
        method: 'POST',
        path: `/payments/${id}/cancel`,
        sdk: { method: 'payments.cancel', args: [id] },
      }}
      run={(key) => api.payments.cancel(id, key)}
      done="Cancellation asked for"
      onDone={() => {
        close()
        void reread('payment')
      }}
      onCancel={close}
    />
  )
}

function effectOf({
  status,
  amount_capturable: held,
  amount_captured: taken,
  currency,
}: ActProps['payment']): string {
  if (status === 'requires_capture') {
    const kept = taken === 0 ? '' : ` ${moneyText(taken, currency)} was captured before and stays captured.`
    return `${moneyText(held, currency)} is let go, and the payer is not charged.${kept} It cannot be undone.`
  }
  if (status === 'requires_action')
    return 'The payer cannot go on at the bank, and nothing is taken. It cannot be undone.'
  return 'It is not known yet what became of it. The provider is asked, and what it took is given back.'
}
