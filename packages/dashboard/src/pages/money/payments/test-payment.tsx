/** A real payment of the test environment, with a test card, by the two calls that a page and a server make. */
import { type CreatePayment, DeclineError } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { amountOf, moneyText } from '../../../format/money.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { useGo } from '../../../ui/link.tsx'
import { anotherCard, cardOptions, currencyOptions, keyOfToken, testCards, tokenBody } from '../test-cards.ts'

type Currency = CreatePayment['currency']

export function TestPayment({ close, customerId }: { close: () => void; customerId?: string }) {
  const api = useApi()
  const go = useGo()
  const reread = useReread()
  const [number, setNumber] = useState<string>(testCards[0].number)
  const [typed, setTyped] = useState('12.99')
  const [currency, setCurrency] = useState<Currency>('eur')
  const [capture, setCapture] = useState('automatic')
  const amount = amountOf(typed, currency)
  const known = testCards.some((one) => one.number === number) ? number : anotherCard
  const card = tokenBody(number)
  const body = bodyOf({ amount, currency, capture, customerId })
  const run = async (key: { idempotencyKey: string }) => {
    const token = await api.tokens.create(card, keyOfToken(key))
    const id = await madeBy(api.payments.create({ ...body, token: token.id }, key))
    await reread('payment')
    go(`/payments/${id}`)
  }
  return (
    <ActionDialog
      title="Make a test payment"
      intro="A real payment at the simulated provider. No money moves."
      submit={amount === null ? 'Pay' : `Pay ${moneyText(amount, currency)}`}
      refused={amount === null || amount === 0 ? 'Type an amount first.' : null}
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
        value={known}
        onChange={(value) => setNumber(value === anotherCard ? '' : value)}
        options={cardOptions}
      />
      {known === anotherCard && (
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
        <AmountField label="Amount" pointer="/amount" currency={currency} value={typed} onChange={setTyped} />
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
          { value: 'automatic', text: 'At once' },
          { value: 'manual', text: 'Hold it, capture later' },
        ]}
      />
      <CodeCall
        title="Show the token as API call"
        call={{ method: 'POST', path: '/tokens', body: card, sdk: { method: 'tokens.create', args: [card] } }}
      />
    </ActionDialog>
  )
}

/** One that is declined was made as well, and its page says why. */
async function madeBy(creating: Promise<{ id: string }>): Promise<string> {
  try {
    return (await creating).id
  } catch (cause) {
    const id = cause instanceof DeclineError ? cause.problem?.resource_id : undefined
    if (id === undefined) throw cause
    return id
  }
}

function bodyOf(of: {
  amount: number | null
  currency: Currency
  capture: string
  customerId?: string | undefined
}) {
  return {
    amount: of.amount ?? 0,
    currency: of.currency,
    ...(of.capture === 'manual' ? { capture_method: 'manual' as const } : {}),
    ...(of.customerId === undefined ? {} : { customer_id: of.customerId }),
  }
}
