/** Refunds a payment, in full or in part. */
import type { CreateRefund } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { methodText } from '../../../format/card.ts'
import { amountOf, moneyText, plainAmount } from '../../../format/money.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, SelectField } from '../../../ui/fields.tsx'
import type { ActionProps } from './actions.tsx'
import { amountError } from './capture.tsx'
import { refundableAmount } from './state.ts'

type Reason = NonNullable<CreateRefund['reason']>
const reasons: readonly Reason[] = ['requested_by_customer', 'duplicate', 'fraudulent', 'other']

export function RefundPayment({ payment, close }: ActionProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id, currency } = payment
  const refundable = refundableAmount(payment)
  const [typedAmount, setTypedAmount] = useState(() => plainAmount(refundable, currency))
  const [reason, setReason] = useState<Reason>('requested_by_customer')
  const amount = amountOf(typedAmount, currency)
  const error = amount === null ? null : amountError(amount, refundable, moneyText(refundable, currency))
  const money = amount === null ? '' : ` ${moneyText(amount, currency)}`
  const body = { payment_id: id, ...(amount === null ? {} : { amount }), reason }
  return (
    <ActionDialog
      title="Refund payment"
      intro={introOf(payment)}
      submit={`Refund${money}`}
      disabledReason={amount === null ? 'Enter an amount first.' : error}
      call={{
        method: 'POST',
        path: '/refunds',
        body,
        sdk: { method: 'refunds.create', args: [body] },
      }}
      run={(key) => api.refunds.create(body, key)}
      successMessage={`Refund of${money} requested`}
      onDone={() => {
        close()
        void invalidate('payment', 'refund')
      }}
      onCancel={close}
    >
      <AmountField
        label="Amount to refund"
        pointer="/amount"
        currency={currency}
        value={typedAmount}
        error={error}
        hint={`Up to ${moneyText(refundable, currency)} can be refunded.`}
        onChange={setTypedAmount}
      />
      <SelectField
        label="Reason"
        pointer="/reason"
        value={reason}
        onChange={(value) => setReason(value as Reason)}
        options={reasons.map((value) => ({ value, text: sentenceCase(value) }))}
      />
      <p className="text-ink2">
        The money is refunded to {methodText(payment)}. This can take a few days. The refund is pending until
        the provider confirms it.
      </p>
    </ActionDialog>
  )
}

function introOf(payment: ActionProps['payment']): string {
  const {
    currency,
    amount_captured: captured,
    amount_refunded: refunded,
    amount_refunding: pending,
  } = payment
  const refundedOrPending = refunded + pending
  const before =
    refundedOrPending === 0
      ? ''
      : ` ${moneyText(refundedOrPending, currency)} of it was already refunded or has a pending refund.`
  return `${moneyText(captured, currency)} was captured.${before}`
}
