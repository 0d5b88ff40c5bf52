/**
 * The interface of card fields. Each adapter wraps the browser component of a provider or vault, in whose frames the
 * payer enters the card. An adapter is loaded only if the server has selected its component.
 */

export type FieldsOptions = {
  /** Public settings of the component, such as the publishable key. */
  readonly config: Readonly<Record<string, string>>
  /** In minor units. 0 if the card is only stored. */
  readonly amount: number
  readonly currency: string
  /** Whether the seller will charge the card again later. */
  readonly savesCard: boolean
  /** Such as `de`. */
  readonly locale: string
}

/** What is known about the payer when the form is submitted. */
export type Payer = {
  readonly amount: number
  readonly name: string | null
  readonly email: string | null
  readonly returnUrl: string
}

/** The card as the component describes it. Members that it does not report are missing. */
export type ShownCard = Readonly<Record<string, string | number>>

export type Tokenized =
  | {
      readonly is: 'token'
      readonly token: string
      readonly card: ShownCard | null
      /** The token of the security code, if the vault has a separate one. */
      readonly cvcToken?: string
    }
  /** `invalid`: the component shows what the payer must correct. */
  | { readonly is: 'invalid' | 'failed' }

export type Mounted = {
  tokenize(payer: Payer): Promise<Tokenized>
  destroy(): void
}

/** Resolves when the payer can type. Rejects if the component cannot be used. */
export type Mount = (at: HTMLElement, options: FieldsOptions) => Promise<Mounted>

/** Loads the script of a component, which defines a global variable. */
export function loadScript<Global>(url: string, name: string): Promise<Global> {
  const globals = window as unknown as Record<string, Global | undefined>
  return new Promise((resolve, reject) => {
    const finish = () => {
      const value = globals[name]
      if (value === undefined) reject(new Error(`${url} does not define ${name}.`))
      else resolve(value)
    }
    if (globals[name] !== undefined) return finish()
    const script = document.createElement('script')
    script.src = url
    script.onload = finish
    script.onerror = () => reject(new Error(`${url} cannot be loaded.`))
    document.head.append(script)
  })
}

const brands: Readonly<Record<string, string>> = {
  mc: 'mastercard',
  american_express: 'amex',
  'american-express': 'amex',
  diners_club: 'diners',
  'diners-club': 'diners',
  dinersclub: 'diners',
  cup: 'unionpay',
}
const knownBrands = ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay']

/** Switchyard's name for the brand; undefined if there is none. */
export function brandFrom(name: string): string | undefined {
  const brand = brands[name] ?? name
  return knownBrands.includes(brand) ? brand : undefined
}

/** Omits unknown members. Null if none is known. */
export function shownCard(
  members: Readonly<Record<string, string | number | null | undefined>>,
): ShownCard | null {
  const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined)
  return known.length === 0 ? null : (Object.fromEntries(known) as ShownCard)
}
