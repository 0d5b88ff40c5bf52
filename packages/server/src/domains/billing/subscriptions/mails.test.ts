// E-mails about invoices and subscriptions. There is no mail server, so they are stored and not sent.

import { expect, test, vi } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 30_000 })

const { clock, settle, aPayer, newWorkspace } = await subscriptionsForThisFile()

/** A customer with an address and a card, whose payments have the outcomes in the script. */
async function aMailedPayer(kinds: readonly string[], script = 'approve') {
  const workspace = await newWorkspace()
  const switches = Object.fromEntries(kinds.map((kind) => [kind, true]))
  await workspace.put('/mail-settings', { kinds: switches })
  const { customerId, paymentMethodId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, { email: 'ada@example.com', locale: 'fr' })
  await workspace.put(`/payment-methods/${paymentMethodId}`, { metadata: { simulate: script } })
  return { workspace, customerId, paymentMethodId }
}

async function mailsTo({ get }: Workspace, customerId: string) {
  const { body } = await get(`/mails?customer_id=${customerId}`)
  return body.data.map(({ kind, object_id }: { kind: string; object_id: string }) => [kind, object_id])
}

test('each failed attempt of a renewal creates one e-mail, in the language of the customer', async () => {
  const { workspace, customerId } = await aMailedPayer([], 'approve, decline:51')
  await aSubscription(workspace, { customer_id: customerId })
  await settle()
  expect(await mailsTo(workspace, customerId)).toEqual([])
  clock.advance({ days: 31 })
  await settle()
  await settle()

  const [invoice] = (await workspace.get(`/invoices?customer_id=${customerId}`)).body.data
  expect(await mailsTo(workspace, customerId)).toEqual([['payment_failed', invoice.id]])
  const [mail] = (await workspace.get('/mails')).body.data
  expect((await workspace.get(`/mails/${mail.id}`)).body).toMatchObject({
    to: 'ada@example.com',
    status: 'not_sent',
    reason: 'not_configured',
    subject: 'Votre paiement à A workspace a échoué',
    text: expect.stringContaining(invoice.number),
  })

  for (let day = 0; day < 8; day += 1) {
    clock.advance({ days: 1 })
    await settle()
  }
  const { attempt_count } = (await workspace.get(`/invoices/${invoice.id}`)).body
  expect(attempt_count).toBeGreaterThan(1)
  expect(await mailsTo(workspace, customerId)).toHaveLength(attempt_count)
})

test('a bank that requires authentication creates an e-mail that asks for confirmation', async () => {
  const { workspace, customerId } = await aMailedPayer([], 'approve, decline:1A')
  await aSubscription(workspace, { customer_id: customerId })
  await settle()
  clock.advance({ days: 31 })
  await settle()

  expect(await mailsTo(workspace, customerId)).toEqual([['action_required', expect.any(String)]])
})

test('a subscription creates reminders, and e-mails about its invoices, refunds and end', async () => {
  const kinds = [
    'invoice_finalized',
    'card_expiring',
    'renewal_upcoming',
    'cancelled',
    'refunded',
    'trial_ending',
  ]
  const { workspace, customerId, paymentMethodId } = await aMailedPayer(kinds)
  const { month, year } = thisMonth()
  await workspace.put(`/payment-methods/${paymentMethodId}`, { card: { exp_month: month, exp_year: year } })
  const { id } = await aSubscription(workspace, { customer_id: customerId, trial: { days: 10 } })
  await settle()
  clock.advance({ days: 4 })
  await settle()
  expect(await mailsTo(workspace, customerId)).toEqual([['trial_ending', id]])

  clock.advance({ days: 7 })
  await settle()
  const [invoice] = (await workspace.get(`/invoices?customer_id=${customerId}`)).body.data
  await workspace.post('/refunds', { payment_id: invoice.payment_id, amount: 100 })
  await workspace.put(`/subscriptions/${id}/cancel`, { at: 'now' })
  await settle()
  // The subscription no longer renews when the reminder is due.
  clock.advance({ days: 25 })
  await settle()

  const found = await mailsTo(workspace, customerId)
  expect(found.map(([kind]: string[]) => kind).toSorted()).toEqual([...kinds, 'trial_ending'].toSorted())
  const all = (await workspace.get('/mails')).body.data
  const reminder = all.find(({ kind }: { kind: string }) => kind === 'renewal_upcoming')
  expect(reminder).toMatchObject({ object_id: id, status: 'not_sent', reason: 'outdated' })
  const card = all.find(({ kind }: { kind: string }) => kind === 'card_expiring')
  expect(card.object_id).toBe(paymentMethodId)
  expect((await workspace.get(`/mails/${card.id}`)).body.text).toContain('Visa •••• 4242')
})

test('deleting a customer erases their address from e-mails', async () => {
  const { workspace, customerId } = await aMailedPayer([], 'approve, decline:51')
  await aSubscription(workspace, { customer_id: customerId })
  await settle()
  clock.advance({ days: 31 })
  await settle()

  await workspace.delete(`/customers/${customerId}?subscriptions=cancel`)

  const { data } = (await workspace.get('/mails')).body
  expect(data).toMatchObject([{ kind: 'payment_failed', to: 'erased' }])
})

/** The card expires at the end of this month. */
function thisMonth() {
  const reading = clock.read()
  const at = reading.from === 'database' ? new Date() : reading.at
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  return { month: next.getUTCMonth() + 1, year: next.getUTCFullYear() }
}
