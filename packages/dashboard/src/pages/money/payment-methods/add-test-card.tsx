/** A test card as a payment method: a token, then verified, then attached if it is for somebody. */
import type { Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { CheckField, SelectField } from '../../../ui/fields.tsx'
import { useGo } from '../../../ui/link.tsx'
import { keyOfToken, testCards, tokenBody } from '../test-cards.ts'

export function AddTestCard({ customerId, close }: { customerId?: string; close: () => void }) {
  const api = useApi()
  const go = useGo()
  const reread = useReread()
  const [number, setNumber] = useState<string>(testCards[0].number)
  const [isForLater, setForLater] = useState(true)
  const card = tokenBody(number)
  const body = isForLater ? { usage: 'off_session' as const } : {}
  const shown = { ...body, token: 'token_test_…' }
  const run = async (key: { idempotencyKey: string }) => {
    const made = await add(api, { card, body, customerId, key })
    await reread('payment_method', 'payment')
    if (made !== null) go(made)
  }
  return (
    <ActionDialog
      title="Add a test card"
      intro={
        customerId === undefined
          ? 'The card is verified at the simulated provider. It can pay once it is attached to a customer.'
          : 'The card is verified at the simulated provider, and attached to this customer.'
      }
      submit="Verify the card"
      call={{
        method: 'POST',
        path: '/payment-methods',
        body: shown,
        sdk: { method: 'paymentMethods.create', args: [shown] },
      }}
      run={run}
      done="Payment method added"
      onDone={close}
    >
      <SelectField
        label="Test card"
        value={number}
        onChange={setNumber}
        options={testCards.map((one) => ({ value: one.number, text: one.text }))}
      />
      <CheckField
        label="May be charged while the payer is not there"
        hint="For subscriptions: the usage is off_session then."
        checked={isForLater}
        onChange={setForLater}
      />
      <CodeCall
        title="Show the token as API call"
        call={{ method: 'POST', path: '/tokens', body: card, sdk: { method: 'tokens.create', args: [card] } }}
      />
    </ActionDialog>
  )
}

type Asked = {
  readonly card: ReturnType<typeof tokenBody>
  readonly body: { readonly usage?: 'off_session' }
  readonly customerId: string | undefined
  readonly key: { readonly idempotencyKey: string }
}

/** Where to look next; null: where one is. If the payer has to act first, that is a payment. */
async function add(api: Switchyard, { card, body, customerId, key }: Asked): Promise<string | null> {
  const token = await api.tokens.create(card, keyOfToken(key))
  const made = await api.paymentMethods.create({ ...body, token: token.id }, key)
  if (made.object === 'payment') return `/payments/${made.id}`
  if (customerId === undefined) return `/payment-methods/${made.id}`
  await api.paymentMethods.attach(made.id, { customer_id: customerId })
  return null
}
