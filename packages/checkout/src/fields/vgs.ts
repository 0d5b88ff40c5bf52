/**
 * The card fields of VGS Collect, one frame each. It returns aliases of the number and of the security code,
 * and the details of the card, because VGS has no API for them. The expiry date is not tokenized: the server
 * needs it in plain text.
 *
 * Sources: docs.verygoodsecurity.com/vault/developer-tools/vgs-collect/js/reference-documentation and
 * docs.verygoodsecurity.com/vault/developer-tools/vgs-collect/js/collect-tokenization-api.
 */
import { translate } from '../translations.ts'
import { brandFrom, loadScript, type Mount, shownCard, type Tokenized } from './adapter.ts'

type NumberState = { readonly bin?: string; readonly last4?: string; readonly cardType?: string }
type State = { readonly number?: NumberState }
type Values = { readonly number?: string; readonly expiry?: string; readonly cvc?: string }
type Form = {
  setRouteId(id: string): void
  field(selector: string, options: object): { readonly promise: Promise<unknown> }
  tokenize(onResponse: (status: number | null, values: Values) => void, onInvalid: () => void): void
  unmount(): void
}
type Collect = {
  create(vaultId: string, environment: string, onState: (state: State | null) => void): Form
}

// Alias formats that look like card numbers or security codes are not used, because the server rejects them.
const secret = (storage: string) => ({ format: 'UUID', storage })
const parts = [
  ['number', 'card_number', 'card-number', 'validCardNumber', 'cc-number', secret('PERSISTENT')],
  ['expiry', 'expiry', 'card-expiration-date', 'validCardExpirationDate', 'cc-exp', false],
  ['cvc', 'code', 'card-security-code', 'validCardSecurityCode', 'cc-csc', secret('VOLATILE')],
] as const

export const mount: Mount = async (at, { config }) => {
  const { vault_id: id = '', environment = 'sandbox', route_id: route = '' } = config
  const collect = await loadScript<Collect>(
    'https://js.verygoodvault.com/vgs-collect/3.3.0/vgs-collect.js',
    'VGSCollect',
  )
  let state: State | null = null
  const form = collect.create(id, environment, (next) => {
    state = next
  })
  form.setRouteId(route)
  const { color, fontFamily } = getComputedStyle(at)
  const css = { color, fontFamily, fontSize: '16px', height: '100%', boxSizing: 'border-box' }
  const fields = parts.map(([name, text, type, validation, autoComplete, tokenization]) => {
    const label = document.createElement('label')
    const frame = document.createElement('div')
    label.textContent = translate(text)
    frame.id = `${at.id}-${name}`
    frame.className = 'framed'
    at.append(label, frame)
    return form.field(`#${frame.id}`, {
      name,
      type,
      validations: ['required', validation],
      autoComplete,
      tokenization,
      ariaLabel: translate(text),
      css,
      ...(name === 'expiry' && { yearLength: 2, placeholder: translate('expiry_hint') }),
    })
  })
  await Promise.all(fields.map(({ promise }) => promise))
  return {
    tokenize: () =>
      new Promise((resolve) => {
        form.tokenize(
          (status, values) => resolve(status === 200 ? tokenOf(values, state?.number) : { is: 'failed' }),
          () => resolve({ is: 'invalid' }),
        )
      }),
    destroy: () => {
      form.unmount()
      at.replaceChildren()
    },
  }
}

function tokenOf({ number, expiry = '', cvc }: Values, card: NumberState = {}): Tokenized {
  const [, month, year] = /^(\d\d)\D*(?:20)?(\d\d)$/.exec(expiry) ?? []
  if (number === undefined || cvc === undefined || year === undefined || card.last4 === undefined)
    return { is: 'failed' }
  return {
    is: 'token',
    token: number,
    cvcToken: cvc,
    card: shownCard({
      brand: brandFrom(card.cardType ?? '') ?? 'unknown',
      last4: card.last4,
      exp_month: Number(month),
      exp_year: 2000 + Number(year),
      bin: /^\d{6}/.exec(card.bin ?? '')?.[0],
    }),
  }
}
