/** Adds a test card as a payment method: creates a token, verifies the card, and attaches it to a customer, if any. */
import type { Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CodeCall } from '../../../ui/code.tsx'
import { CheckField, SelectField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { testCards, tokenBody, tokenRequestKey } from '../test-cards.ts'

export function AddTestCard({ customerId, close }: { customerId?: string; close: () => void }) {
  const api = useApi()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const [number, setNumber] = useState<string>(testCards[0].number)
  const [allowsOffSession, setAllowsOffSession] = useState(true)
  const card = tokenBody(number)
  const body = allowsOffSession ? { usage: 'off_session' as const } : {}
  const exampleBody = { ...body, token: 'token_test_…' }
  const run = async (key: { idempotencyKey: string }) => {
    const nextPage = await addCard(api, { card, body, customerId, key })
    await invalidate('payment_method', 'payment')
    if (nextPage !== null) openPage(nextPage)
  }
  return (
    <ActionDialog
      title="Add test card"
      intro={
        customerId === undefined
          ? 'The simulated provider verifies the card. It can be charged once it is attached to a customer.'
          : 'The simulated provider verifies the card, and it is attached to this customer.'
      }
      submit="Verify card"
      call={{
        method: 'POST',
        path: '/payment-methods',
        body: exampleBody,
        sdk: { method: 'paymentMethods.create', args: [exampleBody] },
      }}
      run={run}
      successMessage="Payment method added"
      onDone={close}
    >
      <SelectField
        label="Test card"
        value={number}
        onChange={setNumber}
        options={testCards.map((one) => ({ value: one.number, text: one.text }))}
      />
      <CheckField
        label="Allow off-session charges"
        hint="Required for subscriptions. Sets the usage to off_session."
        checked={allowsOffSession}
        onChange={setAllowsOffSession}
      />
      <CodeCall
        title="Show token creation as API call"
        call={{ method: 'POST', path: '/tokens', body: card, sdk: { method: 'tokens.create', args: [card] } }}
      />
    </ActionDialog>
  )
}

type AddCardInput = {
  readonly card: ReturnType<typeof tokenBody>
  readonly body: { readonly usage?: 'off_session' }
  readonly customerId: string | undefined
  readonly key: { readonly idempotencyKey: string }
}

/** Returns the page to open next, or null to stay. If the payer must authenticate first, it is the payment page. */
async function addCard(
  api: Switchyard,
  { card, body, customerId, key }: AddCardInput,
): Promise<string | null> {
  const token = await api.tokens.create(card, tokenRequestKey(key))
  const created = await api.paymentMethods.create({ ...body, token: token.id }, key)
  if (created.object === 'payment') return `/payments/${created.id}`
  if (customerId === undefined) return `/payment-methods/${created.id}`
  await api.paymentMethods.attach(created.id, { customer_id: customerId })
  return null
}
