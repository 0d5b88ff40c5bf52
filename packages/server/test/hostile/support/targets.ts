// All operations, and objects for their path parameters. A new operation is tested automatically.

import type { Deps } from '../../../src/deps.ts'
import { idFromUuid, idMaker, type Kind } from '../../../src/kernel/id.ts'
import { operationsOf } from '../../../src/operations.ts'
import type { Operation } from '../../../src/platform/http/operation.ts'
import type { Workspace } from '../../support/switchyard.ts'

export const operations = operationsOf({} as Deps)

/** The operations that take a JSON body. */
export const writes = operations.filter(
  ({ method, upload }) => (method === 'POST' || method === 'PUT') && upload === undefined,
)

/** Creates objects for path parameters. For other kinds `pathOf` uses an id that does not exist. */
export async function createPathParameters(workspace: Workspace): Promise<Record<string, string>> {
  const customer = await workspace.aCustomer()
  const { body: token } = await workspace.post('/api-tokens', { name: 'target', role: 'READ_ONLY' })
  const { body: events } = await workspace.get('/events?limit=1')
  // Nothing listens on this address.
  const endpoint = await workspace.anEndpoint('http://127.0.0.1:1024/webhooks')
  const { body: delivery } = await workspace.post(`/webhook-endpoints/${endpoint}/test`)
  const draft = { name: 'Cards', default: { type: 'decline' }, draft: true }
  const { body: route } = await workspace.post('/payment-routes', draft)
  const from_at = new Date(Date.now() - 3_600_000).toISOString()
  const simulate = `/payment-routes/${route.id}/simulate`
  const { body: simulation } = await workspace.post(simulate, { history: { from_at } })
  const since_at = new Date(Date.now() - 3_600_000).toISOString()
  const { body: recovery } = await workspace.post(`/webhook-endpoints/${endpoint}/recover`, { since_at })
  const order = { amount: 1299, currency: 'eur' }
  const { body: link } = await workspace.post('/payment-links', order)
  const { body: session } = await workspace.post('/checkout-sessions', order)
  const { body: product } = await workspace.post('/products', { name: 'Team plan' })
  const recurring = { interval: 'month' }
  const priceInput = { product_id: product.id, currency: 'eur', unit_amount: 2999, recurring }
  const { body: price } = await workspace.post('/prices', priceInput)
  const { body: clock } = await workspace.post('/test-clocks', {})
  const subscriptionInput = { customer_id: customer, items: [{ price_id: price.id }], trial: { days: 14 } }
  const { body: subscription } = await workspace.post('/subscriptions', subscriptionInput)
  const couponInput = { name: 'Spring offer', percent_off: '20', duration: 'once' }
  const { body: coupon } = await workspace.post('/coupons', couponInput)
  const period = { from: '2026-11-01', to: '2026-11-30' }
  const { body: exported } = await workspace.post('/exports', { of: 'payments', format: 'csv', ...period })
  const invitationInput = { email: 'grace@example.com', role: 'READ_ONLY' }
  const { body: invitation } = await workspace.post('/invitations', invitationInput)
  return {
    customer_id: customer,
    person_id: (await workspace.aPerson()).id,
    invitation_id: invitation.id,
    test_clock_id: clock.id,
    product_id: product.id,
    price_id: price.id,
    dunning_campaign_id: await workspace.aCampaign(),
    coupon_id: coupon.id,
    promotion_code_id: (await workspace.post('/promotion-codes', { coupon_id: coupon.id, code: 'SPRING20' }))
      .body.id,
    dunning_policy_id: (await workspace.post('/dunning-policies', { name: 'Patient' })).body.id,
    usage_alert_id: await workspace.aTriggeredAlert(),
    invoice_id: await workspace.anInvoice(),
    subscription_id: subscription.id,
    payment_link_id: link.id,
    checkout_session_id: session.id,
    api_token_id: token.id,
    event_id: events.data[0].id,
    payment_route_id: route.id,
    revision: '1',
    export_id: exported.id,
    route_simulation_id: simulation.id,
    webhook_endpoint_id: endpoint,
    delivery_id: delivery.id,
    webhook_recovery_id: recovery.id,
  }
}

export function pathOf({ path }: Operation, parameters: Record<string, string>): string {
  return path.replaceAll(/:([a-z_]+)/g, (_, name: string) => parameters[name] ?? inventId(name))
}

function inventId(parameter: string): string {
  return idFromUuid(parameter.replace(/_id$/, '') as Kind, 'test', idMaker(new Date(), 0)())
}
