/** Captures an authorized payment, in full or in part. */
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { amountOf, moneyText, plainAmount } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, CheckField } from '../../../ui/fields.tsx'
import type { ActionProps } from './actions.tsx'

export function CapturePayment({ payment, close }: ActionProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { id, currency, amount_capturable: capturable } = payment
  const [typedAmount, setTypedAmount] = useState(() => plainAmount(capturable, currency))
  const [isFinal, setFinal] = useState(true)
  const amount = amountOf(typedAmount, currency)
  const isPart = amount !== null && amount < capturable
  const error = amount === null ? null : amountError(amount, capturable, moneyText(capturable, currency))
  const body = isPart ? { amount, final: isFinal } : {}
  return (
    <ActionDialog
      title="Capture payment"
      intro={`${moneyText(capturable, currency)} is authorized and can be captured.`}
      submit={amount === null ? 'Capture' : `Capture ${moneyText(amount, currency)}`}
      disabledReason={amount === null ? 'Enter an amount first.' : error}
      call={{
        method: 'POST',
        path: `/payments/${id}/capture`,
        body,
        sdk: { method: 'payments.capture', args: [id, body] },
      }}
      run={(key) => api.payments.capture(id, body, key)}
      successMessage={amount === null ? 'Captured' : `Captured ${moneyText(amount, currency)}`}
      onDone={() => {
        close()
        void invalidate('payment')
      }}
      onCancel={close}
    >
      <AmountField
        label="Amount to capture"
        pointer="/amount"
        currency={currency}
        value={typedAmount}
        error={error}
        onChange={setTypedAmount}
      />
      {isPart && (
        <CheckField
          label={`Void the remaining ${moneyText(capturable - amount, currency)}`}
          hint="Otherwise it stays authorized and can be captured later."
          checked={isFinal}
          onChange={setFinal}
        />
      )}
      <p className="text-ink2">{effectOf({ amount, capturable, currency, isFinal })}</p>
    </ActionDialog>
  )
}

export function amountError(amount: number, max: number, maxText: string): string | null {
  if (amount > max) return `At most ${maxText}.`
  return amount === 0 ? 'Enter an amount greater than zero.' : null
}

function effectOf(capture: {
  amount: number | null
  capturable: number
  currency: string
  isFinal: boolean
}): string {
  const { amount, capturable, currency, isFinal } = capture
  if (amount === null || amount > capturable || amount === 0) return 'Nothing has been sent yet.'
  const chargedText = `The payer is charged ${moneyText(amount, currency)} now.`
  if (amount === capturable) return `${chargedText} Nothing stays authorized.`
  const rest = moneyText(capturable - amount, currency)
  return isFinal
    ? `${chargedText} ${rest} is voided and cannot be captured later.`
    : `${chargedText} ${rest} stays authorized.`
}
