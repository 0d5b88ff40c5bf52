/** Creates a test payment: creates a token for a test card, then a payment. */
import { type CreatePayment, DeclineError } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { amountOf, moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import {
  cardOptions,
  currencyOptions,
  otherCard,
  testCards,
  tokenBody,
  tokenRequestKey,
} from '../test-cards.ts'

type Currency = CreatePayment['currency']

export function TestPayment({ close, customerId }: { close: () => void; customerId?: string }) {
  const api = useApi()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [number, setNumber] = useState<string>(testCards[0].number)
  const [text, setText] = useState('12.99')
  const [currency, setCurrency] = useState<Currency>('eur')
  const [capture, setCapture] = useState('automatic')
  const amount = amountOf(text, currency)
  const selectedCard = testCards.some((one) => one.number === number) ? number : otherCard
  const card = tokenBody(number)
  const body = bodyOf({ amount, currency, capture, customerId })
  const run = async (key: { idempotencyKey: string }) => {
    const token = await api.tokens.create(card, tokenRequestKey(key))
    const id = await createdPaymentId(api.payments.create({ ...body, token: token.id }, key))
    await invalidate('payment')
    openPage(`/payments/${id}`)
  }
  return (
    <ActionDialog
      title="Create test payment"
      intro="Runs a payment at the simulated provider. No money moves."
      submit={amount === null ? 'Pay' : `Pay ${moneyText(amount, currency)}`}
      disabledReason={amount === null || amount === 0 ? 'Enter an amount first.' : null}
      call={{
        method: 'POST',
        path: '/payments',
        body: { ...body, token: 'token_test_…' },
        sdk: { method: 'payments.create', args: [{ ...body, token: 'token_test_…' }] },
      }}
      run={run}
      onDone={close}
    >
      <SelectField
        label="Test card"
        value={selectedCard}
        onChange={(value) => setNumber(value === otherCard ? '' : value)}
        options={cardOptions}
      />
      {selectedCard === otherCard && (
        <TextField
          label="Card number"
          hint="Any of the test cards in the reference."
          pointer="/card/number"
          mono
          value={number}
          onChange={setNumber}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <AmountField label="Amount" pointer="/amount" currency={currency} value={text} onChange={setText} />
        <SelectField
          label="Currency"
          pointer="/currency"
          value={currency}
          onChange={(value) => setCurrency(value as Currency)}
          options={currencyOptions}
        />
      </div>
      <SelectField
        label="Capture"
        value={capture}
        onChange={setCapture}
        options={[
          { value: 'automatic', text: 'Automatically' },
          { value: 'manual', text: 'Manually, later' },
        ]}
      />
      <CodeCall
        title="Show token creation as API call"
        call={{ method: 'POST', path: '/tokens', body: card, sdk: { method: 'tokens.create', args: [card] } }}
      />
    </ActionDialog>
  )
}

/** The id of the created payment. A declined payment is created as well, and its page shows the reason. */
async function createdPaymentId(request: Promise<{ id: string }>): Promise<string> {
  try {
    return (await request).id
  } catch (cause) {
    const id = cause instanceof DeclineError ? cause.problem?.resource_id : undefined
    if (id === undefined) throw cause
    return id
  }
}

function bodyOf(input: {
  amount: number | null
  currency: Currency
  capture: string
  customerId?: string | undefined
}) {
  return {
    amount: input.amount ?? 0,
    currency: input.currency,
    ...(input.capture === 'manual' ? { capture_method: 'manual' as const } : {}),
    ...(input.customerId === undefined ? {} : { customer_id: input.customerId }),
  }
}
