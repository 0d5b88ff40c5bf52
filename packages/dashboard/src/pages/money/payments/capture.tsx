/** Takes what is held, or a part of it. */
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { amountOf, moneyText, plainAmount } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { AmountField, CheckField } from '../../../ui/fields.tsx'
import type { ActProps } from './actions.tsx'

export function CapturePayment({ payment, close }: ActProps) {
  const api = useApi()
  const reread = useReread()
  const { id, currency, amount_capturable: held } = payment
  const [typed, setTyped] = useState(() => plainAmount(held, currency))
  const [isFinal, setFinal] = useState(true)
  const amount = amountOf(typed, currency)
  const isPart = amount !== null && amount < held
  const wrong = amount === null ? null : amountFault(amount, held, moneyText(held, currency))
  const body = isPart ? { amount, final: isFinal } : {}
  return (
    <ActionDialog
      title="Capture payment"
      intro={`${moneyText(held, currency)} is held and can be captured.`}
      submit={amount === null ? 'Capture' : `Capture ${moneyText(amount, currency)}`}
      refused={amount === null ? 'Type an amount first.' : wrong}
      call={{
        method: 'POST',
        path: `/payments/${id}/capture`,
        body,
        sdk: { method: 'payments.capture', args: [id, body] },
      }}
      run={(key) => api.payments.capture(id, body, key)}
      done={amount === null ? 'Captured' : `Captured ${moneyText(amount, currency)}`}
      onDone={() => {
        close()
        void reread('payment')
      }}
      onCancel={close}
    >
      <AmountField
        label="Amount to capture"
        pointer="/amount"
        currency={currency}
        value={typed}
        error={wrong}
        onChange={setTyped}
      />
      {isPart && (
        <CheckField
          label={`Let go of the other ${moneyText(held - amount, currency)}`}
          hint="Without this it stays held, and can be captured later."
          checked={isFinal}
          onChange={setFinal}
        />
      )}
      <p className="text-ink2">{effectOf({ amount, held, currency, isFinal })}</p>
    </ActionDialog>
  )
}

export function amountFault(amount: number, most: number, mostText: string): string | null {
  if (amount > most) return `At most ${mostText}.`
  return amount === 0 ? 'More than nothing.' : null
}

function effectOf(of: { amount: number | null; held: number; currency: string; isFinal: boolean }): string {
  const { amount, held, currency, isFinal } = of
  if (amount === null || amount > held || amount === 0) return 'Nothing is sent yet.'
  const taken = `The payer is charged ${moneyText(amount, currency)} now.`
  if (amount === held) return `${taken} Nothing stays held.`
  const rest = moneyText(held - amount, currency)
  return isFinal ? `${taken} ${rest} is let go and cannot be captured later.` : `${taken} ${rest} stays held.`
}
