// Sample requests for every public route, from payers and providers, which have no API token. A new route with
// a new path parameter needs an entry here.

import { sign } from '../../../../simulator/src/signature.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { cardInput } from '../../support/cards.ts'
import { cards, createLink, payerAt } from '../../support/checkout.ts'
import type { simulatorForThisFile } from '../../support/simulator.ts'
import type { Workspace } from '../../support/switchyard.ts'

type Simulator = Awaited<ReturnType<typeof simulatorForThisFile>>

export async function createVisitor(simulator: Simulator, workspace: Workspace) {
  const { slug } = await createLink(workspace, {
    max_completions: null,
    saved_methods: { show: true },
    allow_promotion_codes: true,
  })
  const session = await payerAt(workspace.address).openSession(slug)
  const { body: accounts } = await workspace.get('/provider-accounts?limit=1')
  const accountId: string = accounts.data[0].id
  const { secrets } = await simulator.fetchConfig(accountId)
  const portal = await createPortal(workspace)
  const { body: configuration } = await workspace.get('/portal-configuration')
  const cancellationSlug = new URL(configuration.cancellation_url).pathname.replace('/k/', '')
  const params: { readonly [name: string]: string } = {
    slug,
    checkout_session_id: session.id,
    login_code_id: await createLoginCode(workspace, slug),
    provider_account_id: accountId,
    link: await createPayerLink(workspace),
    token: await createDownloadToken(workspace),
    adapter: 'postmark',
    action: 'cancel',
    type: 'cancellation',
    request_slug: 'unknown',
    subscription_id: portal.subscriptionId,
  }

  return {
    callOf: (path: string) => ({
      path: path.replaceAll(/:(\w+)/g, (_, name: string) => {
        const slugs: { readonly [start: string]: string } = { '/p/': portal.slug, '/k/': cancellationSlug }
        const value = (name === 'slug' ? slugs[path.slice(0, 3)] : undefined) ?? params[name]
        assert(value !== undefined, `Add a value for :${name} to sample-visitor.ts.`)
        return value
      }),
      headers: { 'checkout-secret': session.client_secret },
    }),
    /** Members of the body that must stay valid. */
    legalBodyOf: (path: string): object => (path.endsWith('/confirm') ? { card: cardInput } : {}),
    /** Webhooks of a provider, whose format the route does not declare. */
    async webhookBodies(
      manyValues: (members: object) => string,
    ): Promise<{ readonly [name: string]: string }> {
      const event = { id: 'event_1', type: 'operation.updated' }
      const operation = { reference: 'x'.repeat(100_000), provider_reference: 'x'.repeat(100_000) }
      return {
        'long members': JSON.stringify({ ...event, operation }),
        'many values': manyValues(event),
        'unreadable body': '['.repeat(100_000),
      }
    },
    /** The request as the provider signs it. Other routes ignore the signature. */
    sign(path: string, body: string) {
      const signed = { role: 'callback', method: 'POST', path, body } as const
      const signature = sign(signed, secrets, Math.floor(Date.now() / 1000))
      return {
        body,
        headers: { 'checkout-secret': session.client_secret, 'switchyard-signature': signature },
      }
    },
  }
}

/** The last part of the URL of a payer who must authenticate. */
async function createPayerLink({ post }: Workspace): Promise<string> {
  const card = { ...cardInput, number: cards.requiresAuthentication }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  return new URL(body.next_action.url).pathname.replace('/a/', '')
}

/** The id of a code that a payer has requested. */
async function createLoginCode({ address }: Workspace, slug: string): Promise<string> {
  const email = 'ada@example.com'
  return (await payerAt(address).call('POST', `/checkout/links/${slug}/login-codes`, { email })).body.id
}

/** A portal session of a customer with a subscription. */
async function createPortal({ post, aCustomer }: Workspace) {
  const customer_id = await aCustomer()
  const { body: product } = await post('/products', { name: 'Team plan' })
  const recurring = { interval: 'month' }
  const { body: price } = await post('/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: 2_900,
    recurring,
  })
  const items = [{ price_id: price.id }]
  const { body: subscription } = await post('/subscriptions', { customer_id, items })
  const { body: session } = await post('/portal-sessions', { customer_id })
  const slug = new URL(session.url).pathname.replace('/p/', '')
  return { slug, subscriptionId: subscription.id as string }
}

/** The last part of the URL of an exported file. */
async function createDownloadToken({ anExport, get }: Workspace): Promise<string> {
  const { body } = await get(`/exports/${await anExport()}/download`)
  return new URL(body.url).pathname.replace('/downloads/', '')
}
