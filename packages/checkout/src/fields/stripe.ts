/**
 * The Payment Element of Stripe, for cards only. It returns a confirmation token, with which the server confirms the
 * payment. If the bank requires authentication, Stripe redirects the payer.
 *
 * Sources: docs.stripe.com/js/elements_object/create_without_intent, docs.stripe.com/js/confirmation_tokens and
 * docs.stripe.com/payments/finalize-payments-on-the-server.
 */
import { brandFrom, loadScript, type Mount, type Payer, shownCard, type Tokenized } from './adapter.ts'

type StripeError = { readonly type?: string }
type Element = {
  mount(at: HTMLElement): void
  destroy(): void
  on(event: 'ready' | 'loaderror', listener: () => void): void
}
type Elements = {
  create(type: 'payment', options: object): Element
  update(options: object): void
  submit(): Promise<{ readonly error?: StripeError }>
}
type Card = {
  readonly brand?: string
  readonly last4?: string
  readonly exp_month?: number
  readonly exp_year?: number
  readonly funding?: string
  readonly country?: string | null
}
type Stripe = {
  elements(options: object): Elements
  createConfirmationToken(options: object): Promise<{
    readonly error?: StripeError
    readonly confirmationToken?: {
      readonly id: string
      readonly payment_method_preview?: { readonly card?: Card }
    }
  }>
}

export const mount: Mount = async (at, { config, amount, currency, savesCard, locale }) => {
  const create = await loadScript<(key: string, options: object) => Stripe>(
    'https://js.stripe.com/v3/',
    'Stripe',
  )
  const stripe = create(config.publishable_key ?? '', { locale })
  // Must match the intent that the server creates.
  const elements = stripe.elements({
    currency,
    paymentMethodTypes: ['card'],
    ...(amount === 0 ? { mode: 'setup' } : { mode: 'payment', amount }),
    ...(savesCard && amount > 0 && { setupFutureUsage: 'off_session' }),
  })
  const element = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } })
  await new Promise<void>((resolve, reject) => {
    element.on('ready', resolve)
    element.on('loaderror', () => reject(new Error('The Payment Element cannot be loaded.')))
    element.mount(at)
  })
  return { tokenize: (payer) => tokenize(stripe, elements, payer), destroy: () => element.destroy() }
}

async function tokenize(stripe: Stripe, elements: Elements, payer: Payer): Promise<Tokenized> {
  if (payer.amount > 0) elements.update({ amount: payer.amount })
  const { error } = await elements.submit()
  if (error !== undefined) return { is: 'invalid' }
  const { name, email, returnUrl } = payer
  const created = await stripe.createConfirmationToken({
    elements,
    params: {
      payment_method_data: {
        billing_details: { ...(name !== null && { name }), ...(email !== null && { email }) },
      },
      return_url: returnUrl,
    },
  })
  const { confirmationToken } = created
  if (confirmationToken === undefined)
    return { is: created.error?.type === 'validation_error' ? 'invalid' : 'failed' }
  return {
    is: 'token',
    token: confirmationToken.id,
    card: cardOf(confirmationToken.payment_method_preview?.card),
  }
}

function cardOf(card: Card | undefined) {
  if (card === undefined) return null
  const { brand, last4, exp_month, exp_year, funding, country } = card
  return shownCard({
    brand: brandFrom(brand ?? ''),
    last4,
    exp_month,
    exp_year,
    funding: ['credit', 'debit', 'prepaid'].includes(funding ?? '') ? funding : null,
    country,
  })
}
