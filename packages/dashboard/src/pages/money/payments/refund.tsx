/** Gives back what was taken, or a part of it. */
import type { CreateRefund } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { cardText } from '../../../format/card.ts'
import { amountOf, moneyText, plainAmount } from '../../../format/money.ts'
import { words } from '../../../format/words.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField } from '../../../ui/fields.tsx'
import type { ActProps } from './actions.tsx'
import { amountFault } from './capture.tsx'
import { leftToRefund } from './state.ts'

type Reason = NonNullable<CreateRefund['reason']>
const reasons: readonly Reason[] = ['requested_by_customer', 'duplicate', 'fraudulent', 'other']

export function RefundPayment({ payment, close }: ActProps) {
  const api = useApi()
  const reread = useReread()
  const { id, currency } = payment
  const left = leftToRefund(payment)
  const [typed, setTyped] = useState(() => plainAmount(left, currency))
  const [reason, setReason] = useState<Reason>('requested_by_customer')
  const amount = amountOf(typed, currency)
  const wrong = amount === null ? null : amountFault(amount, left, moneyText(left, currency))
  const money = amount === null ? '' : ` ${moneyText(amount, currency)}`
  const body = { payment_id: id, ...(amount === null ? {} : { amount }), reason }
  return (
    <ActionDialog
      title="Refund payment"
      intro={introOf(payment)}
      submit={`Refund${money}`}
      refused={amount === null ? 'Type an amount first.' : wrong}
      call={{
        method: 'POST',
        path: '/refunds',
        body,
        sdk: { method: 'refunds.create', args: [body] },
      }}
      run={(key) => api.refunds.create(body, key)}
      done={`Refund of${money} asked for`}
      onDone={() => {
        close()
        void reread('payment', 'refund')
      }}
      onCancel={close}
    >
      <AmountField
        label="Amount to refund"
        pointer="/amount"
        currency={currency}
        value={typed}
        error={wrong}
        hint={`${moneyText(left, currency)} is left to refund.`}
        onChange={setTyped}
      />
      <SelectField
        label="Reason"
        pointer="/reason"
        value={reason}
        onChange={(value) => setReason(value as Reason)}
        options={reasons.map((value) => ({ value, text: words(value) }))}
      />
      <p className="text-ink2">
        It goes back to {cardText(payment.card)}. Providers take some days; until one confirms it, the refund
        is pending.
      </p>
    </ActionDialog>
  )
}

function introOf(payment: ActProps['payment']): string {
  const { currency, amount_captured: taken, amount_refunded: back, amount_refunding: onItsWay } = payment
  const gone = back + onItsWay
  const before =
    gone === 0 ? '' : ` ${moneyText(gone, currency)} of it was refunded before, or is on its way.`
  return `${moneyText(taken, currency)} was captured.${before}`
}
