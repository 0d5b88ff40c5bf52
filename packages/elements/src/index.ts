/**
 * The payment element: card fields of Switchyard in a frame on the page of a merchant. The page never sees card data.
 * The frame accepts only pages whose origin is in `elements.allowed_origins` of the workspace.
 */
import { type Appearance, findAppearanceFault } from './appearance.ts'
import { Frame } from './frame.ts'
import type { CardBrand, ElementStatus, ElementsError, SessionKey } from './messages.ts'

export type { Appearance } from './appearance.ts'
export type { CardBrand, ElementStatus, ElementsError, ElementsErrorCode } from './messages.ts'

export type ElementsOptions = {
  /** The URL of your Switchyard API, such as `https://pay.example.com`. */
  readonly baseUrl: string
  /** The checkout session that your server created: its `id` and its `client_secret`. */
  readonly session: SessionKey
  /** `en`, `de`, `es`, `fr`, `ja` or `ar`. Default: the language of the session, then that of the browser. */
  readonly locale?: string
  readonly appearance?: Appearance
}

export type ElementsSettings = Pick<ElementsOptions, 'locale' | 'appearance'>

export type ConfirmOptions = {
  /** The page to which the payer returns from the bank. Default: the current page. */
  readonly returnUrl?: string
}

/**
 * `succeeded`: the payer has paid, or the card is stored. `processing`: the outcome is not known yet, so the payer must
 * not pay again; wait for the webhook. `requires_action`: the browser opens the bank's page and then returns to
 * `returnUrl`. `failed`: nothing was charged. Do not ship based on this outcome: your server must wait for
 * the webhook.
 */
export type Outcome =
  | { readonly status: 'succeeded' | 'processing' | 'requires_action'; readonly error: null }
  | { readonly status: 'failed'; readonly error: ElementsError }

export type ElementEvents = {
  /** The payer can type. */
  ready: undefined
  change: {
    readonly status: ElementStatus
    /** Whether all fields are valid. */
    readonly complete: boolean
    readonly brand: CardBrand | null
  }
  /** The payer pressed the Escape key in the frame. */
  escape: undefined
  /** The frame cannot be used. */
  error: ElementsError
}

export type Elements = {
  create(type: 'payment'): PaymentElement
  /** Changes the language and the appearance of mounted elements. Omitted settings get their defaults. */
  update(settings: ElementsSettings): void
}

export type PaymentElement = {
  /** Puts the frame into an element of the page, which is given as an element or a selector. */
  mount(target: string | HTMLElement): PaymentElement
  unmount(): void
  /** Moves the focus to the first field. */
  focus(): void
  /** Validates the fields and pays. A call during another one returns the same promise. */
  confirm(options?: ConfirmOptions): Promise<Outcome>
  /** Returns a function that removes the listener. */
  on<Name extends keyof ElementEvents>(
    event: Name,
    listener: (detail: ElementEvents[Name]) => void,
  ): () => void
}

/** Prepares elements for one checkout session. */
export function switchyard(publishableKey: string, options: ElementsOptions): Elements {
  if (!/^pk_(live|test)_\w+$/.test(publishableKey))
    throw new TypeError(
      'The first argument must be a publishable token (pk_…). Never use a secret token here.',
    )
  const { session } = options
  if (!session?.id || !session.client_secret)
    throw new TypeError('session must have the id and the client_secret of a checkout session.')
  const { origin } = new URL(options.baseUrl)
  let settings = checkedSettings(options)
  const frames = new Set<Frame>()
  return {
    create(type) {
      if (type !== 'payment') throw new TypeError('The only type of element is "payment".')
      const key = { id: session.id, client_secret: session.client_secret }
      const frame = new Frame({ origin, publishableKey, session: key, settings: () => settings })
      frames.add(frame)
      return elementOf(frame)
    },
    update(next) {
      settings = checkedSettings(next)
      for (const frame of frames) frame.update()
    },
  }
}

function elementOf(frame: Frame): PaymentElement {
  const element: PaymentElement = {
    mount(target) {
      const place = typeof target === 'string' ? document.querySelector<HTMLElement>(target) : target
      if (place === null) throw new TypeError(`There is no element ${target} on this page.`)
      frame.mount(place)
      return element
    },
    unmount: () => frame.unmount(),
    focus: () => frame.focus(),
    confirm: ({ returnUrl = location.href } = {}) => frame.confirm(returnUrl),
    on: (event, listener) => frame.on(event, listener),
  }
  return element
}

function checkedSettings({ locale, appearance = {} }: ElementsSettings) {
  const fault = findAppearanceFault(appearance)
  if (fault !== null) throw new TypeError(`${fault}.`)
  return { locale: locale ?? null, appearance: { ...appearance } }
}
