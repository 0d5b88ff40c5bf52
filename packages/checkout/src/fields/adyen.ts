/**
 * The Card component of Adyen. It returns the parts of the card encrypted for Adyen; the server sends them with the
 * payment. If the bank requires authentication, Adyen redirects the payer.
 *
 * Sources: docs.adyen.com/payment-methods/cards/web-component and docs.adyen.com/payment-methods/cards/custom-card-integration.
 */
import { brandFrom, loadScript, type Mount, shownCard } from './adapter.ts'

const version = '6.33.0'

type PaymentMethod = Readonly<Record<string, string | undefined>>
type State = { readonly isValid: boolean; readonly data: { readonly paymentMethod: PaymentMethod } }
type CardComponent = {
  mount(at: HTMLElement): unknown
  unmount(): void
  showValidation(): void
}
type AdyenWeb = {
  AdyenCheckout(options: object): Promise<object>
  Card: new (checkout: object, options: object) => CardComponent
}

const encryptedParts = [
  'encryptedCardNumber',
  'encryptedExpiryMonth',
  'encryptedExpiryYear',
  'encryptedSecurityCode',
]

export const mount: Mount = async (at, { config, amount, currency, locale }) => {
  const { client_key: clientKey, environment = 'test' } = config
  const base = `https://checkoutshopper-${environment}.adyen.com/checkoutshopper/sdk/${version}`
  loadStyles(`${base}/adyen.css`)
  const { AdyenCheckout, Card } = await loadScript<AdyenWeb>(`${base}/adyen.js`, 'AdyenWeb')
  const checkout = await AdyenCheckout({
    clientKey,
    environment,
    locale,
    countryCode: new Intl.Locale(navigator.language).maximize().region,
    amount: { value: amount, currency: currency.toUpperCase() },
    analytics: { enabled: false },
    paymentMethodsResponse: { paymentMethods: [{ type: 'scheme', name: 'Cards' }] },
  })
  let state: State | null = null
  let brand = ''
  let last4: string | null = null
  const card = await new Promise<CardComponent>((resolve, reject) => {
    const component: CardComponent = new Card(checkout, {
      hasHolderName: false,
      showPayButton: false,
      onChange: (next: State) => {
        state = next
      },
      onBrand: (event: { readonly brand?: string }) => {
        brand = event.brand ?? ''
      },
      onFieldValid: (event: { readonly endDigits?: string }) => {
        last4 = event.endDigits ?? last4
      },
      onConfigSuccess: () => resolve(component),
      onError: reject,
    })
    component.mount(at)
  })
  return {
    async tokenize() {
      const { isValid = false, data } = state ?? {}
      if (!isValid || data === undefined) {
        card.showValidation()
        return { is: 'invalid' }
      }
      const parts = encryptedParts.map((name) => [name, data.paymentMethod[name]] as const)
      if (parts.some(([, value]) => value === undefined)) return { is: 'failed' }
      const isLast4 = /^\d{4}$/.test(last4 ?? '')
      return {
        is: 'token',
        token: JSON.stringify(Object.fromEntries(parts)),
        card: shownCard({ brand: brandFrom(brand), last4: isLast4 ? last4 : null }),
      }
    },
    destroy: () => card.unmount(),
  }
}

function loadStyles(url: string): void {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = url
  document.head.append(link)
}
